import { createHash } from 'node:crypto'
import { knownAs } from './foreign-keys.ts'
import type { ForeignKey } from './foreign-keys.ts'
import { handOn } from './hand-on.ts'
import type { NetworkMove } from './network-of-copy.ts'
import type { OpenSite } from './site-of-copy.ts'

/** Tables of a network that hold names of its sites, without prefix. */
const NAMED = ['site', 'blogs', 'signups', 'domain_mapping', 'usermeta']

/** A table that was brought, the site's of that name, and where the latter is kept. */
export type Exchanged = [fresh: string, live: string, old: string]

/** What tables of a push are called, while it is under way and until it is settled. */
export const exchangedOf = (pushId: string, tables: readonly string[]): Exchanged[] => {
  const mark = createHash('sha256').update(pushId).digest('hex').slice(0, 12)
  return tables.map((live, index) => [
    ...([`berth_n_${mark}_${index}`, live, `berth_o_${mark}_${index}`] as const),
  ])
}

/** Puts tables of a copy beside those of its site, with the site's addresses, and binds them to each other. */
export const bringTables = async (
  pushId: string,
  from: OpenSite,
  to: OpenSite,
  {
    exchanged,
    pairs,
    hosts,
    keys,
    move,
    prefix,
  }: {
    exchanged: readonly Exchanged[]
    pairs: Record<string, string>
    hosts: Record<string, string>
    keys: readonly ForeignKey[]
    /** Of a network. */
    move: NetworkMove | null
    prefix: string
  },
): Promise<void> => {
  const tables = exchanged.map(([, live]) => live)
  const names = Object.fromEntries(exchanged.map(([fresh, live]) => [live, fresh]))
  await handOn(
    (send) => from.run({ op: 'pack-tables', tables }, { send }),
    (take) => to.run({ op: 'unpack-tables', database: null, names }, { take }),
  )
  const fresh = exchanged.map(([name]) => name)
  await to.run({ op: 'replace-all', tables: fresh, pairs, hosts, hide: false })
  if (move !== null) {
    const ofNetwork = NAMED.flatMap((one) => {
      const name = names[`${prefix}${one}`]
      return name === undefined ? [] : [[one, name] as const]
    })
    await to.run({ op: 'return-network', ...move, tables: Object.fromEntries(ofNetwork) })
  }
  const bound = keys.map((key, index) => ({
    ...{ ...key, says: key.table, name: knownAs(pushId, index) },
    ...{ table: names[key.table] ?? key.table, to: names[key.to] ?? key.to },
  }))
  if (bound.length > 0) await to.run({ op: 'bind-tables', keys: bound })
}
