import { Client, crypto } from 'acme-client'
import type { Authorization } from 'acme-client'
import { invalid, isAppError } from '#handlers/errors.ts'
import type { SkippedName } from '#handlers/ports/host/certificates.ts'
import type { ChallengePublisher } from './challenge-publisher.ts'

export interface AcmeOrder {
  /** First of `names`; without it there is no order. */
  domain: string
  names: readonly string[]
  /** URL of the authority's directory. */
  directory: string
  accountKey: string
  email: string
  challenges: ChallengePublisher
}

export interface ObtainedPair {
  /** PEM, with its chain. */
  certificate: string
  key: string
  /** Names that the authority could not reach. */
  left_out: SkippedName[]
}

/** Ever longer pauses between two questions how far it is. */
const BACKOFF = { backoffAttempts: 25, backoffMin: 200, backoffMax: 4000 }
const MAX_DETAIL = 500

/** What the authority said, as one line. */
const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL)

/** Proves one name; null when that succeeded. */
const prove = async (
  client: Client,
  authorization: Authorization,
  challenges: ChallengePublisher,
): Promise<SkippedName | null> => {
  const name = authorization.identifier.value
  if (authorization.status === 'valid') return null
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01')
  if (challenge === undefined)
    return { name, reason: 'The certificate authority offers no proof by HTTP.' }
  await challenges.publish(challenge.token, await client.getChallengeKeyAuthorization(challenge))
  try {
    await client.completeChallenge(challenge)
    await client.waitForValidStatus(challenge)
    return null
  } catch (error) {
    if (isAppError(error)) throw error
    return { name, reason: `The certificate authority says: ${detailOf(error)}` }
  }
}

const tryOrder = async (
  client: Client,
  names: readonly string[],
  challenges: ChallengePublisher,
): Promise<Omit<ObtainedPair, 'left_out'> | SkippedName[]> => {
  const order = await client.createOrder({
    identifiers: names.map((value) => ({ type: 'dns', value })),
  })
  const authorizations = await client.getAuthorizations(order)
  const outcomes = await Promise.all(
    authorizations.map((authorization) => prove(client, authorization, challenges)),
  )
  const failures = outcomes.filter((outcome) => outcome !== null)
  if (failures.length > 0) return failures
  const key = await crypto.createPrivateEcdsaKey('P-256')
  const [, request] = await crypto.createCsr({ altNames: [...names] }, key)
  const finalized = await client.finalizeOrder(order, request)
  return { certificate: await client.getCertificate(finalized), key: key.toString() }
}

/**
 * Orders a certificate (RFC 8555, 7). Names beside `domain` that fail are left
 * out of a second order. 400 with the authority's reason when `domain` fails or
 * it refuses; to be run inside `converse`.
 */
export const orderCertificate = async (input: AcmeOrder): Promise<ObtainedPair> => {
  const { domain, directory, accountKey, email, challenges } = input
  const client = new Client({ directoryUrl: directory, accountKey, ...BACKOFF })
  const left_out: SkippedName[] = []
  try {
    // With a known key this answers the account that there is.
    await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] })
    for (;;) {
      const names = input.names.filter((name) => !left_out.some((one) => one.name === name))
      const outcome = await tryOrder(client, names, challenges)
      if (!Array.isArray(outcome)) return { ...outcome, left_out }
      const own = outcome.find(({ name }) => name === domain)
      if (own !== undefined)
        throw invalid('domain', `${domain} could not be proved to lead here. ${own.reason}`)
      left_out.push(...outcome)
    }
  } catch (error) {
    if (isAppError(error)) throw error
    throw invalid(
      'domain',
      `The certificate authority refused the order for ${domain}: ${detailOf(error)}`,
    )
  }
}
