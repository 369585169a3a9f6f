import { axios, Client, crypto } from 'acme-client'
import type { Authorization, Order } from 'acme-client'
import { z } from 'zod'
import { invalid, isAppError } from '#handlers/errors.ts'
import type { SkippedName } from '#handlers/ports/host/certificates.ts'
import type { AcmeAuthority } from './acme-authorities.ts'
import type { ChallengePublisher } from './challenge-publisher.ts'
import type { DnsPublisher } from './dns/dns-publisher.ts'
import type { DnsService } from './dns/dns-service.ts'
import { renewalInfoOf } from './renewal-info.ts'

export interface AcmeOrder {
  /** First of `names`; without it there is no order. */
  domain: string
  names: readonly string[]
  /** URL of the authority's directory. */
  directory: string
  /** What the authority knows its customer by; null: it does not ask. */
  binding: AcmeAuthority['binding']
  accountKey: string
  email: string
  challenges: ChallengePublisher
  /** Null: every name is proved by HTTP. */
  dns: DnsProofs | null
  /** The certificate that is renewed, as its authority knows it (`certificateId`); null: none. */
  replaces: string | null
}

/** Names that are proved by DNS, and how. */
export interface DnsProofs {
  names: readonly string[]
  records: DnsPublisher
  refusal: DnsService['refusal']
}

export interface ObtainedPair {
  /** PEM, with its chain. */
  certificate: string
  key: string
  /** Names that the authority could not reach. */
  left_out: SkippedName[]
}

/** Ever longer pauses between two questions how far it is. */
export const BACKOFF = { backoffAttempts: 25, backoffMin: 200, backoffMax: 4000 }
const MAX_DETAIL = 500

/** What the authority said, as one line. */
export const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL)

/** Proves one name; null when that succeeded. */
const prove = async (
  client: Client,
  authorization: Authorization,
  { challenges, dns }: Pick<AcmeOrder, 'challenges' | 'dns'>,
): Promise<SkippedName | null> => {
  const { wildcard, identifier, status } = authorization
  const name = wildcard === true ? `*.${identifier.value}` : identifier.value
  if (status === 'valid') return null
  const records = dns !== null && dns.names.includes(name) ? dns.records : null
  const wanted = records === null ? 'http-01' : 'dns-01'
  const challenge = authorization.challenges.find(({ type }) => type === wanted)
  if (challenge === undefined)
    return { name, reason: `The certificate authority offers no proof by ${wanted}.` }
  const answer = await client.getChallengeKeyAuthorization(challenge)
  if (records === null) await challenges.publish(challenge.token, answer)
  else {
    const reason = await records.publish(name, answer)
    if (reason !== null) return { name, reason }
  }
  try {
    await client.completeChallenge(challenge)
    await client.waitForValidStatus(challenge)
    return null
  } catch (error) {
    if (isAppError(error)) throw error
    return { name, reason: `The certificate authority says: ${detailOf(error)}` }
  }
}

/**
 * Names the certificate that is renewed, for which authorities waive their limits (RFC 9773, 5). One
 * that does not know it, or replaced it already, is asked without.
 */
const createOrder = async (
  client: Client,
  names: readonly string[],
  replaces: string | null,
): Promise<Order> => {
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  if (replaces === null) return client.createOrder({ identifiers })
  const renewal: Parameters<Client['createOrder']>[0] & { replaces: string } = {
    identifiers,
    replaces,
  }
  return client.createOrder(renewal).catch((error: unknown) => {
    if (isAppError(error)) throw error
    return client.createOrder({ identifiers })
  })
}

const tryOrder = async (
  client: Client,
  names: readonly string[],
  proofs: Pick<AcmeOrder, 'challenges' | 'dns' | 'replaces'>,
): Promise<Omit<ObtainedPair, 'left_out'> | SkippedName[]> => {
  const order = await createOrder(client, names, proofs.replaces)
  const authorizations = await client.getAuthorizations(order)
  const outcomes = await Promise.all(
    authorizations.map((authorization) => prove(client, authorization, proofs)),
  )
  const failures = outcomes.filter((outcome) => outcome !== null)
  if (failures.length > 0) return failures
  const key = await crypto.createPrivateEcdsaKey('P-256')
  const [, request] = await crypto.createCsr({ altNames: [...names] }, key)
  const finalized = await client.finalizeOrder(order, request)
  return { certificate: await client.getCertificate(finalized), key: key.toString() }
}

const directorySchema = z.object({
  meta: z.object({ caaIdentities: z.array(z.string().toLowerCase()).optional() }).optional(),
})

/** Names that are kept from the authority by their DNS; asked where the DNS is at hand anyway. */
export const keptAway = async (
  directory: string,
  names: readonly string[],
  refusal: DnsProofs['refusal'],
): Promise<SkippedName[]> => {
  const { data } = await axios.get<unknown>(directory)
  const identities = directorySchema.safeParse(data).data?.meta?.caaIdentities ?? null
  const reasons = await Promise.all(names.map((name) => refusal(name, identities)))
  return names.flatMap((name, at) => {
    const reason = reasons[at] ?? null
    return reason === null ? [] : [{ name, reason }]
  })
}

/**
 * Orders a certificate (RFC 8555, 7). Names beside `domain` that fail are left
 * out of a second order. 400 with the authority's reason when `domain` fails or
 * it refuses; to be run inside `converse`.
 */
export const orderCertificate = async (input: AcmeOrder): Promise<ObtainedPair> => {
  const { domain, directory, binding, accountKey, email, dns } = input
  const tellsOfRenewals = input.replaces !== null && (await renewalInfoOf(directory)) !== null
  const asked = { ...input, replaces: tellsOfRenewals ? input.replaces : null }
  const client = new Client({
    ...{ directoryUrl: directory, accountKey, ...BACKOFF },
    ...(binding === null ? {} : { externalAccountBinding: binding }),
  })
  const left_out: SkippedName[] = []
  const leaveOut = (lost: readonly SkippedName[]): void => {
    const own = lost.find(({ name }) => name === domain)
    if (own !== undefined) throw invalid('domain', `${domain} could not be proved. ${own.reason}`)
    left_out.push(...lost)
  }
  try {
    if (dns !== null) leaveOut(await keptAway(directory, input.names, dns.refusal))
    // With a known key this answers the account that there is.
    await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] })
    for (;;) {
      const names = input.names.filter((name) => !left_out.some((one) => one.name === name))
      const outcome = await tryOrder(client, names, asked)
      if (!Array.isArray(outcome)) return { ...outcome, left_out }
      leaveOut(outcome)
    }
  } catch (error) {
    if (isAppError(error)) throw error
    throw invalid(
      'domain',
      `The certificate authority refused the order for ${domain}: ${detailOf(error)}`,
    )
  }
}
