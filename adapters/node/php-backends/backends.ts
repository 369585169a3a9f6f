import { createHash } from 'node:crypto'

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

/** PHP settings of a directory, sorted by name; undefined: none. */
export type DirectoryIni = Readonly<Record<string, string>> | undefined

/** Makes sure that PHP runs for a virtual host, with settings of a directory; rejects when it cannot. */
export type EnsurePhp = (domain: string, ini?: DirectoryIni) => Promise<PhpBackend>

/** A virtual host's PHP. */
export interface BackendQuestion {
  domain: string
  /** Names what the host's PHP was configured to be: after a change it is asked for at once. Default: empty. */
  settings?: string
  ini?: DirectoryIni
}

/** What is known of the backends; asking is a call to another process. */
export interface Backends {
  /** At once where it is known. */
  get(question: BackendQuestion): PhpBackend | Promise<PhpBackend>
  /** The backend did not answer: the next `get` asks. */
  forget(question: BackendQuestion): void
}

/** After this a response is asked for again, which also tells that the backend is in use. */
const RENEW_MS = 10_000
/** After this it is not used any more without asking. */
const BELIEVED_MS = 30_000
const MAX_KNOWN = 50_000

interface Known {
  settings: string
  answer: PhpBackend | Promise<PhpBackend>
  atMs: number
  renewing: boolean
}

/** Settings may be long, and a site may have many: their digest is kept. */
const keyOf = ({ domain, ini }: BackendQuestion): string =>
  ini === undefined
    ? domain
    : `${domain} ${createHash('sha256').update(JSON.stringify(ini)).digest('base64')}`

/** Remembers what `ensure` answered; failures are not remembered, concurrent questions share one call. */
export const createBackends = (ensure: EnsurePhp): Backends => {
  const known = new Map<string, Known>()

  const ask = (key: string, { domain, settings = '', ini }: BackendQuestion): Known => {
    const answer = ensure(domain, ini)
    const entry: Known = {
      settings,
      answer,
      atMs: performance.now(),
      renewing: false,
    }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(key, entry)
    answer.then(
      (backend) => (entry.answer = backend),
      () => {
        if (known.get(key) === entry) known.delete(key)
      },
    )
    return entry
  }
  const renew = (key: string, { domain, ini }: BackendQuestion, entry: Known): void => {
    entry.renewing = true
    ensure(domain, ini).then(
      (backend) => {
        if (known.get(key) !== entry) return
        known.set(key, {
          settings: entry.settings,
          answer: backend,
          atMs: performance.now(),
          renewing: false,
        })
      },
      // The next request after `BELIEVED_MS` hears why.
      () => (entry.renewing = false),
    )
  }

  return {
    get: (question) => {
      const key = keyOf(question)
      const entry = known.get(key)
      if (entry?.settings !== (question.settings ?? '')) return ask(key, question).answer
      const ageMs = performance.now() - entry.atMs
      if (ageMs > BELIEVED_MS) return ask(key, question).answer
      if (ageMs > RENEW_MS && !entry.renewing) renew(key, question, entry)
      return entry.answer
    },
    forget: (question) => void known.delete(keyOf(question)),
  }
}
