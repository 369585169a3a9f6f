import type {
  SnapshotResult,
  SnapshotsPort,
  SnapshotWork,
} from '../../../ports/host/backups/snapshots.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { OperationRow } from '../../../ports/store/records.ts'
import { followWork } from '../work.ts'
import type { OperationKind, Step } from '../../journal/journal.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { reconcile } from './repositories.ts'

export const SNAPSHOT_CREATE = 'snapshot.create'
export const SNAPSHOT_DELETE = 'snapshot.delete'

/** What settling needs. */
export interface SnapshotData extends Record<string, unknown> {
  account_id: number
  username: string
  location: string
  /** Of a deletion: those that are to go. */
  snapshots?: string[]
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'>

/** The repository itself says what came of a work that was broken off. */
const settling = ({ store, host, log }: Deps, operation: OperationRow): Step => ({
  name: 'reconcile',
  async run() {
    const { username, location, snapshots } = operation.data as SnapshotData
    await host.ofAccount(username).snapshots.stop({ operationId: operation.id })
    try {
      await reconcile({ store, host }, { username, location }, snapshots)
    } catch (error) {
      // Of a target that is away nothing more can be learnt now, and its failure must be told.
      log.warn('a repository was not looked at', { username, location, error: String(error) })
    }
  },
})

/** How operations on snapshots are settled; a restore is the host's own to settle. */
export const snapshotOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: SNAPSHOT_CREATE, settle: 'undo', steps: (operation) => [settling(deps, operation)] },
  { kind: SNAPSHOT_DELETE, settle: 'undo', steps: (operation) => [settling(deps, operation)] },
]

/** Has the host do a piece of work and follows it to its end; throws what it failed with. */
export const doSnapshotWork = async <Kind extends SnapshotWork['kind']>(
  snapshots: SnapshotsPort,
  work: SnapshotWork & { kind: Kind },
  report?: Report,
): Promise<Extract<SnapshotResult, { kind: Kind }>> => {
  await snapshots.start(work)
  const { operationId, kind } = work
  const result = await followWork(() => snapshots.wait({ operationId }), `a ${kind}`, report)
  if (result?.kind !== kind) throw new Error(`the host told nothing of a ${kind}`)
  return result as Extract<SnapshotResult, { kind: Kind }>
}
