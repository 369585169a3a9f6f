import { AsyncLocalStorage } from 'node:async_hooks'
import { provideTimeZone, USUAL_ZONE } from '../format/time/time-zone.ts'
import { provideTexts, type Texts } from '../texts/index.ts'
import { de } from '../texts/de/de.ts'
import { en } from '../texts/en/en.ts'
import type { Language } from '../texts/languages.ts'

const TEXTS: Record<Language, Texts> = { en, de }

/** In which language and time zone (IANA name) whoever asked sees the panel. */
interface Shown {
  language: Language
  timeZone: string
}
const ofRequest = new AsyncLocalStorage<Shown>()
provideTexts(() => TEXTS[ofRequest.getStore()?.language ?? 'en'])
provideTimeZone(() => ofRequest.getStore()?.timeZone ?? USUAL_ZONE)

/**
 * Runs the response to one request with the texts of its language and in its time zone. Requests that
 * are answered at the same time have each their own.
 */
export const withTexts = <T>(
  language: Language,
  answer: () => T,
  timeZone: string = USUAL_ZONE,
): T => ofRequest.run({ language, timeZone }, answer)
