import type { SftpLogin } from '$lib/api/types'
import { LOGIN_LIST } from '$lib/components/sftp/logins/login-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:sftp-logins')
  const [{ me }, offered] = await Promise.all([event.parent(), readAccounts(event)])
  // Administrators see those of all accounts until they choose one.
  const all = me.role === 'admin' && !event.url.searchParams.get('account')
  const account = all ? null : offered.chosen
  const path = account ? `/api/sftp-logins/${account.id}` : '/api/sftp-logins'
  return {
    accounts: { ...offered, chosen: account },
    account,
    logins: all || account ? await readList<SftpLogin>(event, LOGIN_LIST, path) : null,
  }
}
