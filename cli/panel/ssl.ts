import type { z } from 'zod'
import type {
  certificateSchema,
  issuedCertificateSchema,
  renewalReportSchema,
} from '#handlers/panel/certificates/schema.ts'
import { readText } from '../read-text.ts'
import { given } from './frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { api } from './frame/panel-client.ts'

type Issued = z.output<typeof issuedCertificateSchema>
type Renewal = z.output<typeof renewalReportSchema>

const DOMAIN = ['<domain>', 'name of a site'] as const
const REDIRECT: readonly OptionSpec[] = [
  ['--redirect-https', 'then lead http to https'],
  ['--no-redirect-https', 'then serve http as well'],
]

/** Says until when a certificate is good, and which names it lacks. */
export const showIssued = (data: unknown): void => {
  const {
    domain,
    expires_at: until,
    left_out,
  } = known<Partial<Issued>>(data, 'domain', 'expires_at')
  console.log(`${domain} has a certificate until ${until}.`)
  for (const { name, reason } of left_out ?? []) console.error(`Without ${name}: ${reason}`)
}

/** `berth ssl …`. */
export const ssl: ResourceSpec = {
  name: 'ssl',
  summary: 'certificates of sites',
  commands: {
    list: listCommand<z.output<typeof certificateSchema>>({
      summary: 'list the certificates',
      examples: ['berth ssl list --sort expires_at'],
      path: '/api/ssl/certificates',
      sortable: ['domain', 'issuer', 'issued_at', 'expires_at'],
      columns: [
        ['DOMAIN', 'domain'],
        ['STATUS', 'status', 'state'],
        ['DAYS', 'days_remaining', 'right'],
        ['UNTIL', 'expires_at'],
        ['SOURCE', 'source'],
        ['ISSUER', 'issuer'],
        ['LAST ERROR', 'last_error'],
      ],
      empty: 'There are no certificates. Obtain one: berth ssl issue',
    }),
    show: {
      summary: 'show the certificate of a site',
      args: [DOMAIN],
      examples: ['berth ssl show shop.example'],
      order: ({ args: [domain] }) => ({ to: api`GET /api/ssl/certificate/${domain}` }),
    },
    panel: {
      summary: "show the panel's own name and its certificate",
      note: 'It gets one as sites do: by issue, ssl-orders begin or upload, with that name.',
      examples: ['berth ssl panel'],
      order: () => ({ to: api`GET /api/ssl/panel` }),
    },
    issue: {
      summary: "obtain a certificate for a site and its aliases, or for the panel's name",
      args: [DOMAIN],
      options: [
        [
          '--webroot <directory>',
          'in the home: gets the challenge files too, for a server in front',
        ],
        ['--force', 'do not look first whether the names lead here'],
        [
          '--challenge <type>',
          'how all names are proved; else by HTTP, and wildcards by DNS access',
          { choices: ['http-01', 'dns-01'] },
        ],
        ...REDIRECT,
      ],
      job: true,
      examples: ['berth ssl issue shop.example --redirect-https'],
      order: ({ args: [domain], options }) => ({
        to: api`POST /api/ssl/provision`,
        body: given({
          domain,
          webroot: options.text('webroot'),
          force: options.flag('force'),
          challenge_type: options.text('challenge'),
          redirect_https: options.flag('redirectHttps'),
        }),
        done: showIssued,
      }),
    },
    renew: {
      summary: 'renew the certificate of a site now',
      args: [DOMAIN],
      job: true,
      examples: ['berth ssl renew shop.example'],
      order: ({ args: [domain] }) => ({ to: api`GET /api/ssl/renew/${domain}`, done: showIssued }),
    },
    'renew-due': {
      summary: 'renew all certificates that are due; exit code 1 when one fails',
      job: true,
      examples: ['berth ssl renew-due'],
      order: () => ({
        to: api`POST /api/ssl/auto-renew`,
        done(data) {
          const { renewed, skipped, errors } = known<Renewal>(data, 'renewed', 'skipped', 'errors')
          console.log(
            `${renewed.length} renewed, ${skipped.length} not due, ${errors.length} failed.`,
          )
          for (const { domain, error } of errors) console.error(`${domain}: ${error}`)
        },
        failed: (data) => known<Renewal>(data, 'errors').errors.length > 0,
      }),
    },
    upload: {
      summary: 'bring along a certificate of your own',
      args: [DOMAIN],
      options: [
        ['--certificate <file>', 'PEM, may hold its chain', { required: true }],
        ['--key <file>', 'PEM of the private key', { required: true }],
        ['--chain <file>', 'PEM of intermediate certificates'],
        ...REDIRECT,
      ],
      examples: ['berth ssl upload shop.example --certificate fullchain.pem --key key.pem'],
      order({ args: [domain], options }) {
        const [certificate, key, chain] = ['certificate', 'key', 'chain'].map((name) => {
          const file = options.text(name)
          return file === undefined ? undefined : readText(file)
        })
        const redirect = options.flag('redirectHttps')
        return {
          to: api`POST /api/ssl/upload`,
          body: given({ domain, certificate, private_key: key, chain, redirect_https: redirect }),
          done: showIssued,
        }
      },
    },
    delete: {
      summary:
        'remove the certificate of a site, which then answers over https with a self-signed one',
      args: [DOMAIN],
      confirms: 'name',
      examples: ['berth ssl delete shop.example'],
      order: ({ args: [domain = ''] }) => ({
        to: api`DELETE /api/ssl/certificate/${domain}`,
        confirm: [`Removing the certificate of ${domain}`, domain],
        done: `${domain} has no certificate any more.`,
      }),
    },
  },
}
