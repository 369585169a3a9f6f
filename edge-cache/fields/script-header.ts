/**
 * Header by which the server names the script file that made a response,
 * percent-encoded. It never reaches the client, and never comes from an origin.
 */
export const SCRIPT_HEADER = 'berth-script'

/** The script file that made a page, as it was then. */
export interface ScriptVersion {
  /** Absolute path. */
  file: string
  /** Differs where the file does; empty where it cannot be told which edition made the page. */
  version: string
}

/** How long a page may be served before its script is looked at again. */
export const SCRIPT_CHECK_MS = 5000

/** PHP itself looks at a file every two seconds only, so that soon after a change either edition may have run. */
export const SCRIPT_SETTLED_MS = 3000

/** Tag of all pages that a script made; apart from the blank no tag of an origin can be it. */
export const scriptTag = (file: string): string => `script: ${file}`

/**
 * Absolute path of the script that a response names; null where it names none, or none that
 * can be read.
 */
export const scriptOf = (headers: Headers): string | null => {
  const named = headers.get(SCRIPT_HEADER)
  try {
    return named === null ? null : decodeURIComponent(named)
  } catch {
    return null
  }
}
