import type { WordpressSource } from '$lib/api/types'
import { texts } from '$lib/texts'

const ENGLISH = 'en_US'

/** Versions to choose from, newest first, each once and with where it comes from. */
export const versionChoices = (
  sources: readonly WordpressSource[],
): { value: string; label: string }[] =>
  [...new Set(sources.map(({ version }) => version))].map((version) => {
    const from = sources.filter((one) => one.version === version)
    const places = new Set(from.map(({ source }) => texts.wordpress.sources[source]))
    return { value: version, label: `${version} (${[...places].join(', ')})` }
  })

/** Languages that new sites of a version can have. */
export const localesOf = (sources: readonly WordpressSource[], version: string): string[] => {
  const locales = sources
    .filter((one) => one.version === version)
    .flatMap(({ locales, localised }) => (localised === null ? [ENGLISH, ...locales] : [localised]))
  return [...new Set(locales)].sort((a, b) => Number(b === ENGLISH) - Number(a === ENGLISH))
}

/** Those that are newer than what a site has. The API has the last word: it knows what `-RC1` means. */
export const newerThan = (
  sources: readonly WordpressSource[],
  version: string | null,
): WordpressSource[] =>
  sources.filter(
    (one) => version === null || one.version.localeCompare(version, 'en', { numeric: true }) > 0,
  )
