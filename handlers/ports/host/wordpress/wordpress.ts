/** A plugin or theme of a WordPress. */
export interface WordpressExtension {
  /** Its folder, or its file where it has none. */
  slug: string
  name: string
  version: string | null
  /** Of a source on this host; null where none has it. */
  newest: string | null
}

/** A WordPress below a document root of an account. */
export interface FoundWordpress {
  /** Primary name of the site that shows it. */
  domain: string
  /** Of its folder, relative to the home. */
  path: string
  /** The same below the document root; empty: the document root itself. */
  directory: string
  /** Null where `version.php` tells none. */
  version: string | null
  /** Newest version that a source on this host has; null: there is no source. */
  newest: string | null
  /** Folder of the WordPress that it is a staging copy of, relative to the home; null: of none. */
  staging_of: string | null
  plugins: WordpressExtension[]
  themes: WordpressExtension[]
}

/** A version that sites can be installed from. */
export interface WordpressSource {
  version: string
  /** Languages that come with it beside English, as WordPress calls them: `de_DE`. */
  locales: string[]
  /** The language that it is given out for alone; null: for everybody, in English. */
  localised: string | null
  /** Where it comes from: an unpacked tree, or an archive, that the administrator has placed; or it was, or would be, fetched from WordPress itself. */
  source: 'folder' | 'archive' | 'official'
}

/** What is done with WordPress inside of sites, as their accounts. */
export interface WordpressPort {
  /** Those of all sites of an account. 404 unknown account. Folders are looked through to a bounded depth. */
  find(input: { username: string }): Promise<FoundWordpress[]>
  /** Newest first; several may be of one version. */
  sources(): Promise<WordpressSource[]>
}
