import { compareVersions } from '../../domain/wordpress/compare-versions.ts'
import type { FoundWordpress, WordpressExtension } from '../../ports/host/wordpress/wordpress.ts'
import type { DomainRow } from '../../ports/store/records.ts'

/** A plugin or theme as the API lists it. */
export interface WordpressExtensionView extends WordpressExtension {
  outdated: boolean
}

/** A WordPress as the API lists it. */
export interface WordpressView extends Omit<FoundWordpress, 'plugins' | 'themes'> {
  /** Where visitors find it, with a slash at its end. */
  url: string
  /** Itself. */
  outdated_core: boolean
  /** Itself, a plugin or a theme. */
  outdated: boolean
  plugins: WordpressExtensionView[]
  themes: WordpressExtensionView[]
}

const isOlder = ({ version, newest }: { version: string | null; newest: string | null }): boolean =>
  version !== null && newest !== null && compareVersions(version, newest) < 0

const extensionView = (one: WordpressExtension): WordpressExtensionView => ({
  ...one,
  outdated: isOlder(one),
})

/** Address of a folder of a site. */
export const wordpressUrl = (
  domain: string,
  directory: string,
  site: Pick<DomainRow, 'ssl_status'> | undefined,
): string => {
  const scheme = site?.ssl_status === 'active' ? 'https' : 'http'
  const path = directory.split('/').map(encodeURIComponent).join('/')
  return `${scheme}://${domain}/${path === '' ? '' : `${path}/`}`
}

/** What was found, with what follows from it. */
export const wordpressView = (
  found: FoundWordpress,
  site: Pick<DomainRow, 'ssl_status'> | undefined,
): WordpressView => {
  const plugins = found.plugins.map(extensionView)
  const themes = found.themes.map(extensionView)
  return {
    ...found,
    url: wordpressUrl(found.domain, found.directory, site),
    outdated_core: isOlder(found),
    outdated: isOlder(found) || [...plugins, ...themes].some(({ outdated }) => outdated),
    plugins,
    themes,
  }
}
