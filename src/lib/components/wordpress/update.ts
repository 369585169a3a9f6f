import type { Account, UpdatedWordpress, Wordpress } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { siteName } from './site-name'

/** Begins to update the core of a WordPress as a job; what comes of it is told when it has ended. */
export const beginUpdate = async (
  { id }: Account,
  wordpress: Wordpress,
  version: string | null,
  ondone: () => Promise<unknown>,
) => {
  const t = texts.wordpress.update
  const begun = await jobs.start<UpdatedWordpress>(`/api/wordpress/${id}/update`, {
    path: wordpress.path,
    ...(version === null ? {} : { version }),
  })
  if (!begun.ok) return begun
  toasts.ok(t.begun(siteName(wordpress)))
  const tell = async (): Promise<void> => {
    const result = await begun.data.outcome
    await ondone()
    if (result.ok) toasts.ok(t.done(siteName(wordpress), result.data.to))
    else toasts.bad(result.error)
  }
  return { ...begun, ended: tell() }
}

/** Updates the core of a WordPress to the newest version; resolves when it has ended. */
export const update = async (
  account: Account,
  wordpress: Wordpress,
  ondone: () => Promise<unknown>,
): Promise<void> => {
  const begun = await beginUpdate(account, wordpress, null, ondone)
  if (!begun.ok) toasts.bad(begun.error)
  else await begun.ended
}
