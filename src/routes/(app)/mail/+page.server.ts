import type { AccountMail, Mail, MailStatus } from '$lib/api/types'
import { MAIL_LIST } from '$lib/components/mail/mail-list'
import { readAccounts } from '$lib/server/read-accounts'
import { hostOf } from '$lib/server/host-of'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:mail')
  const [{ me }, offered] = await Promise.all([event.parent(), readAccounts(event)])
  // Administrators see the messages of all accounts until they choose one.
  const admin = me.role === 'admin'
  const all = admin && !event.url.searchParams.get('account')
  const account = all ? null : offered.chosen
  const accounts = { ...offered, chosen: account }
  const path = account ? `/api/mail/${account.id}` : '/api/mail'
  const [messages, status, own] = await Promise.all([
    all || account ? readList<Mail>(event, MAIL_LIST, path) : null,
    admin ? readApi<MailStatus>(event, `/api/mail/status${hostOf(event).query}`) : null,
    account ? readApi<AccountMail>(event, `/api/mail/${account.id}/settings`) : null,
  ])
  return { accounts, account, messages, status, own }
}
