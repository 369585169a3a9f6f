import type { Backup } from '$lib/api/types'

/** Hands a copy of a backup to the browser as a file. */
export const downloadBackup = ({ account_id, filename, location }: Backup): void => {
  const link = document.createElement('a')
  // Should the copy on this host be gone, one at a target serves.
  const query = location === 'local' ? '' : `?${new URLSearchParams({ location })}`
  link.href = `/api/backups/accounts/${account_id}/${filename}/download${query}`
  link.download = filename
  link.click()
}
