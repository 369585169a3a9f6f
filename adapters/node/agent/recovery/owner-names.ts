import { readFileSync } from 'node:fs'
import type { Owner } from '#handlers/domain/recovery/export-manifest.ts'
import type { Identities } from '../../process/identities.ts'

/** Numbers of this machine for the users and groups that files of the installation belong to. */
export interface OwnerNames {
  user(uid: number): Owner
  group(gid: number): Owner
  uid(owner: Owner): number
  gid(owner: Owner): number
}

const groupNamed = (name: string): number | null => {
  const row = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name)
  return row === undefined ? null : Number(row[2])
}

/**
 * `accounts`: uids (and gids) that are of hosting accounts and stay numbers. Whoever
 * else something belongs to, it comes back as root's.
 */
export const ownerNames = (who: Identities, accounts: ReadonlySet<number>): OwnerNames => {
  const crontab = groupNamed('crontab')
  const users = new Map<Owner, number | null>([
    ['root', 0],
    ['panel', who.panel?.uid ?? null],
    ['web', who.web?.uid ?? null],
  ])
  const groups = new Map<Owner, number | null>([
    ['root', 0],
    ['panel', who.panel?.gid ?? null],
    ['web', who.web?.gid ?? null],
    ['conf', who.confGid],
    ['crontab', crontab],
  ])
  const nameIn = (names: ReadonlyMap<Owner, number | null>, id: number): Owner =>
    [...names].find(([, known]) => known === id)?.[0] ?? (accounts.has(id) ? id : 'root')
  const idIn = (names: ReadonlyMap<Owner, number | null>, owner: Owner): number =>
    typeof owner === 'number' ? (accounts.has(owner) ? owner : 0) : (names.get(owner) ?? 0)
  return {
    user: (uid) => nameIn(users, uid),
    group: (gid) => nameIn(groups, gid),
    uid: (owner) => idIn(users, owner),
    gid: (owner) => idIn(groups, owner),
  }
}
