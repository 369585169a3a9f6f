import type { en } from './en/en.ts'

/** Every text of the UI; another language is another object of the same shape. */
export type Texts = typeof en

let current: (() => Texts) | null = null

/**
 * Says where the texts of the moment come from: on the server those of the
 * request under way, in the browser those of the one language that was loaded.
 */
export const provideTexts = (source: () => Texts): void => {
  current = source
}

/**
 * The texts in the user's language. Read them inside components and functions,
 * never while a module is loaded: then nobody's language is known.
 */
export const texts: Texts = new Proxy({} as Texts, {
  get(_, name: keyof Texts) {
    if (current === null) throw new Error('Texts are read before a language was chosen')
    const now = current()
    if (!(name in now)) throw new Error(`The page has no part of the texts with “${name}”`)
    return now[name]
  },
})
