import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CookieMemory, createCookieMemory, type SiteCookies } from '#edge-cache/index.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { KeptFile } from '../kept-file.ts'
import type { HostChanges } from '../workers/messages.ts'

/** Where the names are kept between two runs. */
export const learnedCookiesFile = ({ paths }: ServerConfig): string =>
  join(paths.state_dir, 'cache', 'learned-cookies.json')

const isSiteCookies = (value: unknown): value is SiteCookies => {
  if (typeof value !== 'object' || value === null) return false
  const names: unknown = Reflect.get(value, 'names')
  return (
    typeof Reflect.get(value, 'full') === 'boolean' &&
    Array.isArray(names) &&
    names.every(
      (one: unknown) =>
        Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number',
    )
  )
}

/** Null where there is a file that cannot be read; what it has of a site may be damaged. */
const read = (file: string, log: Log): ReadonlyMap<string, unknown> | null => {
  try {
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof all !== 'object' || all === null || Array.isArray(all))
      throw new Error('it holds no sites')
    return new Map(Object.entries(all))
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isNew) return new Map()
    log.warn('what was learned of cookies cannot be read: every cookie counts that no list knows', {
      file,
      error: String(error),
    })
    return null
  }
}

/**
 * The primary's part of learning which cookies sites set: it keeps the names, in a
 * file too, and tells all workers before the worker that learned them goes on.
 */
export class CookieLedger {
  readonly #memory: CookieMemory
  readonly #tell: (site: string, known: SiteCookies) => Promise<void>
  readonly #announcing = new Map<string, Promise<void>>()
  readonly #following = new Map<string, Promise<void>>()
  readonly #kept: KeptFile
  /** By primary domain; a site without account is by itself. */
  readonly #accounts = new Map<string, string>()

  /** `tell` resolves when all workers know. Sites that are no longer configured are forgotten. */
  constructor(deps: {
    config: ServerConfig
    tell(site: string, known: SiteCookies): Promise<void>
    log: Log
  }) {
    const file = learnedCookiesFile(deps.config)
    this.#tell = (site, known) => deps.tell(site, known)
    const kept = read(file, deps.log)
    const accountOf = (site: string): string => this.#accounts.get(site) ?? site
    this.#memory = createCookieMemory({}, { accountOf })
    this.#own(deps.config.virtualhost)
    const complaint = 'what was learned of cookies cannot be written'
    this.#kept = new KeptFile(file, () => this.#memory.all(), deps.log, complaint)
    for (const { domain } of deps.config.virtualhost) {
      if (kept !== null && !kept.has(domain)) continue
      const known = kept?.get(domain)
      if (kept !== null && !isSiteCookies(known))
        deps.log.warn(
          'what was learned of the cookies of a site cannot be read: every cookie counts there that no list knows',
          { file, domain },
        )
      // Closed, not open, where nobody knows any more who has a session.
      this.#memory.put(domain, isSiteCookies(known) ? known : { names: [], full: true })
    }
  }

  /** For a worker that starts. */
  all(): Record<string, SiteCookies> {
    return this.#memory.all()
  }

  get(site: string): SiteCookies {
    return this.#memory.get(site)
  }

  /** Resolves when all workers know the names and they are in the file. */
  async learn(site: string, names: readonly string[]): Promise<void> {
    const isNews = this.#memory.learn(site, names, Date.now())
    // What is known already was told to all, or is just being told.
    await (isNews ? this.#announce(site) : this.#announcing.get(site))
  }

  /** Forgets a name, or with null all names of a site; whether it was known. */
  async forget(site: string, name: string | null): Promise<boolean> {
    const isNews = this.#memory.forget(site, name)
    if (isNews) await this.#announce(site)
    return isNews
  }

  /** Notes a reload: a site that is gone leaves nothing to the next one of its name. */
  apply({ put, removed }: HostChanges): void {
    for (const domain of removed) {
      void this.forget(domain, null)
      this.#accounts.delete(domain)
    }
    this.#own(put)
  }

  #own(hosts: readonly VirtualHostConfig[]): void {
    for (const { domain, username } of hosts)
      if (username === null) this.#accounts.delete(domain)
      // No account's name has a colon, and no site's.
      else this.#accounts.set(domain, `account:${username}`)
  }

  /** What is learned of a site while the others are told goes together in the next telling. */
  #announce(site: string): Promise<void> {
    const under = this.#announcing.get(site)
    const following = this.#following.get(site)
    if (following !== undefined) return following
    const start = async (): Promise<void> => {
      this.#following.delete(site)
      await Promise.all([this.#tell(site, this.#memory.get(site)), this.#kept.save()])
    }
    const work = under === undefined ? start() : under.then(start, start)
    if (under !== undefined) this.#following.set(site, work)
    this.#announcing.set(site, work)
    const done = (): void => {
      if (this.#announcing.get(site) === work) this.#announcing.delete(site)
    }
    work.then(done, done)
    return work
  }
}
