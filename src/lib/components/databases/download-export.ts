import type { Account, DatabaseExport } from '$lib/api/types'
import { download } from '$lib/state/download'

/** Address of an export in the API. */
export const exportPath = ({ id }: Account, { filename }: DatabaseExport): string =>
  `/api/databases/${id}/exports/${filename}`

/** Hands an export to the browser as a file. */
export const downloadExport = (account: Account, one: DatabaseExport): void =>
  download(`${exportPath(account, one)}/download`, one.filename)
