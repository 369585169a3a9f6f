import { callApi } from '$lib/api/call-api'
import type { Account, Wordpress } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'

/** Opens the administration of a WordPress in a window of its own, logged in as its first administrator. */
export const logIn = async ({ id }: Account, { path }: Wordpress): Promise<void> => {
  // Now, since browsers open windows at once after a click only.
  const site = window.open('about:blank', '_blank')
  if (site === null) return toasts.bad(texts.wordpress.login.blocked)
  site.opener = null
  const result = await callApi<{ url: string }>('POST', `/api/wordpress/${id}/login`, { path })
  if (result.ok) return site.location.replace(result.data.url)
  site.close()
  toasts.bad(result.error)
}
