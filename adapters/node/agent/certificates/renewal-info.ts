import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509'
import { axios } from 'acme-client'
import { z } from 'zod'
import type { RenewalWindow } from '#handlers/ports/host/certificates.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { isAppError } from '#handlers/errors.ts'

const base64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')

/**
 * What an authority knows a certificate by (RFC 9773, 4.1): the key that signed it and its serial
 * number. Null for one that does not name that key, as those that nobody else signed.
 */
export const certificateId = (pem: string): string | null => {
  const certificate = new X509Certificate(pem)
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (keyId === undefined) return null
  const { serialNumber: serial } = certificate
  // As DER has it: the library takes away the zero before a first byte that would be a sign.
  const encoded = parseInt(serial.slice(0, 2), 16) > 0x7f ? `00${serial}` : serial
  return `${base64url(keyId)}.${base64url(encoded)}`
}

const directorySchema = z.object({ renewalInfo: z.url({ protocol: /^https$/ }).optional() })

const MAX_YEAR_MS = Date.parse('2200-01-01T00:00:00Z')
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .refine((ms) => ms > 0 && ms < MAX_YEAR_MS)
const infoSchema = z.object({
  suggestedWindow: z.object({ start: moment, end: moment }).refine(({ start, end }) => start < end),
  explanationURL: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional()
    .catch(undefined),
})

/** What an authority says of a certificate, parsed JSON; null where it has no meaning. */
export const readRenewalInfo = (data: unknown): RenewalWindow | null => {
  const info = infoSchema.safeParse(data).data
  if (info === undefined) return null
  const { start, end } = info.suggestedWindow
  const explanation_url = info.explanationURL ?? null
  return { from: timestamp(start), until: timestamp(end), explanation_url }
}

/** Where an authority tells when to renew; null: it does not. To be run inside `converse`. */
export const renewalInfoOf = async (directory: string): Promise<string | null> => {
  const { data } = await axios.get<unknown>(directory)
  return directorySchema.safeParse(data).data?.renewalInfo ?? null
}

/**
 * When the authority of `directory` wants the certificate of this id renewed; null where it says
 * nothing, or nothing that has a meaning. 503 when it cannot be reached. Inside `converse`.
 */
export const askRenewalWindow = async (
  directory: string,
  id: string,
): Promise<RenewalWindow | null> => {
  const address = await renewalInfoOf(directory)
  if (address === null) return null
  try {
    const { data } = await axios.get<unknown>(`${address.replace(/\/$/, '')}/${id}`)
    return readRenewalInfo(data)
  } catch (error) {
    // It does not know the certificate: another authority made it.
    if (!isAppError(error)) return null
    throw error
  }
}
