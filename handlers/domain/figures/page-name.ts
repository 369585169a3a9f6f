/** So much of a path is looked at, and so much of it is kept. */
const MAX_LOOKED = 1024
const MAX_KEPT = 160

/** What stands for a part of a path that may name a person or open a door. */
const HIDDEN = '*'

/** A run of letters and digits with both in it, so long that a person has not typed it. */
const LONG_RUN = /[A-Za-z0-9]{20,}/g
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const LONG_NUMBER = /\d{12,}/
const ADDRESS = /@|%40/i

const isSecretRun = (run: string): boolean => /\d/.test(run) && /[A-Za-z]/.test(run)

const shown = (segment: string): string => {
  const isHidden =
    ADDRESS.test(segment) ||
    LONG_NUMBER.test(segment) ||
    UUID.test(segment) ||
    (segment.match(LONG_RUN)?.some(isSecretRun) ?? false)
  return isHidden ? HIDDEN : segment
}

const escaped = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/**
 * What a page is counted as, of a request target: its path alone, without query and path
 * parameters (`;jsessionid=...`), with a `*` in the place of each segment that looks like
 * a token, a long number or a mail address, and at most 160 characters of it, all of them
 * printable ASCII. Null for a target that is no path.
 */
export const pageName = (target: string): string | null => {
  if (!target.startsWith('/')) return null
  const end = target.slice(0, MAX_LOOKED).search(/[?#;]/)
  const path = target.slice(0, end === -1 ? MAX_LOOKED : end)
  const name = path
    .split('/')
    .map(shown)
    .join('/')
    .replace(/[^!-~]/g, escaped)
  return name.length > MAX_KEPT ? `${name.slice(0, MAX_KEPT - 3)}...` : name
}

/** Ends of names of what pages are made of, and nobody asks for by itself. */
const ASSETS = new Set(
  'css js mjs map png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot mp3 mp4 webm ogg wasm json webmanifest'.split(
    ' ',
  ),
)
const MAX_EXTENSION = 12

/** Whether a path (with or without a query) is of something that belongs to pages. */
export const isAsset = (target: string): boolean => {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const dot = path.lastIndexOf('.')
  if (dot === -1 || path.length - dot > MAX_EXTENSION) return false
  return ASSETS.has(path.slice(dot + 1).toLowerCase())
}
