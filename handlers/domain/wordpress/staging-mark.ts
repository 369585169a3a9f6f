/** Below the folder of a WordPress: it is there in staging copies. */
export const STAGING_MARK = 'wp-content/mu-plugins/berth-staging.php'

const LINE = /^ \* Staging copy of: ([A-Za-z0-9._~%-]{1,4095})$/m
const MOST_BYTES = 8192

/** Folder (relative to the home) of the WordPress that this one is a staging copy of, as its mark says; null where it says none. */
export const readStagingMark = (text: string): string | null => {
  const found = LINE.exec(text.slice(0, MOST_BYTES))?.[1]
  if (found === undefined) return null
  try {
    return decodeURIComponent(found)
  } catch {
    return null
  }
}
