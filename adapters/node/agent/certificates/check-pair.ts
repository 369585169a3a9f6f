import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { nameFor } from '#handlers/domain/domains/wildcard-name.ts'
import { invalid } from '#handlers/errors.ts'

/** A certificate with its key and the rest of its chain, in the order that servers send. */
export interface CheckedPair {
  certificate: X509Certificate
  /** PEM texts. */
  leaf: string
  chain: string
  key: string
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
const MAX_CHAIN = 10

const parseCertificates = (pem: string): X509Certificate[] => {
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0)
    throw invalid(
      'certificate',
      'certificate holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).',
    )
  if (blocks.length > MAX_CHAIN)
    throw invalid('certificate', `certificate holds more than ${MAX_CHAIN} certificates.`)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    throw invalid('certificate', 'certificate is damaged: it cannot be read as PEM.')
  }
}

const parseKey = (pem: string): KeyObject => {
  if (pem.includes('ENCRYPTED'))
    throw invalid('private_key', 'private_key has a passphrase. Remove it, then upload again.')
  try {
    return createPrivateKey(pem)
  } catch {
    throw invalid('private_key', 'private_key is no private key in PEM form.')
  }
}

/** Intermediate certificates from the leaf upwards; a root at the end is left out, clients have it. */
const orderChain = (leaf: X509Certificate, given: X509Certificate[]): X509Certificate[] => {
  const chain: X509Certificate[] = []
  const left = given.filter(({ fingerprint256 }) => fingerprint256 !== leaf.fingerprint256)
  for (let child = leaf; left.length > 0;) {
    const at = left.findIndex((one) => child.checkIssued(one) && child.verify(one.publicKey))
    const [parent] = at < 0 ? [] : left.splice(at, 1)
    if (parent === undefined)
      throw invalid(
        'certificate',
        `certificate: "${left[0]?.subject.replaceAll('\n', ', ')}" does not belong to the chain. Send the certificates that lead from the site's to its authority, and no others.`,
      )
    if (!parent.checkIssued(parent)) chain.push(parent)
    child = parent
  }
  return chain
}

const assertInForce = ({ validFrom, validTo }: X509Certificate, nowMs: number): void => {
  if (Date.parse(validTo) <= nowMs)
    throw invalid('certificate', `certificate has expired (${validTo}).`)
  if (Date.parse(validFrom) > nowMs)
    throw invalid('certificate', `certificate is not valid before ${validFrom}.`)
}

/**
 * Checks a certificate that was brought along for `domain`: the key fits, the
 * name is covered, it is in force, and the other certificates are its chain
 * (whose order does not matter). Throws 400 naming `certificate` or `private_key`.
 */
export const checkPair = (input: {
  domain: string
  certificate: string
  key: string
  /** Null: dates are not looked at; authorities' clocks need not be ours. */
  nowMs: number | null
}): CheckedPair => {
  const [certificate, ...others] = parseCertificates(input.certificate)
  if (certificate === undefined) throw new Error('there is always a first one')
  const key = parseKey(input.key)
  if (!certificate.checkPrivateKey(key))
    throw invalid(
      'private_key',
      "private_key does not belong to the first certificate. Send the key that it was requested with, and the site's certificate first.",
    )
  if (certificate.checkHost(nameFor(input.domain), { subject: 'never' }) === undefined)
    throw invalid('certificate', `certificate does not hold for ${input.domain}.`)
  if (input.nowMs !== null) assertInForce(certificate, input.nowMs)
  const chain = orderChain(certificate, others)
  const exported = key.export({ type: 'pkcs8', format: 'pem' })
  return {
    certificate,
    leaf: certificate.toString(),
    chain: chain.map((one) => one.toString()).join(''),
    key: exported.toString(),
  }
}
