import { z } from 'zod'
import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import { TARGET_LENGTHS, TARGET_PATTERNS } from '../../domain/backups/target-rules.ts'
import type { TargetSecret } from '../../ports/host/backups/targets.ts'
import type { Services } from '../../services/services.ts'
import { flag, oneOf, text } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { keptTargetSchema, serverKeySchema, targetTrialSchema } from './schema.ts'

/** A field that must look as the configuration wants it. */
const formed = (field: keyof typeof TARGET_PATTERNS, maxLength = 300) => {
  const [pattern, why] = TARGET_PATTERNS[field]
  return text(field, maxLength).regex(pattern, `${field} ${why}`)
}
const line = (field: string, maxLength: number) =>
  text(field, maxLength).regex(/^[^\0\r\n]+$/, `${field} must be one line, and not empty.`)

const settings = {
  endpoint: line('endpoint', TARGET_LENGTHS.endpoint).describe(
    'URL of the S3 service, or host or host:port of the SFTP server.',
  ),
  bucket: formed('bucket').nullable().optional().describe('S3.'),
  path: line('path', TARGET_LENGTHS.path)
    .nullable()
    .optional()
    .describe('Directory on the server (SFTP), or what keys begin with (S3).'),
  region: formed('region').nullable().optional().describe('S3. Default: us-east-1.'),
  username: formed('username').nullable().optional().describe('SFTP.'),
  access_key_id: line('access_key_id', TARGET_LENGTHS.access_key_id)
    .nullable()
    .optional()
    .describe('S3.'),
  host_key: formed('host_key')
    .nullable()
    .optional()
    .describe('SFTP: fingerprint that the server must have; host-key tells what it shows.'),
  is_default: flag('is_default')
    .optional()
    .describe('Whether copies go there when nothing else is said; no other one is it then.'),
  allow_private: flag('allow_private')
    .optional()
    .describe(
      'Whether it may lie in a private network, S3 also without TLS; never on the host itself.',
    ),
}
const secrets = {
  secret_key: line('secret_key', 1024).optional().describe('S3; kept by the host and never shown.'),
  password: line('password', 1024).optional().describe('SFTP; kept by the host and never shown.'),
  private_key: text('private_key', TARGET_LENGTHS.secret)
    .regex(/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/, 'private_key is not a key in PEM form.')
    .optional()
    .describe('SFTP, instead of a password: in PEM form, without passphrase; never shown.'),
}

const oneSecret = (body: Record<string, unknown>): boolean =>
  Object.keys(secrets).filter((name) => body[name] !== undefined).length < 2
const ONE_SECRET = 'Give one of secret_key, password and private_key.'

const createSchema = z
  .object({
    name: formed('name', 32),
    type: oneOf('type', ['s3', 'sftp']),
    ...settings,
    ...secrets,
  })
  .refine(oneSecret, ONE_SECRET)
const changeSchema = z
  .object({ ...settings, endpoint: settings.endpoint.optional(), ...secrets })
  .refine(oneSecret, ONE_SECRET)

const secretOf = (body: z.output<typeof changeSchema>): TargetSecret | null => {
  const { secret_key, password, private_key } = body
  if (secret_key !== undefined) return { kind: 'secret_key', value: secret_key }
  if (password !== undefined) return { kind: 'password', value: password }
  return private_key === undefined ? null : { kind: 'private_key', value: private_key }
}

const settingsOf = (body: z.output<typeof changeSchema>) => {
  const { secret_key: _secret, password: _password, private_key: _key, ...rest } = body
  const path = typeof rest.path === 'string' ? trimEndOf(rest.path, '/') || '/' : rest.path
  return given({ ...rest, path })
}

const params = z.object({ name: z.string().describe('Name of the target.') })
const on = routesOf('Backups')
const NOT_FOUND = 'No such target.'
const CONFIGURED = 'It stands in berth.toml and is changed there'
const FAILED = 'The target fails its test; the error says what to do. Nothing was changed.'

/** Targets that are set up here. */
export const targetRoutes = ({ targets }: Services): Route[] => [
  on.system.post('/api/backups/remote-targets', {
    summary: 'Sets up a remote target',
    description:
      'A file is written there, read back and removed before the target is kept; an S3 key that may add alone is taken too. For SFTP, host_key is needed: ask host-key what the server shows and compare it with what its operator says. Addresses of the host itself and of its link are refused.',
    body: createSchema,
    strict: true,
    data: keptTargetSchema,
    errors: {
      409: 'There is a target of that name, or berth.toml names the default target.',
      503: FAILED,
    },
    handle({ body }) {
      const { name, type, endpoint, ...rest } = settingsOf(body) as z.output<typeof createSchema>
      const none = { bucket: null, path: null, region: null, username: null }
      const off = { access_key_id: null, host_key: null, is_default: false, allow_private: false }
      return targets.create(
        { ...none, ...off, ...given(rest), name, type, endpoint },
        secretOf(body),
      )
    },
  }),
  on.system.post('/api/backups/remote-targets/host-key', {
    summary: 'Key that an SFTP server shows',
    description: 'For a person to compare, before it is given as host_key. Nobody logs in.',
    body: z.object({
      endpoint: line('endpoint', TARGET_LENGTHS.endpoint).describe('host or host:port'),
      allow_private: settings.allow_private,
    }),
    strict: true,
    data: serverKeySchema,
    errors: { 503: 'The server does not answer, or may not be asked.' },
    handle: ({ body }) => targets.serverKey(body.endpoint, body.allow_private ?? false),
  }),
  on.system.patch('/api/backups/remote-targets/:name', {
    summary: 'Changes a remote target',
    description:
      'It is tried first, as a new one is. The secret that it has stays when none is given, but for another endpoint, user, key id or host key, which need it anew.',
    params,
    body: changeSchema,
    strict: true,
    data: keptTargetSchema,
    errors: { 404: NOT_FOUND, 409: `${CONFIGURED}, or berth.toml names the default.`, 503: FAILED },
    handle: ({ params: { name }, body }) => targets.change(name, settingsOf(body), secretOf(body)),
  }),
  on.system.post('/api/backups/remote-targets/:name/test', {
    summary: 'Tries a remote target',
    description: 'Also one of berth.toml: writes a file there, reads it back and removes it.',
    params,
    data: targetTrialSchema,
    errors: { 404: NOT_FOUND, 503: 'It fails; the error says what to do.' },
    handle: ({ params: { name } }) => targets.test(name),
  }),
  on.system.delete('/api/backups/remote-targets/:name', {
    summary: 'Removes a remote target',
    description:
      'With its secret. Nothing is deleted there: a target of the same name finds it again.',
    params,
    query: z.object({
      force: oneOf('force', ['true', 'false'])
        .optional()
        .describe('true: also while copies or snapshots are known to lie there.'),
    }),
    data: z.object({ name: z.string(), deleted: z.literal(true) }),
    errors: {
      404: NOT_FOUND,
      409: `Something lies there, or schedules send backups there; or: ${CONFIGURED}.`,
    },
    async handle({ params: { name }, query }) {
      await targets.remove(name, query.force === 'true')
      return { name, deleted: true as const }
    },
  }),
]
