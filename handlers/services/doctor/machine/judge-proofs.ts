import type { BackupRow } from '../../../ports/store/records.ts'
import type { ProofRow, SnapshotRow } from '../../../ports/store/snapshot-store.ts'
import { diagnosisOf, type Judgement } from './judgement.ts'

const WHAT = {
  check: 'could not be read back',
  trial: 'could not be restored for a test',
} as const

/** What the records say of proofs. */
export interface ProofRecords {
  /** The newest of each kind of each account and place. */
  proofs: readonly ProofRow[]
  snapshots: readonly Pick<SnapshotRow, 'account_id' | 'location' | 'created_at'>[]
  backups: readonly Pick<BackupRow, 'account_id' | 'location' | 'created_at'>[]
}

/** Backups that are still there and whose last proof failed. */
export const judgeProofs = ({ proofs, snapshots, backups }: ProofRecords): Judgement => ({
  findings: proofs
    .filter(({ ok, account_id, location, filename }) => {
      const rows = filename === null ? snapshots : backups
      return !ok && rows.some((row) => row.account_id === account_id && row.location === location)
    })
    .map(({ kind, username, location, at, error, filename }) =>
      diagnosisOf({
        kind: 'backup',
        subject: username,
        username,
        what: `has ${filename === null ? 'snapshots' : `a backup (${filename})`} at ${location} that ${WHAT[kind]} at ${at}: ${error ?? ''}`,
        fix: `Make another backup now (berth snapshots create ${username}), then try again: berth snapshots prove ${username}. What is damaged at a target may be whole in another place.`,
      }),
    ),
  skipped: [],
})
