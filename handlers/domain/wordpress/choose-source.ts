import type { WordpressSource } from '../../ports/host/wordpress/wordpress.ts'

const ENGLISH = 'en_US'

/** Languages that new sites can be made in from it. */
export const localesOf = ({
  locales,
  localised,
}: Pick<WordpressSource, 'locales' | 'localised'>): string[] =>
  localised === null ? [ENGLISH, ...locales] : [localised]

/** Whether a new site of that language can be made of it. */
export const hasLocale = (
  source: Pick<WordpressSource, 'locales' | 'localised'>,
  locale: string,
): boolean => localesOf(source).includes(locale)

/** Those of a version for a new site, what is made for its language alone first. */
export const forInstall = <T extends WordpressSource>(
  sources: readonly T[],
  { version, locale }: { version: string; locale: string },
): T[] =>
  sources
    .filter((one) => one.version === version && hasLocale(one, locale))
    .sort((a, b) => Number(b.localised !== null) - Number(a.localised !== null))

/**
 * Those that a site can be brought to, or compared with: of its own language first, then those
 * for everybody, and none of another language.
 *
 * @param localised the language that the site's own files are given out for
 */
export const forSite = <T extends Pick<WordpressSource, 'localised'>>(
  sources: readonly T[],
  localised: string | null,
): T[] =>
  sources
    .filter((one) => one.localised === null || one.localised === localised)
    .sort((a, b) => Number(b.localised !== null) - Number(a.localised !== null))
