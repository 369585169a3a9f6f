import type { VirtualHostConfig } from '../../../domain/config/config-types.ts'
import type { Log } from '../../../ports/log.ts'
import { placeOf } from '../../paths/resolve-path.ts'
import { isRuledFrom } from '../../paths/site-folders.ts'
import { PatternError } from '../../rewrite/pattern/pattern.ts'
import type { RuleFiles } from '../../rule-files.ts'
import type { SiteContext } from '../../site-context.ts'
import { DirectiveError } from '../directives/directive-error.ts'
import { hashText } from '../access/hash-text.ts'
import { directoriesOf } from './directories-of.ts'
import type { DirectoryRules, RuleChain } from './directory-rules.ts'
import { newHostRules, rememberRules, type HostRules, type Known } from './known-rules.ts'
import { ownRules } from './own-rules.ts'
import { parseRulesInSlices } from './parse-rules.ts'
import { createRuleBudget } from './rule-budget.ts'

export type { RuleChain } from './directory-rules.ts'

/** Directories that are looked at again after a request that may have changed something. */
const MAX_RECHECKED = 16

/** As long a change may stay unseen. */
export const RECHECK_MS = 1000
/** Of a file with rules. */
export const MAX_FILE_BYTES = 128 * 1024
/** Where the rules of the document root stand. */
export const ROOT_RULES = { directory: '/', source: '/.htaccess' } as const
/** Lines about one virtual host in the log. */
const MAX_LOGGED = 20
/** Of a file with rules that is read. */
const STEPS_PER_CHARACTER = 8

/** The request that rules are read for; default: none. */
type Asker = Pick<SiteContext, 'turn'>

/** See `createRuleStore`. */
export interface RuleStore {
  /** Rules for a file; looks at each directory at most once a second. Rejects with `OriginError` 503 when too many files of the account wait. */
  chain(
    vhost: VirtualHostConfig,
    file: string,
    asker?: Asker,
    /** Stands in place of the document root's own. */
    instead?: DirectoryRules,
  ): Promise<RuleChain>
  /** What a text would be as the rules of a directory, without a word in the log. Rejects with `OriginError` 503. */
  understand(
    this: void,
    vhost: VirtualHostConfig,
    directory: string,
    text: string,
    asker?: Asker,
  ): Promise<DirectoryRules>
  /** Whether the root of the virtual host was seen without a file of rules within the last second. */
  isBare(vhost: VirtualHostConfig): boolean
  /** Grows when rules of the virtual host are seen to change. */
  version(vhost: VirtualHostConfig): number
  /**
   * Looks again at once at files with rules of the virtual host: those on the way to
   * `files`, and the others that are known, so many. Whether one of them changed.
   */
  recheck(vhost: VirtualHostConfig, files: readonly string[]): Promise<boolean>
  /** Nothing that is known counts any more without being looked at. */
  doubt(vhost: VirtualHostConfig): void
  /** Takes steps that rules cost from the site's share of the second. Throws `OriginError` 503 when it is used up. */
  charge(vhost: VirtualHostConfig, steps: number): void
  /** As `charge`, but what is used up is said to the next request. */
  pay(vhost: VirtualHostConfig, steps: number): void
  /** Logs once per virtual host and message. */
  complain(vhost: VirtualHostConfig, message: string, fields: Record<string, unknown>): void
}

