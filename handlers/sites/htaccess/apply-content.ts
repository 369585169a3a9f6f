import { splitTrimmed } from '../../../edge-cache/index.ts'
import type { Settings } from './files/settings.ts'

/** Extensions of a name, lower case, the last one last. */
const extensionsOf = (name: string): string[] =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .split('.')
    .slice(1)

const last = (map: ReadonlyMap<string, string>, extensions: readonly string[]): string | null => {
  const found = extensions.findLast((extension) => map.has(extension))
  return found === undefined ? null : (map.get(found) ?? null)
}

/** Type, charset, coding and language that rules give a file. */
export const applyFileType = (
  settings: Settings,
  name: string,
  headers: Headers,
  forced: string | null,
): void => {
  const extensions = extensionsOf(name)
  const own = forced ?? settings.forcedType ?? last(settings.types, extensions)
  const [before = '', ownCharset = ''] = splitTrimmed(headers.get('content-type') ?? '', ';')
  // The same type with our charset stays, and what is shown as text keeps the file's.
  if (own !== null && own.toLowerCase() !== before) {
    const isText = ownCharset !== '' && /^text\/(?:html|plain)$/i.test(own)
    headers.set('content-type', isText ? `${own}; ${ownCharset}` : own)
  }
  const charset = last(settings.charsets, extensions) ?? settings.defaultCharset
  const type = headers.get('content-type') ?? ''
  const [media = ''] = type.split(';')
  const named = /;\s*charset=/i.test(own ?? '')
  const textual = /^text\/(?:html|plain)$/i.test(media.trim())
  if (charset !== null && !named && (textual || last(settings.charsets, extensions) !== null)) {
    headers.set('content-type', `${media.trim()}; charset=${charset}`)
  }
  const coding = last(settings.encodings, extensions)
  if (coding !== null) {
    headers.set('content-encoding', coding.replace(/^x-/, ''))
  }
  const language = last(settings.languages, extensions)
  if (language !== null) headers.set('content-language', language)
  if (!settings.etag) headers.delete('etag')
}

/** `Expires` and `max-age` of mod_expires, where the response has neither a time of its own nor failed. */
export const applyExpiry = (settings: Settings, headers: Headers, nowMs: number): void => {
  if (!settings.expiresActive || headers.has('expires')) return
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const major = `${type.split('/')[0]}/*`
  const rule = settings.expires.get(type) ?? settings.expires.get(major) ?? settings.expiresDefault
  if (!rule) return
  const modified = Date.parse(headers.get('last-modified') ?? '')
  if (rule.base === 'modification' && Number.isNaN(modified)) return
  const baseMs = rule.base === 'modification' ? modified : nowMs
  const untilMs = baseMs + rule.secs * 1000
  const maxAge = Math.max(0, Math.floor((untilMs - nowMs) / 1000))
  headers.set('expires', new Date(untilMs).toUTCString())
  const control = headers.get('cache-control')
  headers.set(
    'cache-control',
    control === null ? `max-age=${maxAge}` : `${control}, max-age=${maxAge}`,
  )
}
