import { spawn } from 'node:child_process'
import { Duplex } from 'node:stream'
import { asUser } from '../../process/as-user.ts'
import type { RunAs } from '../../process/as-user.ts'
import { CLEAN_ENV } from '../../process/clean-env.ts'

const RELAY = `
  const socket = require('node:net').connect(process.argv[1])
  socket.on('error', () => process.exit(1))
  process.stdin.pipe(socket).pipe(process.stdout)
`

/** What a client library calls on a socket besides reading and writing. */
interface SocketLike {
  setNoDelay(): void
  setKeepAlive(): void
  connect(): void
  ref(): void
  unref(): void
}

/**
 * A connection to a unix socket on which the kernel names another user than ours:
 * a small program running as that user passes the bytes on. It ends with the stream.
 */
export const socketAsUser = (who: RunAs, socketPath: string): Duplex & SocketLike => {
  const { program, args } = asUser(
    who,
    process.execPath,
    // Debian's PostgreSQL, for one, admits its administrator by this alone.
    ['-e', RELAY, '--', socketPath],
    { dieWithParent: true },
  )
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...CLEAN_ENV },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin })
  child.on('error', (error) => stream.destroy(error))
  // A socket that the other side has closed is of no more use.
  stream.once('end', () => stream.destroy())
  stream.on('close', () => child.kill('SIGKILL'))
  const nothing = (): void => undefined
  return Object.assign(stream, {
    setNoDelay: nothing,
    setKeepAlive: nothing,
    ref: nothing,
    unref: nothing,
    connect: () => void process.nextTick(() => stream.emit('connect')),
  })
}
