/** What is spoken on a backend's socket. */
export type PhpProtocol = 'fastcgi' | 'lsapi'

/** Where PHP of a virtual host listens. */
export interface PhpBackend {
  /** Path of its unix socket. */
  socket: string
  /** User it runs as; null where there is only one. */
  uid: number | null
  /** Default `fastcgi`. */
  protocol?: PhpProtocol
}

/** What is known of the backends; asking is a call to another process. */
export interface Backends {
  /** `settings` names what the host's PHP was configured to be: after a change it is asked for at once. */
  get(domain: string, settings?: string): Promise<PhpBackend>
  /** The backend did not answer: the next `get` asks. */
  forget(domain: string): void
}

/** After this an answer is asked for again, which also tells that the backend is in use. */
const RENEW_MS = 10_000
/** After this it is not used any more without asking. */
const BELIEVED_MS = 30_000
const MAX_KNOWN = 50_000

interface Known {
  settings: string
  answer: Promise<PhpBackend>
  atMs: number
  renewing: boolean
}

/** Remembers what `ensure` answered; failures are not remembered, concurrent questions share one call. */
export const createBackends = (ensure: (domain: string) => Promise<PhpBackend>): Backends => {
  const known = new Map<string, Known>()

  const ask = (domain: string, settings: string): Known => {
    const entry: Known = {
      settings,
      answer: ensure(domain),
      atMs: performance.now(),
      renewing: false,
    }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(domain, entry)
    entry.answer.catch(() => {
      if (known.get(domain) === entry) known.delete(domain)
    })
    return entry
  }
  const renew = (domain: string, entry: Known): void => {
    entry.renewing = true
    ensure(domain).then(
      (backend) => {
        if (known.get(domain) !== entry) return
        known.set(domain, {
          settings: entry.settings,
          answer: Promise.resolve(backend),
          atMs: performance.now(),
          renewing: false,
        })
      },
      // The next request after `BELIEVED_MS` hears why.
      () => (entry.renewing = false),
    )
  }

  return {
    get: (domain, settings = '') => {
      const entry = known.get(domain)
      if (entry?.settings !== settings) return ask(domain, settings).answer
      const ageMs = performance.now() - entry.atMs
      if (ageMs > BELIEVED_MS) return ask(domain, settings).answer
      if (ageMs > RENEW_MS && !entry.renewing) renew(domain, entry)
      return entry.answer
    },
    forget: (domain) => void known.delete(domain),
  }
}
