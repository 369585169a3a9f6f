import type { ClientInit } from '@sveltejs/kit'
import { provideTimeZone, USUAL_ZONE } from '$lib/format/time/time-zone'
import { beginTexts } from '$lib/texts/load-texts'
import { partsOf } from '$lib/texts/parts'

/** Loads the one language that the server has rendered the page in, before the page comes to life. */
export const init: ClientInit = async () => {
  const language = document.documentElement.lang === 'de' ? 'de' : 'en'
  await beginTexts(language, partsOf(location.pathname))
  const zone = document.documentElement.dataset.timeZone ?? USUAL_ZONE
  provideTimeZone(() => zone)
}
