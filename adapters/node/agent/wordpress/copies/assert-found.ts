import { conflict, isAppError } from '#handlers/errors.ts'
import type { OpenSite } from './site-of-copy.ts'

/** 409 where a site of a network is not found where its tables have it now. */
export const assertFound = async (
  site: Pick<OpenSite, 'siteAt'>,
  places: readonly { id: number; url: string }[],
): Promise<void> => {
  for (const { id, url } of places) {
    const found = await site.siteAt(url).catch((error: unknown) => {
      if (!isAppError(error) || error.status !== 409) throw error
      return null
    })
    if (found === id) continue
    throw conflict(
      `The network does not find its site ${id} at ${url}. Something else than its tables decides that: look into wp-content/sunrise.php and wp-config.php for names that are written out.`,
    )
  }
}
