import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { osPasswords } from '#adapters/node/agent/backups/records/system-passwords.ts'
import type { KnownTarget } from '#adapters/node/agent/backups/targets/known-target.ts'
import { createSnapshotKeys } from '#adapters/node/agent/snapshots/repository/snapshot-keys.ts'
import { createSnapshotsPort } from '#adapters/node/agent/snapshots/snapshots-port.ts'
import type { SnapshotsDeps } from '#adapters/node/agent/snapshots/snapshots-port.ts'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import type { BackupProgress } from '#handlers/ports/host/backups/backups.ts'
import type {
  SnapshotFacts,
  SnapshotResult,
  SnapshotWork,
} from '#handlers/ports/host/backups/snapshots.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createBackupFixture } from '#test/node/backups/backup-fixture.ts'

type Order = SnapshotWork extends infer W
  ? W extends SnapshotWork
    ? Omit<W, 'operationId' | 'username' | 'location'>
    : never
  : never

/** Real users, databases, backups, and snapshots over them, made by a real restic as its own user. */
export const createSnapshotFixture = async (
  options: { targets?: () => readonly KnownTarget[]; postgresql?: boolean } = {},
) => {
  const targets = options.targets ?? (() => [])
  const { backup } = await ensureIdentities()
  const host = await createBackupFixture({
    change: {
      targets,
      fetchSnapshot: (...args) => current.snapshots.fetch(...args),
    },
    ...(options.postgresql === undefined ? {} : { postgresql: options.postgresql }),
  })
  const state = path.join(host.directory, 'state')
  const keysDirectory = path.join(state, 'agent', 'snapshot-keys')
  await mkdir(path.join(state, 'agent'), { recursive: true, mode: 0o700 })
  await chmod(path.join(state, 'agent'), 0o700)
  const deps: SnapshotsDeps = {
    registry: host.registry,
    lock: host.lock,
    engines: host.engines,
    passwords: osPasswords,
    madeBy: 'berth test',
    archiveKeys: host.deps.keys,
    targets,
    log: host.deps.log,
    asRoot: true,
    user: backup,
    keys: createSnapshotKeys(keysDirectory),
    directory: path.join(state, 'snapshots'),
    cacheDirectory: path.join(state, 'snapshot-cache'),
    stateDirectory: state,
    restoreFrom: (...args) => host.backups.restoreFrom(...args),
    waitMs: 500,
    // The other tests would have the machine to themselves.
    gently: false,
  }
  const current = { snapshots: createSnapshotsPort(deps) }
  let serial = 0
  const follow = async (operationId: string): Promise<BackupProgress<SnapshotResult>> => {
    for (;;) {
      const progress = await current.snapshots.wait({ operationId })
      if (progress.state !== 'running') return progress
    }
  }
  const begin = async (user: OsUser | string, order: Order, location = 'local') => {
    const username = typeof user === 'string' ? user : user.username
    const operationId = `snapshot-${process.pid}-${(serial += 1)}`
    await current.snapshots.start({ ...order, username, location, operationId } as SnapshotWork)
    return operationId
  }
  const work = async (user: OsUser | string, order: Order, location = 'local') =>
    follow(await begin(user, order, location))
  const orderOf = (user: OsUser, scheduled = false): Order => ({
    kind: 'snapshot',
    scheduled,
    ...newRecord(user.username),
  })
  return {
    host,
    deps,
    state,
    keysDirectory,
    backupUser: backup,
    get snapshots() {
      return current.snapshots
    },
    begin,
    follow,
    work,
    orderOf,
    /** As after a restart of the agent, maybe with other parts. */
    async restart(more: Partial<SnapshotsDeps> = {}) {
      await current.snapshots.shutDown()
      current.snapshots = createSnapshotsPort({ ...deps, ...more })
      await current.snapshots.settle()
    },
    async take(user: OsUser, location = 'local', scheduled = false): Promise<SnapshotFacts> {
      const progress = await work(user, orderOf(user, scheduled), location)
      expect(progress.error).toBeNull()
      if (progress.result?.kind !== 'snapshot') throw new Error('no facts of a snapshot')
      return progress.result.snapshot
    },
    async dispose() {
      await current.snapshots.shutDown()
      await host.dispose()
    },
  }
}
export type SnapshotFixture = Awaited<ReturnType<typeof createSnapshotFixture>>
