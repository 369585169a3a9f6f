import { wildcardBase } from '../domains/wildcard-name.ts'
import { invalid } from '../../errors.ts'
import type { SkippedName } from '../../ports/host/certificates.ts'
import type { ChallengeType } from '../../ports/store/column-types.ts'

/** How each name of an order is proved. */
export interface PlannedProofs {
  by_dns: string[]
  by_http: string[]
  /** Those that can be proved in no way that was asked for. */
  left_out: SkippedName[]
}

const NOT_BY_HTTP =
  'A wildcard needs a DNS challenge, and no DNS access covers its zone. Add one, or upload a certificate.'
const NOT_COVERED = 'No DNS access covers its zone. Add one, or let it be proved by HTTP.'

/** Whether a record for a name can be set; else why not, where more is known than that no access covers it. */
export type DnsCover = boolean | { reason: string }

/** How a name is to be proved: as `challenge` asks for, and with null by HTTP but for wildcards. */
const wantedFor = (name: string, challenge: ChallengeType | null): ChallengeType =>
  challenge ?? (wildcardBase(name) === null ? 'http-01' : 'dns-01')

/** Those that an order would prove by DNS. */
export const wantedByDns = (names: readonly string[], challenge: ChallengeType | null): string[] =>
  names.filter((name) => wantedFor(name, challenge) === 'dns-01')

/**
 * Plans the proofs of an order (see `wantedFor`). Throws 400 when `domain` itself cannot be proved so.
 */
export const planProofs = (
  {
    domain,
    names,
    challenge,
  }: { domain: string; names: readonly string[]; challenge: ChallengeType | null },
  coverOf: (name: string) => DnsCover,
): PlannedProofs => {
  const planned: PlannedProofs = { by_dns: [], by_http: [], left_out: [] }
  for (const name of names) {
    const wild = wildcardBase(name) !== null
    const byDns = wantedFor(name, challenge) === 'dns-01'
    const cover = byDns && coverOf(name)
    if (cover === true) planned.by_dns.push(name)
    else if (!byDns && !wild) planned.by_http.push(name)
    else if (cover !== false) planned.left_out.push({ name, reason: cover.reason })
    else planned.left_out.push({ name, reason: wild ? NOT_BY_HTTP : NOT_COVERED })
  }
  const own = planned.left_out.find(({ name }) => name === domain)
  if (own !== undefined) throw invalid('domain', `domain ${domain} cannot be proved. ${own.reason}`)
  return planned
}
