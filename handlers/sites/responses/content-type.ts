import { lookup } from 'mrmime'
import { MORE_TYPES } from './more-types.ts'

const TEXTUAL =
  /^text\/|^application\/(?:javascript|json|xml|manifest\+json|[\w.-]+\+(?:json|xml))$|\+xml$/

/** Without its dot, in lower case; empty where there is none. */
const endingOf = (name: string): string =>
  name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : ''

/** `Content-Type` of a file by its name; text is taken for UTF-8, unknown types are bytes. */
export const contentTypeOf = (name: string): string => {
  const type = MORE_TYPES.get(endingOf(name)) ?? lookup(name)
  if (type === undefined) return 'application/octet-stream'
  return TEXTUAL.test(type) ? `${type}; charset=utf-8` : type
}
