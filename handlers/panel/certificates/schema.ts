import { z } from 'zod'
import { DNS_ACCESS_KINDS } from '../../domain/certificates/dns-access.ts'
import { named, timestamp } from '../frame/common-schemas.ts'

/** The certificate of a site. */
export const certificateSchema = named('Certificate', {
  domain: z.string().describe('Name of the site.'),
  source: z
    .enum(['acme', 'uploaded'])
    .describe('Only acme is renewed, unless it is proved by hand.'),
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
  renews_at: timestamp()
    .nullable()
    .describe(
      'When that is planned: when its authority wants it (RFC 9773), else 30 days before it expires. Null: uploaded, or proved by hand.',
    ),
  renewal_window: z
    .object({
      from: timestamp(),
      until: timestamp(),
      explanation_url: z.string().nullable().describe('A page of the authority that says why.'),
    })
    .nullable()
    .describe('What the authority said of it; null: nothing.'),
  files: z.object({
    certificate: z.string().describe('With its chain.'),
    key: z.string(),
    chain: z.string(),
  }),
  challenge: z
    .enum(['http-01', 'dns-01', 'by-hand'])
    .nullable()
    .describe(
      'How its names are proved; by-hand: by records that its owner sets, for each one anew; null: by HTTP, and wildcards by DNS.',
    ),
  last_error: z.string().nullable().describe('Why the latest attempt to replace it failed.'),
})

/** The panel's own name, for which it can have a certificate as a site has one. */
export const panelNameSchema = named('PanelName', {
  name: z
    .string()
    .nullable()
    .describe(
      'As [panel] tls has it; null: none, or the panel shows files of its own (tls_certificate).',
    ),
  certificate: certificateSchema
    .nullable()
    .describe('null: it has none yet, and shows a self-signed one.'),
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
  kind: z
    .enum(DNS_ACCESS_KINDS)
    .describe(
      'Dynamic updates, signed by a key for hmac-sha256, the API of a provider, or an acme-dns.',
    ),
  server: z.string().nullable().describe('null: a provider.'),
  zone: z
    .string()
    .describe(
      'It is used for names in it; of an acme-dns for names whose CNAME record leads there.',
    ),
  key_name: z.string().nullable().describe('null: not by dynamic updates.'),
  target: z.string().nullable().describe('Name of the record that an acme-dns has; null: none.'),
  record: z
    .object({ type: z.literal('CNAME'), name: z.string(), value: z.string() })
    .nullable()
    .describe('The record that has to be set by hand, once, where the zone lies; null: none.'),
  created_at: timestamp(),
})

/** An order that waits until its owner has set records. */
export const waitingOrderSchema = named('WaitingOrder', {
  domain: z.string().describe('Name of the site.'),
  account_id: z.number().nullable().describe("null: the panel's own name."),
  state: z
    .enum(['waiting', 'ready', 'failed', 'expired'])
    .describe(
      'ready: all records are shown; it goes on within minutes. In lists that is not looked at.',
    ),
  names: z.array(z.string()).describe('Names that it is for.'),
  left_out: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .describe('Names of the site that it is not for, because the DNS keeps the authority away.'),
  records: z
    .array(
      z.object({
        type: z.literal('TXT'),
        name: z.string(),
        value: z.string(),
        shown: z
          .boolean()
          .nullable()
          .describe('Whether all servers of the zone show it; null: not asked.'),
      }),
    )
    .describe('To be set all at once; several of one name stand beside each other.'),
  created_at: timestamp(),
  expires_at: timestamp().describe('Until then the authority keeps it.'),
  error: z.string().nullable().describe('Why nothing comes of it any more; null: it waits.'),
})
