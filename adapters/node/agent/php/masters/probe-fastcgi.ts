import net from 'node:net'

/** FCGI_GET_VALUES (type 9, request 0) with an empty body; the response is FCGI_GET_VALUES_RESULT. */
const GET_VALUES = Uint8Array.of(1, 9, 0, 0, 0, 0, 0, 0)
const GET_VALUES_RESULT = 10

/**
 * Asks a FastCGI server for its values: the response proves that a child accepts
 * and speaks. Resolves once it came; rejects when the connection ends without
 * one, after `timeoutMs`, or when `signal` aborts.
 */
export const probeFastcgi = (
  socketPath: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ path: socketPath })
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const onAbort = (): void => end(new Error('the process ended'))
    let answer = Buffer.alloc(0)
    const end = (error?: Error): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('connect', () => socket.write(GET_VALUES))
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length < 8) return
      end(answer[1] === GET_VALUES_RESULT ? undefined : new Error('the answer is not FastCGI'))
    })
    socket.on('error', (error) => end(error))
    socket.on('close', () => end(new Error('the connection was closed')))
  })
