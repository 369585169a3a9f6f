import type { RestoreParts } from '../../../ports/host/backups/restore-parts.ts'
import type { AccountRow, BackedUpDatabase } from '../../../ports/store/records.ts'
import type { ServiceDeps } from '../../service-deps.ts'

/** What of a backup this machine can take. */
interface Takes {
  parts: RestoreParts
  /** How many databases are in it. */
  databases: number
  /** What it cannot, and what to do. */
  notes: string[]
}

/** What this machine lacks for an account: it is left out and told, and the rest is brought back. */
export const createLacking = async (
  { store, host }: Pick<ServiceDeps, 'store' | 'host'>,
  account: AccountRow,
): Promise<{ of(databases: readonly BackedUpDatabase[]): Takes }> => {
  const engines = (await host.of(account.host_id).databases.engines()).map(({ engine }) => engine)
  const own = await store.listDatabases(account.id)
  const { rows: domains } = await store.listDomains({ accountId: account.id })
  const installed = (await host.of(account.host_id).php.versions()).map(({ version }) => version)
  const wanted = new Set([account, ...domains].flatMap(({ php_version: one }) => one ?? []))
  const php = [...wanted]
    .filter((version) => !installed.includes(version))
    .map((version) => `PHP ${version} is not installed here: install it for its sites.`)

  return {
    of(databases) {
      const notes = [...php]
      const taken = databases.filter(({ engine, database }) => {
        const isOwn = own.some((row) => row.engine === engine && row.database_name === database)
        if (engines.includes(engine) && isOwn) return true
        notes.push(
          isOwn
            ? `The database ${database} was left out: it needs ${engine}, which is not on this host. Install it, then restore that database of the backup.`
            : `The database ${database} was left out: it is in the backup, but the account has it no more.`,
        )
        return false
      })
      for (const { engine, database_name: name } of own)
        if (!databases.some((one) => one.engine === engine && one.database === name))
          notes.push(`The database ${name} is not in the backup, and is empty.`)
      const some = taken.length === 0 ? 'none' : taken
      const chosen = taken.length === databases.length ? 'all' : some
      return {
        parts: { files: 'all', databases: chosen },
        databases: taken.length,
        notes,
      }
    },
  }
}
