import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { isOurs, UpstreamError } from './upstream-error.ts'

/** Nobody could be reached, unless that is our own affair or the client's. */
export const asUnreachable = (error: unknown): OriginError => {
  if (error instanceof OriginError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return isOurs(code)
    ? new OriginError(503, 'there are too many connections', error)
    : new UpstreamError('unreachable', 502, 'the application cannot be reached', error)
}

/**
 * A connection once it stands. Rejects with what the socket says, with `OriginError` 400 when
 * `signal` ends it, and with `UpstreamError` 504 after `timeoutMs` (default: as long as it takes).
 */
export const openConnection = (
  connect: () => Socket,
  signal: AbortSignal,
  timeoutMs?: number,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect()
    const standing = socket instanceof TLSSocket ? 'secureConnect' : 'connect'
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      socket.off(standing, onConnect)
      socket.off('error', onError)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    const giveUp = (why: OriginError): void =>
      settle(() => {
        socket.on('error', () => undefined)
        socket.destroy()
        reject(why)
      })
    const onConnect = (): void => settle(() => resolve(socket))
    const onError = (error: Error): void => settle(() => reject(error))
    const onAbort = (): void => giveUp(new OriginError(400, 'the client closed the connection'))
    const onTimeout = (): void =>
      giveUp(
        new UpstreamError(
          'unreachable',
          504,
          `there was no connection to the application in ${timeoutMs} ms`,
        ),
      )
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
    socket.once(standing, onConnect)
    socket.once('error', onError)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
  })

/** The same for an upstream, whose every failure is said as `UpstreamError`, but what is ours (503, 400). */
export const reachUpstream = async (
  connect: () => Socket,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Socket> => {
  try {
    return await openConnection(connect, signal, timeoutMs)
  } catch (error) {
    throw asUnreachable(error)
  }
}
