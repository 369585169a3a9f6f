/** A record of type CAA as resolvers tell it: its tag is the name of a field. */
export type CaaRecord = Readonly<Record<string, unknown>> & { critical?: number }

const KNOWN = new Set(['critical', 'issue', 'issuewild', 'iodef', 'contactemail', 'contactphone'])
const CRITICAL = 128

/** The authority that a value names, without its parameters; empty: nobody. */
const authorityOf = (value: string): string => (value.split(';', 1)[0] ?? '').trim().toLowerCase()

/**
 * Why the records of a name keep an authority from it (RFC 8659, 4); null when they do not.
 * `identities`: names that the authority goes by; null where it does not tell them, and then
 * only what keeps everybody away is known to.
 */
export const caaRefusal = (
  records: readonly CaaRecord[],
  wildcard: boolean,
  identities: readonly string[] | null,
): string | null => {
  const strange = records.some(
    (record) =>
      ((record.critical ?? 0) & CRITICAL) !== 0 &&
      Object.keys(record).some((tag) => !KNOWN.has(tag)),
  )
  if (strange) return 'a critical CAA record of a kind that is not known'
  const valuesOf = (tag: string): string[] =>
    records.flatMap((record) => {
      const value = record[tag]
      return typeof value === 'string' ? [authorityOf(value)] : []
    })
  const wild = wildcard ? valuesOf('issuewild') : []
  const allowed = wild.length > 0 ? wild : valuesOf('issue')
  if (allowed.length === 0) return null
  const named = allowed.filter((one) => one !== '')
  if (named.length === 0) return 'a CAA record that forbids every certificate authority'
  if (identities === null || named.some((one) => identities.includes(one))) return null
  return `CAA records that allow only ${named.join(', ')}`
}
