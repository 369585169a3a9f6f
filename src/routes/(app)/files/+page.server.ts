import type { Domain, FileEntry } from '$lib/api/types'
import { sitesOfFolder } from '$lib/components/cache/sites-of-folder'
import { leadToAll } from '$lib/server/lead-to-all'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:files')
  const { searchParams } = event.url
  const accounts = await readAccounts(event)
  await leadToAll(event, accounts, '/files/all')
  const account = accounts.chosen
  const folder = searchParams.get('path') ?? ''
  const edit = searchParams.get('edit')
  if (!account) return { accounts, account, folder, edit, entries: null, sites: [] }
  const query = new URLSearchParams({ account_id: String(account.id), path: folder })
  const [entries, domains] = await Promise.all([
    readApi<FileEntry[]>(event, `/api/files/list?${query}`),
    readApi<Domain[]>(event, `/api/domains/account/${account.id}`),
  ])
  // Without them there is nothing to purge, and the files are still there.
  const sites =
    domains.ok && account.home !== null ? sitesOfFolder(domains.data, account.home, folder) : []
  return { accounts, account, folder, edit, entries, sites }
}
