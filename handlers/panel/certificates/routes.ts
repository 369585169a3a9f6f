import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { flag, oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { camelCased } from '../frame/spelling.ts'
import { siteRights } from './site-rights.ts'
import {
  certificateSchema,
  issuedCertificateSchema,
  renewalReportSchema,
  panelNameSchema,
} from './schema.ts'

const domain = text('domain').describe('Name of a site, or one of its aliases.')
const redirectHttps = flag('redirect_https')
  .optional()
  .describe('Whether http then leads to https. Default: as it is, at first not.')

const provisionSchema = z.object({
  domain,
  webroot: text('webroot')
    .optional()
    .describe(
      "Absolute directory in the account's home that gets the challenge files too, e.g. where another server stands before this one. The web server answers challenges by itself.",
    ),
  force: flag('force')
    .optional()
    .describe('Orders without looking first whether the names lead here.'),
  redirect_https: redirectHttps,
  challenge_type: oneOf('challenge_type', ['http-01', 'dns-01'])
    .optional()
    .describe(
      'How all names are proved; dns-01 needs a DNS access that covers them. Default: by HTTP, and wildcards by DNS where an access covers them.',
    ),
})

const PEM_LENGTH = 100_000
const uploadSchema = z.object({
  domain,
  certificate: text('certificate', PEM_LENGTH).describe("PEM; the site's own certificate first."),
  private_key: text('private_key', PEM_LENGTH).describe('PEM, without passphrase.'),
  chain: text('chain', PEM_LENGTH).optional().describe('PEM of intermediate certificates.'),
  redirect_https: redirectHttps,
})

const params = z.object({ domain: z.string() })
const on = routesOf('SSL', { changes: 'develop' })
const NOT_FOUND = 'No such domain.'
const NO_CERTIFICATE = 'No such domain, or it has no certificate.'
const TOO_MANY_ORDERS =
  'A user of role account has ordered 20 certificates within 24 hours; Retry-After says for how many seconds.'
const UNAVAILABLE = 'The certificate authority, the web server or the host does not answer.'

/** Certificates of sites. */
export const sslRoutes = ({ certificates }: Services) => {
  const { authorizeName, countOrder, aboutName } = siteRights({ certificates })
  /** What a provision or renewal answers, as far as it is kept. */
  const issued = async (name: string) => ({ ...(await certificates.get(name)), left_out: [] })
  return [
    on.account.list('/api/ssl/certificates', {
      summary: 'Lists the certificates',
      description: 'A user of role account sees those of its own account.',
      sortable: ['domain', 'issuer', 'issued_at', 'expires_at'],
      filters: {
        status: oneOf('status', ['valid', 'expiring_soon', 'expired'])
          .optional()
          .describe('Only certificates of this status.'),
      },
      row: certificateSchema,
      rows: (list) => certificates.list(list),
    }),
    on.system.get('/api/ssl/panel', {
      summary: "The panel's own name and its certificate",
      description:
        'It gets one by the same ways as sites: by HTTP-01, by DNS-01 with DNS access of the panel, by an order that waits for records, or by upload; each takes the name as its domain.',
      data: panelNameSchema,
      errors: { 503: 'The host does not answer.' },
      handle: () => certificates.ofPanel(),
    }),
    on.account.post('/api/ssl/provision', {
      summary: 'Obtains a certificate',
      description:
        'Orders one certificate (ECDSA P-256) for the site and all of its names that lead to this server, by HTTP-01, or that a DNS access covers, by DNS-01. Then the virtual host gets it and the web server is reloaded; answers when it is served. Needs [panel] acme_email, and for HTTP-01 port 80 open to the internet.',
      body: provisionSchema,
      data: issuedCertificateSchema,
      errors: {
        404: NOT_FOUND,
        409: 'The account is not active.',
        429: TOO_MANY_ORDERS,
        503: UNAVAILABLE,
      },
      job: {
        kind: 'certificate.provision',
        about: ({ body, caller }) => aboutName(caller, body.domain),
        recover: ({ subject }) => issued(subject),
      },
      async handle({ body, caller, report }) {
        await authorizeName(caller, body.domain)
        await countOrder(caller, body.domain)
        return certificates.provision(camelCased(body), { report })
      },
    }),
    on.account.post('/api/ssl/upload', {
      summary: 'Uploads a certificate',
      description:
        'Takes the place of any certificate of the site. Checked before: the key fits, the name of the site is covered, it has not expired, and the chain is complete in itself. It is not renewed.',
      body: uploadSchema,
      data: certificateSchema,
      errors: { 404: NOT_FOUND, 409: 'The account is not active.', 503: UNAVAILABLE },
      async handle({ body, caller }) {
        await authorizeName(caller, body.domain)
        return certificates.upload({
          domain: body.domain,
          certificate: [body.certificate, body.chain ?? ''].join('\n'),
          privateKey: body.private_key,
          redirectHttps: body.redirect_https,
        })
      },
    }),
    on.system.post('/api/ssl/auto-renew', {
      summary: 'Renews all certificates that are due',
      description:
        'Those that expire within 30 days. It also happens by itself every day; a failure keeps no other certificate from its turn.',
      data: renewalReportSchema,
      errors: { 503: UNAVAILABLE },
      job: {
        kind: 'certificate.auto-renew',
        about: () => ({ subject: 'all certificates', accountId: null }),
      },
      handle: ({ report }) => certificates.autoRenew({ report }),
    }),
    on.account.get('/api/ssl/certificate/:domain', {
      summary: 'The certificate of a site',
      params,
      data: certificateSchema,
      errors: { 404: NO_CERTIFICATE, 409: 'The account is being made or deleted.' },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      handle: ({ params }) => certificates.get(params.domain),
    }),
    on.account.delete('/api/ssl/certificate/:domain', {
      summary: 'Removes the certificate of a site',
      description: 'Also ends its redirection of http to https.',
      params,
      data: z.object({ domain: z.string(), deleted: z.literal(true) }),
      errors: {
        404: NO_CERTIFICATE,
        409: 'The account is being made or deleted.',
        503: UNAVAILABLE,
      },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      async handle({ params }) {
        await certificates.remove(params.domain)
        return { domain: params.domain, deleted: true as const }
      },
    }),
    on.account.get('/api/ssl/renew/:domain', {
      changesState: true,
      summary: 'Renews the certificate of a site',
      description: 'Orders it anew as it was ordered, whether or not it is due.',
      params,
      data: issuedCertificateSchema,
      errors: {
        404: NO_CERTIFICATE,
        409: 'It was uploaded or is proved by hand, or the account is being made or deleted.',
        429: TOO_MANY_ORDERS,
        503: UNAVAILABLE,
      },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      job: {
        kind: 'certificate.renew',
        about: ({ params, caller }) => aboutName(caller, params.domain),
        recover: ({ subject }) => issued(subject),
      },
      async handle({ params, caller, report }) {
        await countOrder(caller, params.domain)
        return certificates.renew(params.domain, { report })
      },
    }),
  ]
}
