import type { SiteGuard } from '../../domain/config/config-types.ts'
import { readBlock, type AddressBlock } from '../rewrite/pattern/match-address.ts'

/** What a site's guard is made of, ready to be asked. */
export interface CompiledGuard {
  /** Whether it ever stops anybody for what the request is, not for how many there were. */
  isActive: boolean
  /** Whether it ever stops anybody who asks too often. */
  isLimited: boolean
  allow: readonly AddressBlock[]
  deny: readonly AddressBlock[]
  duringMaintenance: readonly AddressBlock[]
  /** Whom no limit of requests is for. */
  unlimited: readonly AddressBlock[]
  /** By path and user, the longest path first. */
  protected: readonly { path: string; realm: string; hashes: ReadonlyMap<string, string> }[]
  extensions: ReadonlySet<string>
  friends: readonly string[]
}

const compiled = new WeakMap<SiteGuard, CompiledGuard>()

const blocksOf = (texts: readonly string[]): AddressBlock[] =>
  texts.map(readBlock).filter((block) => block !== null)

/** Read once for each configuration. */
export const compileGuard = (guard: SiteGuard): CompiledGuard => {
  const known = compiled.get(guard)
  if (known !== undefined) return known
  const made: CompiledGuard = {
    isActive:
      guard.www !== 'both' ||
      guard.maintenance.enabled ||
      guard.hotlink.enabled ||
      [guard.redirects, guard.allow, guard.deny, guard.protected].some((list) => list.length > 0),
    isLimited: guard.rate_limits.rules.length > 0,
    allow: blocksOf(guard.allow),
    deny: blocksOf(guard.deny),
    duringMaintenance: blocksOf(guard.maintenance.allow),
    unlimited: blocksOf(guard.rate_limits.allow),
    protected: guard.protected
      .map(({ path, realm, users }) => ({
        path,
        realm,
        hashes: new Map(users.map(({ name, hash }) => [name, hash])),
      }))
      .toSorted((one, other) => other.path.length - one.path.length),
    extensions: new Set(guard.hotlink.enabled ? guard.hotlink.extensions : []),
    friends: guard.hotlink.allow,
  }
  compiled.set(guard, made)
  return made
}
