/** What the folders of a panel export are of. */
const PLACES = [
  'store',
  'registry',
  'agent',
  'config',
  'secrets',
  'hooks',
  'certificates',
  'cron',
  'named',
] as const

/** The first part of a member's name. */
export type Place = (typeof PLACES)[number]

/** Beside the folders: the passwords' hashes of accounts and their databases. */
export const LOGINS = 'logins.json'

const MAX_BYTES = 1024
const isPlace = (text: string): text is Place => (PLACES as readonly string[]).includes(text)

/**
 * Place and path of a member, or null for a name that no export has: absolute, with
 * empty parts, with `.` or `..`, with control characters, too long, of an unknown place.
 */
export const parseMemberName = (name: string): { place: Place; path: string } | null => {
  if (new TextEncoder().encode(name).length > MAX_BYTES) return null
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(name)) return null
  const [place = '', ...parts] = name.split('/')
  if (!isPlace(place) || parts.length === 0) return null
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null
  return { place, path: parts.join('/') }
}
