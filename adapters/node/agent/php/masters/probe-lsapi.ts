import net from 'node:net'

/** A new child says its pid in a packet of eight bytes and a head of eight. */
const MAGIC = 'LS'

/**
 * Connects to an lsphp parent that has no children yet: the one that it starts
 * announces itself. Resolves once it did; rejects when the connection ends
 * without a word, after `timeoutMs`, or when `signal` aborts.
 */
export const probeLsapi = (
  socketPath: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ path: socketPath })
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const onAbort = (): void => end(new Error('the process ended'))
    const end = (error?: Error): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('data', (chunk: Buffer) =>
      end(
        chunk.toString('latin1', 0, 2) === MAGIC ? undefined : new Error('the answer is not LSAPI'),
      ),
    )
    socket.on('error', (error) => end(error))
    socket.on('close', () => end(new Error('the connection was closed')))
  })
