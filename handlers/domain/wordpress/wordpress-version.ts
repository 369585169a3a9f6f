const MAX_VERSION_CHARS = 32
/** So much of a file WordPress itself looks at. */
export const HEAD_BYTES = 8192

const isVersion = (text: string): boolean =>
  text.length <= MAX_VERSION_CHARS && /^[0-9][0-9A-Za-z.+_-]*$/.test(text)

/** A version as it stands in a file, or null where it is none. */
export const readVersionText = (text: string): string | null => (isVersion(text) ? text : null)

const VERSION_LINE = /(?:^|<\?php|;)\s{0,8}\$wp_version\s{0,8}=\s{0,8}['"]([^'"]{1,32})['"]/m

/** The version that `wp-includes/version.php` tells; null where it tells none. */
export const readWordpressVersion = (text: string): string | null => {
  const found = VERSION_LINE.exec(text.slice(0, HEAD_BYTES))?.[1]
  return found === undefined ? null : readVersionText(found)
}

const LOCAL_LINE =
  /(?:^|<\?php|;)\s{0,8}\$wp_local_package\s{0,8}=\s{0,8}['"]([a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z]{2,10})?)['"]/m

/** The language that a WordPress is given out for, as `wp-includes/version.php` tells it; null: for everybody, in English. */
export const readLocalPackage = (text: string): string | null =>
  LOCAL_LINE.exec(text.slice(0, HEAD_BYTES))?.[1] ?? null
