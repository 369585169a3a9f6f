import { callApi } from '$lib/api/call-api'
import type { Account, Database } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { databasePath } from './database-path'

/** Opens the web tool for a database in a window of its own, which knows nothing of this one. */
export const openTool = async (account: Account, database: Database): Promise<void> => {
  // Now, since browsers open windows at once after a click only.
  const tool = window.open('about:blank', '_blank')
  if (tool === null) return toasts.bad(texts.databases.tool.blocked)
  tool.opener = null
  const path = databasePath(account, database, 'tool')
  const result = await callApi<{ url: string }>('POST', path)
  if (result.ok) return tool.location.replace(result.data.url)
  tool.close()
  toasts.bad(result.error)
}
