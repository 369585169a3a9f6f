import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { unavailable } from '#handlers/errors.ts'
import type { BackupWork } from '#handlers/ports/host/backups/backups.ts'
import type { Engine } from '../databases/engine.ts'
import type { RegisteredAccount, Registry } from '../registry/types.ts'
import type { Report } from './works/report.ts'
import { dumpDatabase } from './dump-databases.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKey, ArchiveKeys } from './records/archive-keys.ts'
import { collectRecords } from './records/collect-records.ts'
import type { SmallMember } from './records/collect-records.ts'
import type { SystemPasswords } from './records/system-passwords.ts'

/** What a backup is made of. */
export interface PartsInput {
  account: RegisteredAccount
  work: Pick<Extract<BackupWork, { kind: 'create' }>, 'record' | 'secrets'>
  registry: Pick<Registry, 'databasesOf' | 'databaseUsersOf' | 'vhostsOf'>
  keys: ArchiveKeys
  passwords: SystemPasswords
  /** Of this product, e.g. `berth 1.2.0`. */
  madeBy: string
  engines: readonly Engine[]
  /** Private to this piece of work; dumps go there. */
  directory: string
  nowMs: number
  report: Report
}

/** Everything of a backup but the home: dumps in `directory`, each verified whole, small members, and the manifest of all that. */
export const collectParts = async (
  input: PartsInput,
): Promise<{ manifest: Manifest; members: SmallMember[]; key: ArchiveKey }> => {
  const { account, directory, report } = input
  const { username } = account
  const databases = input.registry.databasesOf(username)
  const dumps: Manifest['databases'] = []
  for (const [index, row] of databases.entries()) {
    report('databases', row.database, (30 * index) / databases.length)
    const engine = input.engines.find(({ name }) => name === row.engine)
    if (!engine)
      throw unavailable(
        `There is no ${row.engine} server any more that could dump ${row.database}, so there is no backup.`,
      )
    dumps.push({
      ...(await dumpDatabase(engine, row, directory)),
      user: row.user,
      password_hash: await engine.passwordHash(row.user),
    })
  }
  const users: Manifest['database_users'] = []
  for (const { engine: name, user, grants } of input.registry.databaseUsersOf(username)) {
    const engine = input.engines.find((one) => one.name === name)
    const password_hash = (await engine?.passwordHash(user)) ?? null
    users.push({ engine: name, user, password_hash, grants })
  }
  const key = await input.keys.own()
  const { members, part } = await collectRecords({
    ...input.work,
    account,
    registry: input.registry,
    systemPasswordHash: await input.passwords.read(account),
    key,
  })
  const manifest: Manifest = {
    version: 2,
    username,
    created_at: timestamp(input.nowMs),
    made_by: input.madeBy,
    ...part,
    databases: dumps,
    database_users: users,
  }
  return { manifest, members, key }
}
