import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { confirmByName } from '../terminal/confirm.ts'
import { given } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-spec.ts'
import { NO_WAIT, runAsJob } from './frame/follow-job.ts'
import { listCommand } from './frame/list-command.ts'
import { apiPath } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'

const rowSchema = z.object({
  domain: z.string(),
  source: z.string(),
  issuer: z.string(),
  expires_at: z.string(),
  days_remaining: z.number(),
  status: z.string(),
  last_error: z.string().nullable(),
})
const issuedSchema = z.object({
  domain: z.string(),
  expires_at: z.string(),
  left_out: z.array(z.object({ name: z.string(), reason: z.string() })).default([]),
})
const renewalSchema = z.object({
  renewed: z.array(z.string()),
  skipped: z.array(z.string()),
  errors: z.array(z.object({ domain: z.string(), error: z.string() })),
})

const DOMAIN = ['<domain>', 'name of a site'] as const
const REDIRECT: readonly OptionSpec[] = [
  ['--redirect-https', 'then lead http to https'],
  ['--no-redirect-https', 'then serve http as well'],
]

const readPem = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

const showIssued = (data: unknown): void => {
  const { domain, expires_at: until, left_out: skipped } = issuedSchema.parse(data)
  console.log(`${domain} has a certificate until ${until}.`)
  for (const { name, reason } of skipped) console.error(`Without ${name}: ${reason}`)
}

const issue: CommandSpec = {
  name: 'issue',
  summary: "obtain a certificate for a site and its aliases, or for the panel's name",
  args: [DOMAIN],
  options: [
    ['--webroot <directory>', 'in the home: gets the challenge files too, for a server in front'],
    ['--force', 'do not look first whether the names lead here'],
    ...REDIRECT,
    NO_WAIT,
  ],
  examples: ['berth ssl issue shop.example --redirect-https'],
  async run({ panel, args: [domain], options, print }) {
    const body = given({
      domain,
      webroot: options.text('webroot'),
      force: options.flag('force'),
      redirect_https: options.flag('redirectHttps'),
    })
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'POST', '/api/ssl/provision', { body }, wait)
    print(data, () => (wait ? showIssued(data) : showRecord(data)))
  },
}

const renew: CommandSpec = {
  name: 'renew',
  summary: 'renew the certificate of a site now',
  args: [DOMAIN],
  options: [NO_WAIT],
  examples: ['berth ssl renew shop.example'],
  async run({ panel, args: [domain = ''], options, print }) {
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'GET', apiPath`/api/ssl/renew/${domain}`, {}, wait)
    print(data, () => (wait ? showIssued(data) : showRecord(data)))
  },
}

const renewDue: CommandSpec = {
  name: 'renew-due',
  summary: 'renew all certificates that are due; exit code 1 when one fails',
  options: [NO_WAIT],
  examples: ['berth ssl renew-due'],
  async run({ panel, options, print }) {
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'POST', '/api/ssl/auto-renew', {}, wait)
    print(data, () => {
      if (!wait) return showRecord(data)
      const { renewed, skipped, errors } = renewalSchema.parse(data)
      console.log(`${renewed.length} renewed, ${skipped.length} not due, ${errors.length} failed.`)
      for (const { domain, error } of errors) console.error(`${domain}: ${error}`)
    })
    if (wait && renewalSchema.parse(data).errors.length > 0) process.exitCode = 1
  },
}

const upload: CommandSpec = {
  name: 'upload',
  summary: 'bring along a certificate of your own',
  args: [DOMAIN],
  options: [
    ['--certificate <file>', 'PEM, may hold its chain', { required: true }],
    ['--key <file>', 'PEM of the private key', { required: true }],
    ['--chain <file>', 'PEM of intermediate certificates'],
    ...REDIRECT,
  ],
  examples: ['berth ssl upload shop.example --certificate fullchain.pem --key key.pem'],
  async run({ panel, args: [domain], options, print }) {
    const chain = options.text('chain')
    const data = await panel.call('POST', '/api/ssl/upload', {
      body: given({
        domain,
        certificate: readPem(options.text('certificate') ?? ''),
        private_key: readPem(options.text('key') ?? ''),
        chain: chain === undefined ? undefined : readPem(chain),
        redirect_https: options.flag('redirectHttps'),
      }),
    })
    print(data, () => showIssued(data))
  },
}

/** `berth ssl …`. */
export const ssl: ResourceSpec = {
  name: 'ssl',
  summary: 'certificates of sites',
  commands: [
    listCommand({
      summary: 'list the certificates',
      examples: ['berth ssl list --sort expires_at'],
      path: () => '/api/ssl/certificates',
      sortable: ['domain', 'issuer', 'issued_at', 'expires_at'],
      row: rowSchema,
      columns: [
        { title: 'DOMAIN', value: ({ domain }) => domain },
        { title: 'STATUS', value: ({ status }) => status, state: true },
        { title: 'DAYS', value: (row) => row.days_remaining, right: true },
        { title: 'UNTIL', value: (row) => row.expires_at },
        { title: 'SOURCE', value: ({ source }) => source },
        { title: 'ISSUER', value: ({ issuer }) => issuer },
        { title: 'LAST ERROR', value: (row) => row.last_error },
      ],
      empty: 'There are no certificates. Obtain one: berth ssl issue',
    }),
    {
      name: 'show',
      summary: 'show the certificate of a site',
      args: [DOMAIN],
      examples: ['berth ssl show shop.example'],
      async run({ panel, args: [domain = ''], print }) {
        const data = await panel.call('GET', apiPath`/api/ssl/certificate/${domain}`)
        print(data, () => showRecord(data))
      },
    },
    issue,
    renew,
    renewDue,
    upload,
    {
      name: 'delete',
      summary:
        'remove the certificate of a site, which then answers over https with a self-signed one',
      args: [DOMAIN],
      options: [['--yes', 'do not ask to type the name']],
      examples: ['berth ssl delete shop.example'],
      async run({ panel, args: [domain = ''], options, print }) {
        await confirmByName(`Removing the certificate of ${domain}`, domain, options.isOn('yes'))
        const data = await panel.call('DELETE', apiPath`/api/ssl/certificate/${domain}`)
        print(data, () => console.log(`${domain} has no certificate any more.`))
      },
    },
  ],
}
