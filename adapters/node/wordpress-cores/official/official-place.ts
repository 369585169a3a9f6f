import type { WordpressConfig } from '#handlers/domain/config/config-types.ts'
import type { OfficialPlace } from './official-cores.ts'

/** Where WordPress itself, or a mirror of it, is asked, by the section `[wordpress]`; null: nobody is. */
export const officialPlace = (
  config: WordpressConfig,
): (OfficialPlace & { languages: readonly string[] }) | null =>
  config.official
    ? {
        downloads: config.official_downloads,
        api: config.official_api,
        languages: config.official_languages,
        allowPrivate: config.official_private,
      }
    : null
