import type { Account, Backup, RemoteTarget } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:backups')
  const { me } = await event.parent()
  const [accounts, targets] = await Promise.all([
    readApi<Account[]>(event, '/api/accounts'),
    me.role === 'admin' ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
  ])
  const list = accounts.ok ? accounts.data : []
  const wanted = Number(event.url.searchParams.get('account'))
  const account = list.find(({ id }) => id === wanted) ?? list[0] ?? null
  const backups = account
    ? await readApi<Backup[]>(event, `/api/backups/accounts/${account.id}`)
    : null
  return { accounts, account, backups, targets }
}
