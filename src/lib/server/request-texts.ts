import { AsyncLocalStorage } from 'node:async_hooks'
import { provideTexts, type Texts } from '../texts/index.ts'
import { de } from '../texts/de/de.ts'
import { en } from '../texts/en/en.ts'
import type { Language } from '../texts/languages.ts'

const TEXTS: Record<Language, Texts> = { en, de }
const ofRequest = new AsyncLocalStorage<Texts>()
provideTexts(() => ofRequest.getStore() ?? en)

/**
 * Runs the response to one request with the texts of its language. Requests that
 * are answered at the same time have each their own.
 */
export const withTexts = <T>(language: Language, answer: () => T): T =>
  ofRequest.run(TEXTS[language], answer)
