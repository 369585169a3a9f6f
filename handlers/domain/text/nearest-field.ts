import { editDistance } from './edit-distance.ts'

/** Words that people take for one another, because the API itself says both of the same thing. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['target', 'location', 'destination'],
  ['what', 'scope'],
  ['password', 'passwd'],
  ['email', 'mail'],
  ['php_version', 'version'],
  ['domain', 'domain_name', 'hostname'],
  ['document_root', 'docroot', 'webroot', 'root'],
  ['retention_days', 'keep_days'],
]
const LONGEST = 64

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** One stray sign in a short word, two in a long one; of shorter ones another word is as near. */
const allowedEdits = (length: number): number => {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

const isPartOf = (part: string, whole: string): boolean =>
  part.length > 2 && (whole.startsWith(`${part}_`) || whole.endsWith(`_${part}`))

const areSynonyms = (a: string, b: string): boolean =>
  SYNONYMS.some((words) => words.includes(a) && words.includes(b))

/**
 * The known field that `name` was probably meant to be, or null: one written
 * another way (`diskQuotaMb`), mistyped (`pasword`), cut (`password` for
 * `db_password`) or called as elsewhere (`location` for `target`). A known field
 * that `isGiven` beside it was not meant by a cut name or a synonym.
 */
export const nearestField = (
  name: string,
  known: readonly string[],
  isGiven: (field: string) => boolean,
): string | null => {
  if (name.length > LONGEST) return null
  const given = plain(name)
  if (given === '') return null
  const same = known.find((field) => plain(field) === given)
  if (same !== undefined) return same
  const open = known.filter((field) => !isGiven(field))
  const synonym = open.find((field) => areSynonyms(name.toLowerCase(), field))
  if (synonym !== undefined) return synonym
  const nearest = open
    .map((field) => {
      const most = allowedEdits(Math.min(given.length, plain(field).length))
      return { field, most, count: editDistance(given, plain(field), most) }
    })
    .filter(({ most, count }) => most > 0 && count <= most)
    .sort((a, b) => a.count - b.count)[0]
  if (nearest !== undefined) return nearest.field
  const lower = name.toLowerCase()
  return open.find((field) => isPartOf(lower, field) || isPartOf(field, lower)) ?? null
}
