import { redirect } from '@sveltejs/kit'
import type { AwayHost, Me, Membership, Stats, UnreadNotifications } from '$lib/api/types'
import { entrancePath, readApi } from '$lib/server/read-api'
import type { LayoutServerLoad } from './$types'

export const load: LayoutServerLoad = async (event) => {
  event.depends('berth:stats')
  event.depends('berth:notifications')
  const me = await readApi<Me>(event, '/api/auth/me')
  if (!me.ok) redirect(303, await entrancePath(event))
  const [stats, unread, away, accounts] = await Promise.all([
    me.data.role === 'admin' ? readApi<Stats>(event, '/api/system/stats') : null,
    readApi<UnreadNotifications>(event, '/api/notifications/unread'),
    readApi<AwayHost[]>(event, '/api/away-hosts'),
    me.data.person === undefined ? null : readApi<Membership[]>(event, '/api/auth/accounts'),
  ])
  const memberships = accounts?.ok === true ? accounts.data : []
  return { me: me.data, memberships, stats, unread, away, theme: event.locals.theme }
}
