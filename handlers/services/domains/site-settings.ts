import { phpSizeBytes } from '../../domain/php/site-php-rules.ts'
import { tidyBackend } from '../../domain/site-settings/backends/tidy-backend.ts'
import { MAX_PATHS, MAX_USERS } from '../../domain/site-settings/settings-schema.ts'
import { usualSiteSettings } from '../../domain/site-settings/usual-settings.ts'
import { invalid, notFound } from '../../errors.ts'
import type {
  HotlinkProtection,
  Maintenance,
  RateLimits,
  SiteSettings,
} from '../../ports/host/site-settings.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import { DOMAIN_NOT_FOUND, planOf } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { RewriteSite } from './rewrite-site.ts'

/** A protected path as somebody asks for it; who has no new password keeps the one he has there. */
export interface ProtectedPathChange {
  path: string
  realm: string
  users: { name: string; password?: string | undefined }[]
}

/** Somebody who may see a protected path. */
export interface SiteLogin {
  path: string
  /** What the browser says it is asking for; default: what it says already. */
  realm?: string | undefined
  name: string
  password: string
}

/**
 * Backends as somebody may set them who is no administrator, or who wrote them down where everybody
 * could: those that are internal only where they are there already.
 */
const allowedBackends = (
  before: SiteSettings['backends'],
  wanted: SiteSettings['backends'],
): SiteSettings['backends'] => {
  const known = new Set(before.map((one) => JSON.stringify(tidyBackend(one))))
  return wanted.filter((one) => !one.internal || known.has(JSON.stringify(tidyBackend(one))))
}

/** What of a site's settings changes; absent stays, lists replace what was there. */
export type SiteSettingsChange = {
  [
    Key in
      | 'www'
      | 'redirects'
      | 'headers'
      | 'error_pages'
      | 'index'
      | 'listing'
      | 'allow'
      | 'deny'
      | 'folders'
  ]?: SiteSettings[Key]
} & {
  maintenance?: Partial<Maintenance>
  hotlink?: Partial<HotlinkProtection>
  rate_limits?: Partial<RateLimits>
  protected?: ProtectedPathChange[]
  /** By name; null goes back to the server's. */
  php?: Record<string, string | null>
}

/** What sites do before their own rules, files and scripts have a say. Rejects with 404 for a domain that is not there. */
export interface SiteSettingsService {
  get(domainId: number): Promise<SiteSettings>
  /** Served so when it resolves, without a page from before. 400 bad value, 409 an alias, or the account is not active. */
  change(domainId: number, change: SiteSettingsChange): Promise<SiteSettings>
  /** Lets somebody in at a path, which asks for a password from then on, or gives him another one. */
  putLogin(domainId: number, login: SiteLogin): Promise<SiteSettings>
  /** Lets him in no more; a path that nobody may see is open again. 404 where he has no password. */
  removeLogin(domainId: number, login: Pick<SiteLogin, 'path' | 'name'>): Promise<SiteSettings>
  /** All of them at once, hashes of passwords included; see `allowedBackends` for backends that are internal. */
  replace(domainId: number, settings: SiteSettings): Promise<void>
}

/** Hashing is costly by design, and the panel is there for all. */
const MAX_NEW_PASSWORDS = 20

type Deps = Pick<ServiceDeps, 'store' | 'passwords'> & { rewrite: RewriteSite }

export const createSiteSettings = (deps: Deps): SiteSettingsService => {
  const { store, passwords, rewrite } = deps

  const domainOf = async (id: number) => {
    const domain = await store.domainById(id)
    if (domain === null) throw notFound(DOMAIN_NOT_FOUND)
    return domain
  }

  /** New passwords hashed, kept ones as they were; 400 for somebody who has none. */
  const protectedPaths = async (
    before: SiteSettings['protected'],
    wanted: readonly ProtectedPathChange[],
  ): Promise<SiteSettings['protected']> => {
    const fresh = wanted.flatMap(({ users }) => users).filter((user) => user.password !== undefined)
    if (fresh.length > MAX_NEW_PASSWORDS)
      throw invalid(
        'protected',
        `protected must set at most ${MAX_NEW_PASSWORDS} passwords at once. Set the others with a further change.`,
      )
    const made: SiteSettings['protected'] = []
    for (const { path, realm, users } of wanted) {
      const known = before.find((one) => one.path === path)?.users ?? []
      const kept: SiteSettings['protected'][number]['users'] = []
      for (const { name, password } of users) {
        const old = known.find((one) => one.name === name)
        if (password === undefined && old === undefined)
          throw invalid('protected', `protected: ${name} needs a password for ${path}.`)
        const hash = password === undefined ? null : await passwords.siteHash(password)
        kept.push({ name, hash: hash ?? old?.hash ?? '' })
      }
      made.push({ path, realm, users: kept })
    }
    return made
  }

  /** 400 where a script might use more memory than the account's plan allows. */
  const changedPhp = async (
    before: SiteSettings['php'],
    change: Record<string, string | null>,
    account: AccountRow,
  ): Promise<SiteSettings['php']> => {
    const kept = Object.entries({ ...before, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    )
    const after = Object.fromEntries(kept)
    const { memory_limit_mb: most } = await planOf(store, account)
    if ((phpSizeBytes(change['memory_limit'] ?? '') ?? 0) > most * 2 ** 20)
      throw invalid(
        'php.memory_limit',
        `memory_limit must be at most ${most}M, which is what the plan of the account allows.`,
      )
    return after
  }

  return {
    async get(id) {
      await domainOf(id)
      return (await store.siteSettings(id)) ?? usualSiteSettings()
    },
    change: (id, { maintenance, hotlink, rate_limits, protected: paths, php, ...change }) =>
      rewrite(id, async (before, account) => ({
        ...before,
        ...change,
        php: php === undefined ? before.php : await changedPhp(before.php, php, account),
        maintenance: { ...before.maintenance, ...maintenance },
        hotlink: { ...before.hotlink, ...hotlink },
        rate_limits: { ...before.rate_limits, ...rate_limits },
        protected:
          paths === undefined ? before.protected : await protectedPaths(before.protected, paths),
      })),
    putLogin: (id, { path, realm, name, password }) =>
      rewrite(id, async (before) => {
        const hash = await passwords.siteHash(password)
        const known = before.protected.find((one) => one.path === path)
        const others = (known?.users ?? []).filter((user) => user.name !== name)
        if (others.length >= MAX_USERS)
          throw invalid('name', `name: ${path} has ${MAX_USERS} users, which is the most.`)
        const changed = {
          path,
          realm: realm ?? known?.realm ?? 'Protected',
          users: [...others, { name, hash }],
        }
        const rest = before.protected.filter((one) => one.path !== path)
        if (rest.length >= MAX_PATHS)
          throw invalid('path', `path: ${MAX_PATHS} paths are protected, which is the most.`)
        return { ...before, protected: [...rest, changed] }
      }),
    removeLogin: (id, { path, name }) =>
      rewrite(id, (before) => {
        const known = before.protected.find((one) => one.path === path)
        if (known?.users.some((user) => user.name === name) !== true)
          throw notFound(`${name} has no password for ${path}.`)
        const users = known.users.filter((user) => user.name !== name)
        const rest = before.protected.filter((one) => one.path !== path)
        return { ...before, protected: users.length === 0 ? rest : [...rest, { ...known, users }] }
      }),
    async replace(id, settings) {
      await rewrite(id, (before) => ({
        ...settings,
        backends: allowedBackends(before.backends, settings.backends),
      }))
    },
  }
}
