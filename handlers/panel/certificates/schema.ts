import { z } from 'zod'
import { named, timestamp } from '../frame/common-schemas.ts'

/** The certificate of a site. */
export const certificateSchema = named('Certificate', {
  domain: z.string().describe('Name of the site.'),
  source: z.enum(['acme', 'uploaded']).describe('Only acme is renewed.'),
  san: z.array(z.string()).describe('Names that it holds for.'),
  subject: z.string(),
  issuer: z.string(),
  serial: z.string().describe('Hexadecimal.'),
  issued_at: timestamp(),
  expires_at: timestamp(),
  days_remaining: z.int().describe('Negative once it has expired.'),
  status: z.enum(['valid', 'expiring_soon', 'expired']).describe('Expiring soon: in 30 days.'),
  self_signed: z
    .boolean()
    .describe('Whether nobody else vouches for it: browsers warn of it, also while it is valid.'),
  renewal_due: z.boolean().describe('Whether the next automatic renewal takes it.'),
  files: z.object({
    certificate: z.string().describe('With its chain.'),
    key: z.string(),
    chain: z.string(),
  }),
  challenge: z
    .enum(['http-01', 'dns-01'])
    .nullable()
    .describe('How its names are proved; null: by HTTP, and wildcards by DNS.'),
  last_error: z.string().nullable().describe('Why the latest attempt to replace it failed.'),
})

/** A certificate that was just obtained. */
export const issuedCertificateSchema = named('IssuedCertificate', {
  ...certificateSchema.shape,
  left_out: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe('Names of the site that it does not hold for, because they could not be proved.'),
})

/** What an automatic renewal did. */
export const renewalReportSchema = named('RenewalReport', {
  renewed: z.array(z.string()),
  skipped: z.array(z.string()).describe('Not due yet, or uploaded.'),
  errors: z.array(z.object({ domain: z.string(), error: z.string() })),
})

/** Access to a zone, by which names are proved. */
export const dnsAccessSchema = named('DnsAccess', {
  name: z.string(),
  kind: z.enum(['rfc2136']).describe('Dynamic updates, signed by a key for hmac-sha256.'),
  server: z.string(),
  zone: z.string().describe('It is used for names in it.'),
  key_name: z.string(),
  created_at: timestamp(),
})
