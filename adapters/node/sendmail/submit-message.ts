import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { readSendmailOptions } from './read-options.ts'

/** Exit codes of sysexits(3). Never 75, which PHP takes for sent: nothing is kept here to be sent later. */
const USAGE = 64
const UNAVAILABLE = 69
const LF = 10
const DOT = 46
const CR = 13

const say = (text: string): void => void process.stderr.write(`sendmail: ${text}\n`)

/** Standard input up to a line that is a dot alone. */
async function* untilDot(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // What the present line holds: nothing, a dot, a dot and CR, or anything else.
  let line: 'begun' | 'dot' | 'dot and cr' | 'other' = 'begun'
  for await (const piece of source) {
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]
      if (byte === LF) {
        if (line === 'dot' || line === 'dot and cr') {
          // The dot itself may have gone out with the piece before; it is text to nobody.
          yield piece.subarray(0, Math.max(0, at - (line === 'dot' ? 1 : 2)))
          return
        }
        line = 'begun'
      } else if (line === 'begun' && byte === DOT) line = 'dot'
      else if (line === 'dot' && byte === CR) line = 'dot and cr'
      else line = 'other'
    }
    yield piece
  }
}

const write = (socket: Socket, bytes: Buffer | string): Promise<void> =>
  new Promise((resolve, reject) =>
    socket.write(bytes, (error) => (error ? reject(error) : resolve())),
  )

const sendAll = async (socket: Socket, head: string, body: AsyncIterable<Buffer>) => {
  await write(socket, `${head}\n`)
  for await (const piece of body) {
    if (piece.length === 0) continue
    const size = Buffer.alloc(4)
    size.writeUInt32BE(piece.length)
    await write(socket, Buffer.concat([size, piece]))
  }
  await write(socket, Buffer.alloc(4))
}

const readAnswer = async (socket: Socket): Promise<{ code: number; text: string }> => {
  let text = ''
  for await (const piece of socket as AsyncIterable<Buffer>) {
    text += piece.toString('utf8')
    if (text.length > 64 * 1024) break
  }
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('code' in answer))
    throw new Error('no answer')
  const said = 'text' in answer && typeof answer.text === 'string' ? answer.text : ''
  return { code: typeof answer.code === 'number' ? answer.code : UNAVAILABLE, text: said }
}

/** Who may be meant where no account is named: in rootless mode they share one user of the machine. */
function* ownNames(): Generator<string> {
  const name = process.env['LOGNAME'] ?? ''
  if (/^[a-z0-9]{3,16}$/.test(name)) yield name
  try {
    yield userInfo().username
  } catch {
    // In a container there may be no user of this id.
  }
}

/** The first of the accounts' sockets that lets us in. */
const reach = async (runDir: string, accounts: Iterable<string>): Promise<Socket> => {
  let fault: unknown
  for (const account of accounts) {
    const socket = connect(`${runDir}/mail/${account}/submit.sock`)
    try {
      await once(socket, 'connect')
      // What breaks from now on is told where something is written or read.
      socket.on('error', () => undefined)
      return socket
    } catch (error) {
      socket.destroy()
      fault = error
    }
  }
  throw fault
}

/**
 * Hands standard input over to the queue, as sendmail(8) would: `argv` is the run directory,
 * `--as` with an account where it is known, and sendmail's own arguments. Which account it is
 * decides the kernel, by the directory that it lets us enter. Answers the exit code.
 */
export const submitMessage = async (argv: readonly string[]): Promise<number> => {
  const [runDir = '', ...rest] = argv
  const named = rest[0] === '--as' ? rest.splice(0, 2)[1] : undefined
  const options = readSendmailOptions(rest)
  if (typeof options === 'string') {
    say(options)
    return USAGE
  }
  const { sender, fullName, extract, ignoreDots, recipients } = options
  if (!extract && recipients.length === 0) {
    say('Name recipients, or give -t to take them from the message.')
    return USAGE
  }
  let socket: Socket | null = null
  try {
    socket = await reach(runDir, named === undefined ? ownNames() : [named])
    const input = process.stdin as AsyncIterable<Buffer>
    const head = JSON.stringify({ sender, fullName, recipients, extract })
    // What is refused early is told while we still write.
    const answered = readAnswer(socket)
    answered.catch(() => undefined)
    await Promise.race([
      sendAll(socket, head, ignoreDots ? input : untilDot(input)).catch(() => answered),
      answered,
    ])
    const { code, text } = await answered
    if (code !== 0) say(text)
    return code
  } catch {
    say('The mail queue of this server cannot be reached. The message was not sent.')
    return UNAVAILABLE
  } finally {
    socket?.destroy()
    process.stdin.destroy()
  }
}
