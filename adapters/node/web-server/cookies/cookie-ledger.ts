import { mkdirSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createCookieMemory, type CookieMemory, type SiteCookies } from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
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

const read = (file: string, log: Log): Record<string, SiteCookies> => {
  try {
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof all !== 'object' || all === null) return {}
    const sites = Object.entries(all)
    return Object.fromEntries(
      sites.filter((entry): entry is [string, SiteCookies] => isSiteCookies(entry[1])),
    )
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isNew)
      log.warn('what was learned of cookies cannot be read', { file, error: String(error) })
    return {}
  }
}

/**
 * The primary's part of learning which cookies sites set: it keeps the names, in a
 * file too, and tells all workers before the worker that learned them goes on.
 */
export class CookieLedger {
  readonly #memory: CookieMemory
  readonly #file: string
  readonly #tell: (site: string, known: SiteCookies) => Promise<void>
  readonly #log: Log
  #isSaved = true
  #saving: Promise<void> = Promise.resolve()

  /** `tell` resolves when all workers know. Sites that are no longer configured are forgotten. */
  constructor(deps: {
    config: ServerConfig
    tell(site: string, known: SiteCookies): Promise<void>
    log: Log
  }) {
    this.#file = learnedCookiesFile(deps.config)
    this.#tell = (site, known) => deps.tell(site, known)
    this.#log = deps.log
    const kept = read(this.#file, deps.log)
    this.#memory = createCookieMemory()
    for (const { domain } of deps.config.virtualhost) {
      const known = Object.hasOwn(kept, domain) ? kept[domain] : undefined
      if (known !== undefined) this.#memory.put(domain, known)
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
    this.#memory.learn(site, names, Date.now())
    // Told again although known: whoever asks does not know yet.
    await this.#announce(site)
  }

  /** Forgets a name, or with null all names of a site; whether it was known. */
  async forget(site: string, name: string | null): Promise<boolean> {
    const isNews = this.#memory.forget(site, name)
    if (isNews) await this.#announce(site)
    return isNews
  }

  /** Notes a reload: a site that is gone leaves nothing to the next one of its name. */
  apply({ removed }: HostChanges): void {
    for (const domain of removed) void this.forget(domain, null)
  }

  async #announce(site: string): Promise<void> {
    await Promise.all([this.#tell(site, this.#memory.get(site)), this.#save()])
  }

  /** What changes while a write is under way goes together in the next. */
  #save(): Promise<void> {
    if (this.#isSaved) {
      this.#isSaved = false
      this.#saving = this.#saving.then(() => this.#write())
    }
    return this.#saving
  }

  async #write(): Promise<void> {
    this.#isSaved = true
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      await writeFile(`${this.#file}.new`, JSON.stringify(this.#memory.all()), { mode: 0o600 })
      await rename(`${this.#file}.new`, this.#file)
    } catch (error) {
      this.#log.warn('what was learned of cookies cannot be written', {
        file: this.#file,
        error: String(error),
      })
    }
  }
}
