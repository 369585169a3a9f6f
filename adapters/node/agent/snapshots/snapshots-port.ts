import { unavailable } from '#handlers/errors.ts'
import type { SnapshotsPort } from '#handlers/ports/host/snapshots.ts'

const missing = async (): Promise<never> => {
  throw unavailable('restic is not installed. Install it: apt-get install restic')
}

/** Snapshots of accounts; see `SnapshotsPort`. */
export const createSnapshotsPort = (): SnapshotsPort => ({
  engine: async () => ({ version: null }),
  start: missing,
  wait: missing,
  stop: missing,
  list: missing,
  browse: missing,
  open: missing,
  read: missing,
  close: missing,
  destroy: missing,
})
