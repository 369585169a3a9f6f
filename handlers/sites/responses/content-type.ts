import { lookup } from 'mrmime'

const TEXTUAL =
  /^text\/|^application\/(?:javascript|json|xml|manifest\+json|[\w.-]+\+(?:json|xml))$|\+xml$/

/** `Content-Type` of a file by its name; text is taken for UTF-8, unknown types are bytes. */
export const contentTypeOf = (name: string): string => {
  const type = lookup(name)
  if (type === undefined) return 'application/octet-stream'
  return TEXTUAL.test(type) ? `${type}; charset=utf-8` : type
}
