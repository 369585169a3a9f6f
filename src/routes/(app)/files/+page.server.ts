import type { FileEntry } from '$lib/api/types'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:files')
  const { searchParams } = event.url
  const accounts = await readAccounts(event)
  const account = accounts.chosen
  const folder = searchParams.get('path') ?? ''
  const edit = searchParams.get('edit')
  if (!account) return { accounts, account, folder, edit, entries: null }
  const query = new URLSearchParams({ account_id: String(account.id), path: folder })
  const entries = await readApi<FileEntry[]>(event, `/api/files/list?${query}`)
  return { accounts, account, folder, edit, entries }
}
