import type { Snapshot } from '$lib/api/types'

/** What of a snapshot is to be restored. */
export interface RestoreChoice {
  snapshot: Snapshot
  /** Below the home; null: the whole home. */
  paths: string[] | null
  databases: Snapshot['databases']
  /** Instead of both: the settings. */
  settings?: true
}

/** As the API takes it. */
export const restoreBody = ({ paths, databases, settings }: RestoreChoice) =>
  settings ? { what: 'settings' } : paths === null ? { what: 'all' } : { paths, databases }
