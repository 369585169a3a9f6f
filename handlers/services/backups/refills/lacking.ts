import type { RestoreParts } from '../../../ports/host/restore-parts.ts'
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
  const engines = (await host.databases.engines()).map(({ engine }) => engine)
  const own = await store.listDatabases(account.id)
  const { rows: domains } = await store.listDomains({ accountId: account.id })
  const installed = (await host.php.versions()).map(({ version }) => version)
  const wanted = new Set([account, ...domains].flatMap(({ php_version: one }) => one ?? []))
  const php = [...wanted]
    .filter((version) => !installed.includes(version))
    .map((version) => `PHP ${version} is not installed here: install it for its sites.`)

  return {
    of(databases) {
      const notes = [...php]
      let missing = false
      for (const { engine, database } of databases) {
        const isOwn = own.some((row) => row.engine === engine && row.database_name === database)
        if (engines.includes(engine) && isOwn) continue
        missing = true
        notes.push(
          isOwn
            ? `The database ${database} needs ${engine}, which is not on this host.`
            : `The database ${database} is in the backup, but the account has it no more.`,
        )
      }
      for (const { engine, database_name: name } of own)
        if (!databases.some((one) => one.engine === engine && one.database === name))
          notes.push(`The database ${name} is not in the backup, and is empty.`)
      if (missing) notes.push('Its databases were left out: restore them when that is mended.')
      return {
        parts: { files: 'all', databases: missing ? 'none' : 'all' },
        databases: missing ? 0 : databases.length,
        notes,
      }
    },
  }
}
