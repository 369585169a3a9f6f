const MAX_LOOKED = 512
const HOST = /^https?:\/\/(?:www\.)?([a-z0-9_-][a-z0-9_.-]{0,99})(?::\d{1,5})?(?:[/?#]|$)/i

/**
 * The site that a Referer field leads from: its name alone, lower case, without `www.`
 * and port. Null where the field names none, or more than a name (a user, say).
 */
export const referrerHost = (referer: string | null): string | null => {
  if (referer === null) return null
  return HOST.exec(referer.slice(0, MAX_LOOKED))?.[1]?.toLowerCase() ?? null
}
