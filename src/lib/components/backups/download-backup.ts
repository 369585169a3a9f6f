import type { Backup } from '$lib/api/types'
import { download } from '$lib/state/download'
import { copyQuery } from './copy-query'

/** Hands a copy of a backup to the browser as a file. */
export const downloadBackup = ({ account_id, filename, location }: Backup): void =>
  download(
    `/api/backups/accounts/${account_id}/${filename}/download${copyQuery(location)}`,
    filename,
  )
