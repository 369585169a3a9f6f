import { redirect } from '@sveltejs/kit'
import type { AccountChoices } from '$lib/api/account-choices'
import type { Me } from '$lib/api/types'
import { managesAccounts } from '$lib/state/manages'

/**
 * Leads whoever manages several accounts from a page that names none of them to the list of all,
 * rather than showing him the first one's things as if they were everybody's.
 */
export const leadToAll = async (
  event: { parent(): Promise<{ me: Me }>; url: URL },
  { total }: AccountChoices,
  all: '/files/all' | '/databases/all' | '/backups/all' | '/backups/snapshots/all',
): Promise<void> => {
  const { searchParams, search } = event.url
  if (total < 2 || searchParams.has('account')) return
  const { me } = await event.parent()
  if (managesAccounts(me.role)) redirect(303, `${all}${search}`)
}
