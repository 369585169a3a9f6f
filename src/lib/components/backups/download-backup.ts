import type { Backup } from '$lib/api/types'
import { copyQuery } from './copy-query'

/** Hands a copy of a backup to the browser as a file. */
export const downloadBackup = ({ account_id, filename, location }: Backup): void => {
  const link = document.createElement('a')
  link.href = `/api/backups/accounts/${account_id}/${filename}/download${copyQuery(location)}`
  link.download = filename
  link.click()
}
