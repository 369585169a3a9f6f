import type { ClientInit } from '@sveltejs/kit'
import { provideTexts, type Texts } from '$lib/texts'

/** Loads the one language that the server has rendered the page in, before the page comes to life. */
export const init: ClientInit = async () => {
  const loaded: Texts =
    document.documentElement.lang === 'de'
      ? (await import('$lib/texts/de/de')).de
      : (await import('$lib/texts/en/en')).en
  provideTexts(() => loaded)
}