/** Rules of all virtual hosts of one process, forgotten with the configuration they were read under. */
export const createRuleStore = (deps: {
  files: RuleFiles
  log: Log
  nowMs: () => number
}): RuleStore => {
  const { files, log, nowMs } = deps
  const hosts = new WeakMap<VirtualHostConfig, HostRules>()
  const { take, charge } = createRuleBudget(nowMs)

  const hostOf = (vhost: VirtualHostConfig): HostRules => {
    let host = hosts.get(vhost)
    if (!host) hosts.set(vhost, (host = newHostRules()))
    return host
  }
  const complain: RuleStore['complain'] = (vhost, message, fields) => {
    const { logged } = hostOf(vhost)
    const key = `${message} ${JSON.stringify(fields)}`
    if (logged.has(key) || logged.size >= MAX_LOGGED) return
    logged.add(key)
    log.warn(message, { domain: vhost.domain, ...fields })
  }
  const understand: RuleStore['understand'] = async (vhost, directory, text, asker) => {
    // More files than are kept in memory are read with every request.
    charge(vhost, text.length * STEPS_PER_CHARACTER)
    const place = { directory, source: `${directory}.htaccess`, hash: hashText(text) }
    try {
      const how = { directory, cached: vhost.cache.enable }
      const rules = await parseRulesInSlices(text, how)
      asker?.turn?.('rules')
      if (rules.unknown.length > 0 && vhost.htaccess_unknown === 'error') {
        const directives = rules.unknown.slice(0, 10)
        throw new DirectiveError(`unknown directives: ${directives.join(', ')}`)
      }
      return { ...place, rules, failure: null }
    } catch (error) {
      if (!(error instanceof DirectiveError || error instanceof PatternError)) throw error
      return { ...place, rules: null, failure: 500, problem: error.message }
    }
  }
  const parse: RuleStore['understand'] = async (vhost, directory, text, asker) => {
    const found = await understand(vhost, directory, text, asker)
    const { source: file, rules, problem: reason } = found
    if (reason !== undefined) complain(vhost, 'an .htaccess cannot be understood', { file, reason })
    else if (rules !== null && rules.unknown.length > 0) {
      const directives = rules.unknown.slice(0, 10)
      complain(vhost, 'directives of .htaccess are not known and were left out', {
        file,
        directives,
      })
    }
    return found
  }
  const read = async (
    vhost: VirtualHostConfig,
    host: HostRules,
    directory: string,
    asker?: Asker,
  ): Promise<Known> => {
    const before = host.directories.get(directory)
    const startedMs = nowMs()
    const { doubts } = host
    const look = ++host.looks
    const rememberNow = (known: Omit<Known, 'look' | 'checkedAtMs'>): Known => {
      const checkedAtMs = doubts === host.doubts ? startedMs : -Infinity
      return rememberRules(host, directory, { ...known, look, checkedAtMs })
    }
    const place = placeOf(vhost, `${directory}.htaccess`)
    const text = await files.read(place, before?.stamp ?? null, MAX_FILE_BYTES)
    asker?.turn?.('rules')
    if (text.kind === 'same' && before) return rememberNow(before)
    if (text.kind === 'text') {
      const found = await parse(vhost, directory, text.text, asker)
      const sizeBytes = text.text.length + 256
      return rememberNow({ stamp: text.stamp, found, sizeBytes })
    }
    if (text.kind === 'missing' || text.kind === 'same') {
      return rememberNow({ stamp: null, found: null, sizeBytes: 128 })
    }
    const failure = text.kind === 'denied' ? 403 : 500
    complain(vhost, 'an .htaccess cannot be read', {
      file: place.path,
      reason: failure === 403 ? 'it is no file of the account' : 'it is larger than 128 KiB',
    })
    const source = place.path
    const found = { directory, source, rules: null, failure, hash: text.kind } as const
    return rememberNow({ stamp: null, found, sizeBytes: 128 })
  }
  const knownOf = (
    vhost: VirtualHostConfig,
    host: HostRules,
    directory: string,
    asker?: Asker,
  ): Known | Promise<Known> => {
    const known = host.directories.get(directory)
    if (known && nowMs() - known.checkedAtMs < RECHECK_MS) return known
    const running = host.reading.get(directory)
    if (running) return running
    const reading = read(vhost, host, directory, asker).finally(() => {
      if (host.reading.get(directory) === reading) host.reading.delete(directory)
    })
    host.reading.set(directory, reading)
    return reading
  }

  return {
    understand,
    async chain(vhost, file, asker, instead) {
      const host = hostOf(vhost)
      const chain: DirectoryRules[] = []
      const own = ownRules(vhost)
      if (own !== null) chain.push(own)
      if (!vhost.htaccess) return chain
      for (const directory of directoriesOf(file)) {
        if (!isRuledFrom(vhost, directory, file)) continue
        const known = knownOf(vhost, host, directory, asker)
        const looked = known instanceof Promise ? await known : known
        const found = instead?.directory === directory ? instead : looked.found
        if (found === null) continue
        chain.push(found)
        if (found.failure !== null) break
      }
      return chain
    },
    async recheck(vhost, wanted) {
      const host = hostOf(vhost)
      const before = host.version
      const known = [...host.directories]
      const ruled = known.filter(([, { found }]) => found !== null)
      const others = [...ruled, ...known].map(([directory]) => directory)
      const near = wanted.flatMap((file) => directoriesOf(file).slice(0, MAX_RECHECKED))
      const some = new Set(near)
      for (const directory of others) if (some.size < MAX_RECHECKED) some.add(directory)
      const all = [...some]
      for (let at = 0; at < all.length; at += MAX_RECHECKED) {
        const next = all.slice(at, at + MAX_RECHECKED)
        await Promise.all(next.map((directory) => read(vhost, host, directory)))
      }
      return host.version !== before
    },
    doubt(vhost) {
      const host = hostOf(vhost)
      host.version++
      host.doubts++
      // What is being read may have been read before the change.
      host.reading.clear()
      for (const [directory, known] of host.directories)
        host.directories.set(directory, { ...known, checkedAtMs: -Infinity })
    },
    isBare(vhost) {
      const root = hosts.get(vhost)?.directories.get('/')
      return root !== undefined && root.found === null && nowMs() - root.checkedAtMs < RECHECK_MS
    },
    version: (vhost) => hostOf(vhost).version,
    charge,
    pay: take,
    complain,
  }
}
