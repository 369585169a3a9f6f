import { request } from 'node:http'

/** Where a virtual host's PHP listens, and who owns it. */
export interface PhpBackend {
  socket: string
  uid: number | null
}

export interface PhpEnsureClient {
  /** Makes sure that the backend of a virtual host runs. Rejects when the agent cannot. */
  ensure(domain: string): Promise<PhpBackend>
  /** Forgets what is known of a host, after a connection to its backend failed. */
  forget(domain: string): void
}

/** How long an answer is believed. */
const BELIEVE_MS = 10_000
/** The agent starts a master and waits until it listens. */
const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 65_536
const MAX_KNOWN = 10_000

const isBackend = (value: unknown): value is { ok: true; data: PhpBackend } => {
  if (typeof value !== 'object' || value === null || !('data' in value)) return false
  const { data } = value
  if (typeof data !== 'object' || data === null || !('socket' in data)) return false
  return typeof data.socket === 'string'
}

const askAgent = (agentSocket: string, domain: string): Promise<PhpBackend> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ domain })
    const call = request(
      {
        socketPath: agentSocket,
        method: 'POST',
        path: '/php/ensure',
        timeout: TIMEOUT_MS,
        headers: {
          host: 'agent',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => {
          text += part
          if (text.length > MAX_ANSWER_BYTES) call.destroy(new Error('the answer is too long'))
        })
        answer.on('error', reject)
        answer.on('end', () => {
          try {
            const value: unknown = JSON.parse(text)
            if (!isBackend(value)) throw new Error(`the agent answered ${text.slice(0, 500)}`)
            const { socket, uid } = value.data
            resolve({ socket, uid: typeof uid === 'number' ? uid : null })
          } catch (error) {
            reject(new Error(`PHP of ${domain} is not available: ${String(error)}`))
          }
        })
      },
    )
    call.on('timeout', () => call.destroy(new Error('the agent did not answer in time')))
    call.on('error', (error) => {
      reject(new Error(`PHP of ${domain} is not available: ${error.message}`))
    })
    call.end(body)
  })

/**
 * Asks the agent for PHP backends. Questions for one host are asked once at a
 * time, answers believed for ten seconds; an answer past half of its time is
 * used and asked for again, so that a busy host never waits and its master is
 * seen to be in use.
 */
export const createPhpEnsureClient = (agentSocket: string): PhpEnsureClient => {
  const known = new Map<string, { backend: PhpBackend; askedMs: number }>()
  const asking = new Map<string, Promise<PhpBackend>>()
  const ask = (domain: string): Promise<PhpBackend> => {
    const running = asking.get(domain)
    if (running !== undefined) return running
    const question = askAgent(agentSocket, domain)
      .then((backend) => {
        if (known.size >= MAX_KNOWN) known.clear()
        known.set(domain, { backend, askedMs: Date.now() })
        return backend
      })
      .finally(() => asking.delete(domain))
    asking.set(domain, question)
    return question
  }
  return {
    ensure: (domain) => {
      const found = known.get(domain)
      const age = found === undefined ? Infinity : Date.now() - found.askedMs
      if (found === undefined || age >= BELIEVE_MS) return ask(domain)
      if (age >= BELIEVE_MS / 2) ask(domain).catch(() => known.delete(domain))
      return Promise.resolve(found.backend)
    },
    forget: (domain) => {
      known.delete(domain)
    },
  }
}
