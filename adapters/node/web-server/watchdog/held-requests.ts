import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { HeldSites } from '#handlers/sites/names/held-sites.ts'
import { directoriesOf } from '#handlers/sites/htaccess/files/directories-of.ts'
import { RECHECK_MS } from '#handlers/sites/htaccess/files/rule-store.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import { placeOf } from '#handlers/sites/paths/resolve-path.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import type { HeldSite } from './stall-ledger.ts'

/** Longer files are no rules. */
const MAX_FILE_BYTES = 256 * 1024
/** Directories of a held site whose rule files are looked at. */
const MAX_DIRECTORIES = 200

interface HeldRequestsDeps {
  files: RuleFiles
  nowMs(): number
  /** Told of a site whose held rules are others now. */
  changed(site: string): unknown
}

interface Held {
  rules: boolean
  paths: ReadonlySet<string>
  /** Stamps of rule files by directory, as they were when they were held; none: no such file. */
  stamps: Map<string, string | null>
  checkedAtMs: number
  checking: boolean
}

/**
 * What a worker answers with 503 because it held up workers. Rules are held until one of
 * their files changes, which is seen by its stamp alone: nothing in it is read.
 */
export class HeldRequests implements HeldSites {
  readonly #deps: HeldRequestsDeps
  #held = new Map<string, Held>()

  constructor(deps: HeldRequestsDeps) {
    this.#deps = deps
  }

  /** Whether a virtual host has to be asked for at all; cheap where nothing is held. */
  concerns(vhost: VirtualHostConfig): boolean {
    return this.#held.size > 0 && this.#held.has(vhost.domain)
  }

  /** Takes the whole list. */
  put(sites: readonly HeldSite[]): void {
    const before = this.#held
    this.#held = new Map(
      sites.map(({ site, rules, paths }) => {
        const known = before.get(site)
        const normal = paths.map((path) => normalizeTarget(path)?.path ?? path)
        // Held anew, they are the rules of now.
        const stamps = rules && known?.rules === true ? known.stamps : new Map()
        return [site, { rules, paths: new Set(normal), stamps, checkedAtMs: 0, checking: false }]
      }),
    )
  }

  holds(vhost: VirtualHostConfig, path: string, ruled: boolean): boolean {
    if (this.#held.size === 0) return false
    const held = this.#held.get(vhost.domain)
    if (held === undefined) return false
    if (ruled && held.rules) {
      void this.#recheck(vhost, held, path)
      return true
    }
    return held.paths.has(path)
  }

  async #recheck(vhost: VirtualHostConfig, held: Held, path: string): Promise<void> {
    const nowMs = this.#deps.nowMs()
    const unseen = directoriesOf(path).filter((directory) => !held.stamps.has(directory))
    // Ever new names of directories must not have all the others looked at each time.
    const fresh = unseen.slice(0, MAX_DIRECTORIES - held.stamps.size)
    if (held.checking || (fresh.length === 0 && nowMs - held.checkedAtMs < RECHECK_MS)) return
    held.checking = true
    held.checkedAtMs = nowMs
    for (const [directory, known] of [...held.stamps])
      if ((await this.#stampOf(vhost, directory, known)) !== known) {
        this.#deps.changed(vhost.domain)
        return
      }
    for (const directory of fresh)
      held.stamps.set(directory, await this.#stampOf(vhost, directory, null))
    held.checking = false
  }

  async #stampOf(
    vhost: VirtualHostConfig,
    directory: string,
    known: string | null,
  ): Promise<string | null> {
    try {
      const place = placeOf(vhost, `${directory}.htaccess`)
      const text = await this.#deps.files.read(place, known, MAX_FILE_BYTES)
      if (text.kind === 'same') return known
      return text.kind === 'text' ? text.stamp : text.kind
    } catch {
      return known
    }
  }
}
