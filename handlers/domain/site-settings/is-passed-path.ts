import { isPathPrefix } from '../upstreams/path-prefix.ts'
import { hasControlCharacters } from '../text/control-characters.ts'

const MAX_PATH = 1024

/** Whether a text is a path of a site, decoded, as the web server compares them, without a final slash. */
export const isPassedPath = (path: string): boolean =>
  path.length <= MAX_PATH &&
  isPathPrefix(path) &&
  path.isWellFormed() &&
  !hasControlCharacters(path) &&
  (path === '/' || !path.endsWith('/'))
