import { Client, crypto, type Order } from 'acme-client'
import { invalid, isAppError } from '#handlers/errors.ts'
import type { SkippedName } from '#handlers/ports/host/certificates.ts'
import type { AcmeAuthority } from '../acme-authorities.ts'
import { BACKOFF, detailOf, keptAway, type DnsProofs } from '../acme-order.ts'
import type { KeptOrder } from './order-files.ts'

interface Customer {
  authority: AcmeAuthority
  accountKey: string
  email: string
}

/** What an authority says of an order that it took. */
export interface BegunOrder {
  url: string
  key: string
  names: string[]
  /** Texts by the name, also a wildcard, that each proves. */
  texts: { name: string; value: string }[]
  left_out: SkippedName[]
  /** As the authority says it; null: it does not. */
  expiresMs: number | null
}

const clientOf = async ({ authority, accountKey, email }: Customer): Promise<Client> => {
  const { directory, binding } = authority
  const client = new Client({
    ...{ directoryUrl: directory, accountKey, ...BACKOFF },
    ...(binding === null ? {} : { externalAccountBinding: binding }),
  })
  // With a known key this answers the account that there is.
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] })
  return client
}

const refused = (domain: string, error: unknown): Error =>
  isAppError(error)
    ? error
    : invalid(
        'domain',
        `The certificate authority refused the order for ${domain}: ${detailOf(error)}`,
      )

/** Makes an order that waits: nothing is proved yet. 400 when it is refused; to be run inside `converse`. */
export const beginOrder = async (
  input: Customer & {
    domain: string
    names: readonly string[]
    refusal: DnsProofs['refusal']
  },
): Promise<BegunOrder> => {
  const { domain, authority } = input
  try {
    const left_out = await keptAway(authority.directory, input.names, input.refusal)
    const own = left_out.find(({ name }) => name === domain)
    if (own !== undefined) throw invalid('domain', `${domain} could not be proved. ${own.reason}`)
    const names = input.names.filter((name) => !left_out.some((one) => one.name === name))
    const client = await clientOf(input)
    const identifiers = names.map((value) => ({ type: 'dns', value }))
    const order = await client.createOrder({ identifiers })
    const texts: BegunOrder['texts'] = []
    for (const { wildcard, identifier, status, challenges } of await client.getAuthorizations(
      order,
    )) {
      if (status === 'valid') continue
      const name = wildcard === true ? `*.${identifier.value}` : identifier.value
      const challenge = challenges.find(({ type }) => type === 'dns-01')
      if (challenge === undefined)
        throw invalid('domain', `The certificate authority offers no proof by DNS for ${name}.`)
      texts.push({ name, value: await client.getChallengeKeyAuthorization(challenge) })
    }
    const key = await crypto.createPrivateEcdsaKey('P-256')
    const expiresMs = Date.parse(order.expires ?? '')
    return {
      ...{ url: order.url, key: key.toString(), names, texts, left_out },
      expiresMs: Number.isNaN(expiresMs) ? null : expiresMs,
    }
  } catch (error) {
    throw refused(domain, error)
  }
}

/** An order of which nothing comes any more, and why. */
export class LostOrderError extends Error {}

const proveAll = async (client: Client, order: Order): Promise<void> => {
  const outcomes = await Promise.all(
    (await client.getAuthorizations(order)).map(async ({ status, identifier, challenges }) => {
      if (status === 'valid') return null
      const challenge = challenges.find(({ type }) => type === 'dns-01')
      try {
        if (challenge === undefined) throw new Error('It offers no proof by DNS.')
        if (challenge.status === 'pending') await client.completeChallenge(challenge)
        await client.waitForValidStatus(challenge)
        return null
      } catch (error) {
        if (isAppError(error)) throw error
        return `${identifier.value}: ${detailOf(error)}`
      }
    }),
  )
  const failures = outcomes.filter((outcome) => outcome !== null)
  if (failures.length > 0)
    throw new LostOrderError(`The certificate authority says: ${failures.join(' ')}`)
}

/**
 * Lets an order be proved, and brings what it is for; goes on where an attempt before ended. Throws
 * `LostOrderError` where nothing comes of it any more; to be run inside `converse`.
 */
export const finishOrder = async (
  kept: Pick<KeptOrder, 'url' | 'key' | 'names'>,
  customer: Customer,
): Promise<{ certificate: string; key: string }> => {
  const client = await clientOf(customer)
  // Of an order nothing but its address is needed to ask for it.
  const ask = (): Promise<Order> => client.getOrder({ url: kept.url } as Order)
  try {
    let order = await ask()
    if (order.status === 'pending') {
      await proveAll(client, order)
      order = await ask()
    }
    if (order.status === 'ready') {
      const [, request] = await crypto.createCsr({ altNames: [...kept.names] }, kept.key)
      order = await client.finalizeOrder(order, request)
    }
    if (order.status === 'invalid')
      throw new LostOrderError('The certificate authority holds the order for failed.')
    return { certificate: await client.getCertificate(order), key: kept.key }
  } catch (error) {
    if (isAppError(error) || error instanceof LostOrderError) throw error
    throw new LostOrderError(`The certificate authority says: ${detailOf(error)}`)
  }
}
