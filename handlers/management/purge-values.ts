import { invalid } from '../errors.ts'
import { normalizePathText } from '../sites/paths/request-path.ts'

/**
 * A path in the spelling of the cache keys: from the root, without query and dot
 * segments. Throws 400, naming `field`.
 */
export const readPurgePath = (path: string, field = 'path'): string => {
  if (!path.startsWith('/')) throw invalid(field, `${field} must begin with "/", e.g. /blog/post.`)
  if (path.length > 8192) throw invalid(field, `${field} must be at most 8192 characters.`)
  if (/[\p{Cc}?#\\]/u.test(path)) {
    throw invalid(
      field,
      `${field} must not hold a query, a fragment, a backslash or control characters: only plain paths are stored.`,
    )
  }
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw invalid(field, `${field} must not hold the segments "." and "..". Give the final path.`)
  }
  const normal = normalizePathText(path)
  if (normal === null) {
    throw invalid(
      field,
      `${field} must be what a request can ask for. Give it as the browser shows it.`,
    )
  }
  return normal
}

/** A tag as entries carry it: lower case. Throws 400, naming `field`, for what no entry can carry. */
export const readPurgeTag = (text: string, field = 'tag'): string => {
  if (text.length > 1024 || /[\s,\p{Cc}]/u.test(text)) {
    throw invalid(field, `${field} must be at most 1024 characters, without spaces.`)
  }
  return text.toLowerCase()
}
