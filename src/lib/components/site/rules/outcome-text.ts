import type { SiteTest } from '$lib/api/types'
import { texts } from '$lib/texts'

/** An address as people write it: the query only where there is one. */
export const addressOf = (path: string, query: string | null): string =>
  query === null || query === '' ? path : `${path}?${query}`

/** What would answer, as a sentence. */
export const outcomeText = (outcome: SiteTest['outcome']): string => {
  const t = texts.rules.outcomes
  const { kind, status, location, file, query } = outcome
  switch (kind) {
    case 'script':
      return t.script(file ?? '', query)
    case 'application':
      return t.application(query ?? '')
    case 'file':
      return t.file(status ?? 200, file ?? '')
    case 'listing':
      return t.listing
    case 'redirect':
      return t.redirect(status ?? 302, location ?? '')
    case 'status':
      return t.status(status ?? 500, file)
  }
}
