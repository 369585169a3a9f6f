import type { Account, UpdatedWordpress, Wordpress } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { siteName } from './site-name'

/** Updates the core of a WordPress as a job; resolves when it has ended. */
export const update = async (
  { id }: Account,
  wordpress: Wordpress,
  ondone: () => Promise<unknown>,
): Promise<void> => {
  const t = texts.wordpress.update
  const begun = await jobs.start<UpdatedWordpress>(`/api/wordpress/${id}/update`, {
    path: wordpress.path,
  })
  if (!begun.ok) return toasts.bad(begun.error)
  toasts.ok(t.begun(siteName(wordpress)))
  const result = await begun.data.outcome
  await ondone()
  if (result.ok) toasts.ok(t.done(siteName(wordpress), result.data.to))
  else toasts.bad(result.error)
}
