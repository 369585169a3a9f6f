import type { Snapshot } from '$lib/api/types'
import { download } from '$lib/state/download'

/** Hands a file, a folder or the dump of a database of a snapshot to the browser. */
export const downloadFrom = (
  { account_id, id }: Pick<Snapshot, 'account_id' | 'id'>,
  what: { path: string } | Snapshot['databases'][number],
): void =>
  // The panel says what it is called: a folder comes as an archive.
  download(
    `/api/backups/snapshots/accounts/${account_id}/${id}/download?${new URLSearchParams(what)}`,
    '',
  )
