import { randomBytes } from 'node:crypto'
import { accessFor } from '#handlers/domain/certificates/dns-access.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import type { KeptAccess } from './access-files.ts'
import type { LookUp } from './look-up.ts'

/** The name whose zone proves a name: of a wildcard the one above it. */
export const provedName = (name: string): string => wildcardBase(name) ?? name

/** Where a name, also a wildcard, is proved (RFC 8555, 8.4). */
export const challengeName = (name: string): string => `_acme-challenge.${provedName(name)}`

/** More hops than anybody needs; resolvers of authorities give up near it. */
const MAX_HOPS = 8
/** What the DNS may name as a place; such a name goes into records and requests. */
const HOST = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/

/**
 * Whether a CNAME record is there only because the zone has one for `*`: a record that is set takes its
 * place, so the proof is where it always is.
 */
const isOfWildcard = async (
  lookUp: Pick<LookUp, 'aliasOf'>,
  first: string,
  base: string,
): Promise<boolean> => {
  const alias = await lookUp.aliasOf(first)
  if (alias === null) return false
  return alias === (await lookUp.aliasOf(`${randomBytes(8).toString('hex')}.${base}`))
}

/**
 * The name that the proof of a name is read from: that of its challenge, or where records of type
 * CNAME lead on from there. `reason`: they lead nowhere.
 */
export const followChallenge = async (
  lookUp: Pick<LookUp, 'aliasOf'>,
  name: string,
): Promise<{ record: string } | { reason: string }> => {
  const first = challengeName(name)
  const seen = [first]
  if (await isOfWildcard(lookUp, first, provedName(name))) return { record: first }
  for (let record = first; ;) {
    const next = await lookUp.aliasOf(record)
    if (next === null) return { record }
    if (seen.includes(next))
      return { reason: `The CNAME records from ${first} on lead in a circle, by ${next}.` }
    if (seen.length > MAX_HOPS)
      return { reason: `From ${first} more than ${MAX_HOPS} CNAME records lead on.` }
    if (!HOST.test(next) || !next.includes('.'))
      return { reason: `A CNAME record from ${first} on leads to what is no name of a record.` }
    seen.push(next)
    record = next
  }
}

/**
 * The record that proves a name, and the access that may set it: of those given, which are its
 * owner's, and of nobody else's. `isAway`: CNAME records lead away from its own name.
 */
export const placeChallenge = async (
  lookUp: Pick<LookUp, 'aliasOf'>,
  all: readonly KeptAccess[],
  name: string,
): Promise<{ record: string; access: KeptAccess } | { reason: string; isAway: boolean }> => {
  const end = await followChallenge(lookUp, name)
  if ('reason' in end) return { ...end, isAway: true }
  const { record } = end
  const isAway = record !== challengeName(name)
  const access = accessFor(all, isAway ? record : provedName(name))
  if (access !== null) return { record, access }
  // Registered for the name, and not led to yet.
  const waiting = all.find(({ target, zone }) => target !== null && zone === provedName(name))
  if (!isAway && waiting)
    return {
      isAway: true,
      reason: `There is no record ${challengeName(name)} CNAME ${waiting.target} yet, by which its DNS access is used. Set it where the zone of ${name} lies.`,
    }
  return {
    isAway,
    reason: isAway
      ? `${challengeName(name)} is a CNAME record to ${record}, which no DNS access covers. Add one for that zone, or remove the record.`
      : `No DNS access covers ${name}.`,
  }
}
