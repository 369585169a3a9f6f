import type { Socket } from 'node:net'
import os from 'node:os'
import {
  encodeHeader,
  HEADER_BYTES,
  MAX_CONTENT_BYTES,
  ProtocolError,
  RECORD,
  writeHeader,
} from '../../../php-backends/fastcgi/records.ts'
import { cgiEnvironment } from './cgi-environment.ts'
import type { ChildSlots } from './child-slots.ts'
import type { LauncherSettings } from './launcher-settings.ts'
import { RequestDecoder } from './request-decoder.ts'
import { scriptRefusal } from './script-refusal.ts'
import { runPhpCgi } from './run-php-cgi.ts'
import type { CgiRun } from './run-php-cgi.ts'

/** FCGI_GET_VALUES_RESULT without values. */
const VALUES = Buffer.of(1, 10, 0, 0, 0, 0, 0, 0)
const OVERLOADED = 2
/** Bytes of a body that are held while a request waits for its turn. */
const HELD_BYTES = 256 * 1024
const SIGNALS: Readonly<Record<string, number>> = os.constants.signals

/** The state of the request on a connection. */
interface Exchange {
  keep: boolean
  /** Null while it waits for its turn, and once it is over. */
  run: CgiRun | null
  started: boolean
  over: boolean
  bodyEnded: boolean
  held: Buffer[]
  heldBytes: number
  withdraw(): void
}

const endRecord = (appStatus: number, protocolStatus: number): Buffer => {
  const record = Buffer.alloc(HEADER_BYTES + 8)
  writeHeader(record, 0, RECORD.endRequest, 8)
  record.writeUInt32BE(appStatus, HEADER_BYTES)
  record[HEADER_BYTES + 4] = protocolStatus
  return record
}

/** Serves one FastCGI connection, request after request, each by a php-cgi of its own. */
export const serveConnection = (
  socket: Socket,
  settings: LauncherSettings,
  slots: ChildSlots,
): { readonly busy: boolean; close(): void } => {
  let current: Exchange | null = null

  const send = (type: number, content: Buffer): boolean => {
    if (socket.destroyed) return true
    let more = true
    socket.cork()
    for (let from = 0; from < content.length; from += MAX_CONTENT_BYTES) {
      const piece = content.subarray(from, from + MAX_CONTENT_BYTES)
      socket.write(encodeHeader(type, piece.length))
      more = socket.write(piece)
    }
    socket.uncork()
    return more
  }
  const finish = (exchange: Exchange, appStatus: number, protocolStatus = 0): void => {
    if (exchange.over) return
    exchange.over = true
    exchange.run = null
    if (socket.destroyed) return
    socket.resume()
    socket.write(
      Buffer.concat([encodeHeader(RECORD.stdout, 0), endRecord(appStatus, protocolStatus)]),
    )
    if (!exchange.keep) socket.end()
  }
  const notStarted = (exchange: Exchange, error: Error): void => {
    slots.free()
    send(RECORD.stderr, Buffer.from(`php-cgi could not be started: ${error.message}\n`))
    const code = 'code' in error ? error.code : ''
    if (code === 'E2BIG') {
      send(RECORD.stdout, Buffer.from('Status: 431 Request Header Fields Too Large\r\n\r\n'))
      finish(exchange, 0)
    } else finish(exchange, 1, code === 'EAGAIN' ? OVERLOADED : 0)
  }

  const start = (exchange: Exchange, env: Record<string, string>): void => {
    exchange.started = true
    let run: CgiRun
    try {
      run = runPhpCgi(
        settings,
        env,
        {
          stdout: (piece) => send(RECORD.stdout, piece),
          stderr: (piece) => send(RECORD.stderr, piece),
          drained: () => void (exchange.over || socket.resume()),
          end: ({ signal }) => {
            slots.free()
            // A script's exit code is its own affair, as under FPM; a signal means that it was cut off.
            finish(exchange, signal === null ? 0 : 128 + (SIGNALS[signal] ?? 0))
          },
        },
        (error) => notStarted(exchange, error),
      )
    } catch (error) {
      return notStarted(exchange, error instanceof Error ? error : new Error(String(error)))
    }
    exchange.run = run
    let more = true
    for (const piece of exchange.held) more = run.write(piece)
    exchange.held = []
    if (exchange.bodyEnded) run.endBody()
    else if (more) socket.resume()
  }

  const begin = (exchange: Exchange, params: Buffer): void => {
    const env = cgiEnvironment(params)
    const refused = scriptRefusal(env['SCRIPT_FILENAME'])
    if (refused !== null) {
      send(RECORD.stderr, Buffer.from('Primary script unknown\n'))
      send(RECORD.stdout, Buffer.from(refused))
      return finish(exchange, 0)
    }
    exchange.withdraw = slots.take(() => start(exchange, env))
  }

  const drop = (): void => {
    const exchange = current
    current = null
    if (exchange === null || exchange.over) return
    exchange.over = true
    const { run } = exchange
    if (run === null) {
      if (!exchange.started) exchange.withdraw()
    } else if (exchange.bodyEnded) run.abandon()
    // It must not act on half a body.
    else run.kill()
  }

  const open = (): Exchange => {
    if (current === null) throw new ProtocolError('a record without a request')
    return current
  }
  const decoder = new RequestDecoder({
    begin(keep) {
      if (current !== null && !(current.over && current.bodyEnded))
        throw new ProtocolError('one request at a time')
      const withdraw = (): void => undefined
      current = {
        keep,
        run: null,
        started: false,
        over: false,
        bodyEnded: false,
        held: [],
        heldBytes: 0,
        withdraw,
      }
    },
    params: (content) => begin(open(), content),
    stdin(piece) {
      const exchange = open()
      if (exchange.over) return
      if (exchange.run !== null) {
        if (!exchange.run.write(Buffer.from(piece))) socket.pause()
        return
      }
      exchange.held.push(Buffer.from(piece))
      exchange.heldBytes += piece.length
      if (exchange.heldBytes > HELD_BYTES) socket.pause()
    },
    stdinEnd() {
      const exchange = open()
      exchange.bodyEnded = true
      exchange.run?.endBody()
    },
    abort: () => void socket.destroy(),
    getValues: () => void socket.write(VALUES),
  })

  socket.on('data', (chunk: Buffer) => {
    try {
      decoder.push(chunk)
    } catch {
      socket.destroy()
    }
  })
  socket.on('drain', () => current?.run?.resume())
  socket.on('error', () => undefined)
  socket.on('end', () => socket.destroy())
  socket.on('close', drop)
  return {
    get busy() {
      return current !== null && !current.over
    },
    close: () => void socket.destroy(),
  }
}
