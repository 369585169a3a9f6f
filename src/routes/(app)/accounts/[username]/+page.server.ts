import { error } from '@sveltejs/kit'
import type {
  Account,
  AccountLimits,
  AccountUse,
  ApiResult,
  AuditEntry,
  Backup,
  Database,
  DnsAccess,
  Domain,
  Invitation,
  ListedSshKey,
  Member,
  PhpSettings,
  SftpAccess,
  SftpLogin,
  SftpUser,
} from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import { readGlance } from '$lib/server/read-glance'
import { managesAccounts } from '$lib/state/manages'
import type { PageServerLoad } from './$types'

/** Rows of each card; the lists have the rest. */
const SHOWN = 5
const EVENTS = 8

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  const { me } = await event.parent()
  const { username } = event.params
  const found = await readApi<Account[]>(
    event,
    `/api/accounts?username=${encodeURIComponent(username)}`,
  )
  if (!found.ok) return { account: found, details: null }
  const [account] = found.data
  if (account === undefined) error(404, 'Page not found')
  const { id } = account
  const [limits, use, domains, databases, backups, php, sftp, keys, logins, users, zones, events] =
    await Promise.all([
      readApi<AccountLimits>(event, `/api/accounts/${id}/limits`),
      readApi<AccountUse>(event, `/api/accounts/${id}/use`),
      readGlance<Domain>(event, `/api/domains/account/${id}?sort=domain_name&per_page=${SHOWN}`),
      readGlance<Database>(event, `/api/databases/${id}?sort=database&per_page=${SHOWN}`),
      readGlance<Backup>(event, `/api/backups/accounts/${id}?per_page=${SHOWN}`),
      readApi<PhpSettings>(event, `/api/php/config/${id}`),
      readApi<SftpAccess>(event, `/api/sftp/${id}`),
      readApi<ListedSshKey[]>(event, `/api/ssh-keys/${id}`),
      readApi<SftpLogin[]>(event, `/api/sftp-logins/${id}?per_page=${SHOWN}`),
      readApi<SftpUser[]>(event, `/api/sftp-users/${id}`),
      readApi<DnsAccess[]>(event, `/api/dns-access/${id}`),
      managesAccounts(me.role)
        ? readApi<AuditEntry[]>(event, `/api/audit?account_id=${id}&per_page=${EVENTS}`)
        : null,
    ])
  // Who is in the account is its owners' to see.
  const [people, invitations] =
    managesAccounts(me.role) || me.member === 'owner'
      ? await Promise.all([
          readApi<Member[]>(event, `/api/accounts/${id}/people`),
          readApi<Invitation[]>(event, `/api/accounts/${id}/invitations`),
        ])
      : [null, null]
  const own: ApiResult<Account> = { ok: true, data: account }
  return {
    account: own,
    details: {
      limits,
      use,
      domains,
      databases,
      backups,
      php,
      sftp,
      keys,
      logins,
      users,
      zones,
      events,
      people,
      invitations,
    },
  }
}
