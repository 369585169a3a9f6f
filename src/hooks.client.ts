import type { ClientInit } from '@sveltejs/kit'
import { provideTimeZone, USUAL_ZONE } from '$lib/format/time/time-zone'
import { provideTexts, type Texts } from '$lib/texts'

/** Loads the one language that the server has rendered the page in, before the page comes to life. */
export const init: ClientInit = async () => {
  const loaded: Texts =
    document.documentElement.lang === 'de'
      ? (await import('$lib/texts/de/de')).de
      : (await import('$lib/texts/en/en')).en
  provideTexts(() => loaded)
  const zone = document.documentElement.dataset.timeZone ?? USUAL_ZONE
  provideTimeZone(() => zone)
}
