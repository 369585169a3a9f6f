import type { Account, FileEntry } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:files')
  const { searchParams } = event.url
  const accounts = await readApi<Account[]>(event, '/api/accounts')
  const list = accounts.ok ? accounts.data : []
  const wanted = Number(searchParams.get('account'))
  const account = list.find(({ id }) => id === wanted) ?? list[0] ?? null
  const folder = searchParams.get('path') ?? ''
  const edit = searchParams.get('edit')
  if (!account) return { accounts, account, folder, edit, entries: null }
  const query = new URLSearchParams({ account_id: String(account.id), path: folder })
  const entries = await readApi<FileEntry[]>(event, `/api/files/list?${query}`)
  return { accounts, account, folder, edit, entries }
}
