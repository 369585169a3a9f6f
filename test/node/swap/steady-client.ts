import { connect } from 'node:net'

/** What became of the requests of a while. */
export interface Tally {
  /** How many were answered, and how many failed, by the code of the error. */
  kinds: Record<string, number>
  /** Milliseconds from the first to the last that was refused. */
  refusedMs: number
}

/** How often somebody asks. */
const EACH_MS = 4

const ask = (port: number, host: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setTimeout(20_000, () => socket.destroy(new Error('timeout')))
    socket.on('connect', () =>
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    socket.on('close', () => resolve(/^HTTP\/1\.1 200 /.test(text) ? 'answered' : 'cut off'))
  })

/** Asks for the first page of a site again and again, each time with a connection of its own. */
export const startSteadyClient = (
  port: number,
  host: string,
): {
  /** How many are over since the last `take`. */
  count(): number
  /** What became of those since, and of those that are under way. */
  take(): Promise<Tally>
  stop(): Promise<void>
} => {
  const open = new Set<Promise<unknown>>()
  let outcomes: { atMs: number; kind: string }[] = []
  const timer = setInterval(() => {
    const atMs = performance.now()
    const asked = ask(port, host).then((kind) => {
      outcomes.push({ atMs, kind })
      open.delete(asked)
    })
    open.add(asked)
  }, EACH_MS)
  return {
    count: () => outcomes.length,
    take: async () => {
      await Promise.all(open)
      const kinds: Record<string, number> = {}
      for (const { kind } of outcomes) kinds[kind] = (kinds[kind] ?? 0) + 1
      const refused = outcomes.filter(({ kind }) => kind !== 'answered').map(({ atMs }) => atMs)
      outcomes = []
      const refusedMs = refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused)
      return { kinds, refusedMs: Math.round(refusedMs) }
    },
    stop: async () => {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}
