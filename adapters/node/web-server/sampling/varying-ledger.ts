import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PageDifference } from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { KeptFile } from '../kept-file.ts'
import type { HostChanges } from '../workers/messages.ts'

/** How a site was found to answer by language or browser without saying so. */
export interface FoundVarying {
  /** Wall clock, milliseconds. */
  atMs: number
  why: PageDifference
  /** Path of the page that showed it. */
  page: string
}

/** Where the sites are kept between two runs. */
export const varyingSitesFile = ({ paths }: ServerConfig): string =>
  join(paths.state_dir, 'cache', 'varying-sites.json')

const DIFFERENCES: readonly unknown[] = ['language', 'title', 'text'] satisfies PageDifference[]
const DAY_MS = 86_400_000
/** Classes of which samples are taken, of one site and day. */
const MAX_CLASSES = 16
const MAX_CLASS = 40

const isFound = (value: unknown): value is FoundVarying =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'atMs') === 'number' &&
  DIFFERENCES.includes(Reflect.get(value, 'why')) &&
  typeof Reflect.get(value, 'page') === 'string'

const read = (file: string, log: Log): Map<string, FoundVarying> => {
  try {
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const sites = typeof all === 'object' && all !== null ? Object.entries(all) : []
    return new Map(sites.filter((entry): entry is [string, FoundVarying] => isFound(entry[1])))
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isNew) log.warn('which sites vary cannot be read', { file, error: String(error) })
    return new Map()
  }
}

/**
 * The primary's part of noticing sites that answer by language or browser without
 * saying so: it says whose turn a sample is, keeps what was found, in a file too, and
 * tells all workers before the site's pages are made new.
 */
export class VaryingLedger {
  readonly #sites = new Map<string, FoundVarying>()
  /** Classes that had their sample today, by site. */
  readonly #taken = new Map<string, Set<string>>()
  #day = 0
  readonly #deps: {
    config(): ServerConfig
    tell(site: string, varies: boolean): Promise<void>
    purge(site: string): Promise<unknown>
    log: Log
    nowMs(): number
  }
  readonly #kept: KeptFile

  /** `tell` resolves when all workers know. Sites that are no longer configured are forgotten. */
  constructor(deps: {
    config(): ServerConfig
    tell(site: string, varies: boolean): Promise<void>
    /** Makes all pages of a site new. */
    purge(site: string): Promise<unknown>
    log: Log
    nowMs(): number
  }) {
    this.#deps = deps
    const config = deps.config()
    const file = varyingSitesFile(config)
    const kept = read(file, deps.log)
    const complaint = 'which sites vary cannot be written'
    this.#kept = new KeptFile(file, () => Object.fromEntries(this.#sites), deps.log, complaint)
    for (const { domain, cache } of config.virtualhost) {
      const found = kept.get(domain)
      if (found !== undefined && cache.fills === 'auto') this.#sites.set(domain, found)
    }
  }

  /** For a worker that starts: primary domains. */
  all(): string[] {
    return [...this.#sites.keys()]
  }

  get(site: string): FoundVarying | null {
    return this.#sites.get(site) ?? null
  }

  /** Whether a sample of a class of requests may be taken now: once a day. */
  takeTurn(site: string, clientClass: string): boolean {
    const today = Math.floor(this.#deps.nowMs() / DAY_MS)
    if (today !== this.#day) this.#taken.clear()
    this.#day = today
    if (!this.#isAuto(site) || this.#sites.has(site)) return false
    let classes = this.#taken.get(site)
    if (classes === undefined) this.#taken.set(site, (classes = new Set()))
    if (classes.size >= MAX_CLASSES || clientClass.length > MAX_CLASS) return false
    if (classes.has(clientClass)) return false
    classes.add(clientClass)
    return true
  }

  /** Resolves when only neutral requests fill the site's pages, and those from before are gone. */
  async note(site: string, found: Pick<FoundVarying, 'why' | 'page'>): Promise<void> {
    if (!this.#isAuto(site) || this.#sites.has(site)) return
    const { why, page } = found
    this.#sites.set(site, { atMs: this.#deps.nowMs(), why, page })
    this.#deps.log.info('a site answers by language or browser without saying so', {
      ...{ domain: site, why, page },
    })
    const saved = this.#kept.save()
    await this.#deps.tell(site, true)
    await Promise.all([this.#deps.purge(site), saved])
  }

  /** Notes a reload: where the owner has said who fills pages, or the site is gone, what was found counts no more. */
  apply({ put, removed }: HostChanges): void {
    const said = put.filter(({ cache }) => cache.fills !== 'auto').map(({ domain }) => domain)
    for (const domain of [...said, ...removed]) {
      this.#taken.delete(domain)
      if (!this.#sites.delete(domain)) continue
      void this.#deps.tell(domain, false)
      void this.#kept.save()
    }
  }

  #isAuto(site: string): boolean {
    const host = this.#deps.config().virtualhost.find(({ domain }) => domain === site)
    return host?.cache.fills === 'auto'
  }
}
