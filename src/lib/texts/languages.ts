/** The languages of the panel, as in `<html lang>`. */
export const LANGUAGES = ['en', 'de'] as const

export type Language = (typeof LANGUAGES)[number]

export const LANGUAGE_COOKIE = 'berth_language'

const known = (tag: string | undefined): Language | null =>
  LANGUAGES.find((language) => language === tag) ?? null

/**
 * The language of a request: the one chosen before, else the first that the
 * browser's Accept-Language names with the highest quality (RFC 9110 section
 * 12.5.4; `de-AT` is German), else English.
 */
export const chooseLanguage = (
  cookie: string | undefined,
  acceptLanguage: string | null,
): Language => {
  const chosen = known(cookie)
  if (chosen) return chosen
  const wanted = (acceptLanguage ?? '').split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const language = known(range.split('-')[0])
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const quality = weight === undefined ? 1 : Number(weight)
    return language && quality > 0 && quality <= 1 ? [{ language, quality }] : []
  })
  wanted.sort((a, b) => b.quality - a.quality)
  return wanted[0]?.language ?? 'en'
}

/** Keeps the choice for a year and shows the panel in it. */
export const applyLanguage = (language: Language): void => {
  document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=31536000; SameSite=Strict`
  location.reload()
}
