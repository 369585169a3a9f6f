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

/**
 * Plans the proofs of an order: as `challenge` asks for, and with null by HTTP but for
 * wildcards. Throws 400 when `domain` itself cannot be proved so.
 */
export const planProofs = (
  {
    domain,
    names,
    challenge,
  }: { domain: string; names: readonly string[]; challenge: ChallengeType | null },
  covers: (name: string) => boolean,
): PlannedProofs => {
  const planned: PlannedProofs = { by_dns: [], by_http: [], left_out: [] }
  for (const name of names) {
    const wild = wildcardBase(name) !== null
    const wanted = challenge ?? (wild ? 'dns-01' : 'http-01')
    if (wanted === 'dns-01' && covers(name)) planned.by_dns.push(name)
    else if (wanted === 'http-01' && !wild) planned.by_http.push(name)
    else planned.left_out.push({ name, reason: wild ? NOT_BY_HTTP : NOT_COVERED })
  }
  const own = planned.left_out.find(({ name }) => name === domain)
  if (own !== undefined) throw invalid('domain', `domain ${domain} cannot be proved. ${own.reason}`)
  return planned
}
