import { z } from 'zod'
import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import type { ConfigProblem, RemoteTargetConfig } from './config-types.ts'
import { directoryOf, resolvePath } from './paths.ts'
import { problemAt, problemsOf, type ConfigPlace } from './problems.ts'

const text = z
  .string()
  .min(1, 'must not be empty. Give it a value or remove the key.')
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line. Remove the line break.')

const REMOTE_TARGET_SCHEMA = z.strictObject({
  name: text.regex(
    /^[a-z0-9][a-z0-9-]{0,31}$/,
    'is not a name. Use up to 32 lower-case letters, digits and hyphens.',
  ),
  type: z.enum(['s3', 'sftp']),
  endpoint: text,
  bucket: text
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'is not the name of a bucket.')
    .optional(),
  path: text.optional(),
  region: text.regex(/^[a-z0-9-]{1,40}$/, 'is not a region. Write "eu-central-1".').optional(),
  username: text.optional(),
  is_default: z.boolean().optional(),
  access_key_id: text.optional(),
  secret_key_file: text.optional(),
  password_file: text.optional(),
  private_key_file: text.optional(),
  host_key: text
    .regex(
      /^SHA256:[A-Za-z0-9+/]{43}=?$/,
      'is not a fingerprint. Write "SHA256:…" as "ssh-keyscan HOST | ssh-keygen -lf -" shows it.',
    )
    .optional(),
  allow_private: z.boolean().optional(),
})

const S3_ONLY = ['bucket', 'region', 'access_key_id', 'secret_key_file'] as const
const SFTP_ONLY = ['username', 'password_file', 'private_key_file', 'host_key'] as const

/** `host` or `host:port`, IPv6 in brackets. */
export const parseSftpEndpoint = (endpoint: string): { host: string; port: number } | null => {
  const found = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(endpoint)
  const port = Number(found?.[2] ?? 22)
  if (!found || port < 1 || port > 65_535) return null
  return { host: (found[1] ?? '').replace(/^\[|\]$/g, ''), port }
}

/** What is missing, out of place or unsafe, by key. */
const faultsOf = (target: RemoteTargetConfig): [string, string][] => {
  const faults: [string, string][] = []
  const need = (key: keyof RemoteTargetConfig): void => {
    if (target[key] === null)
      faults.push([key, `is missing. A target of type ${target.type} needs it.`])
  }
  const foreign = target.type === 's3' ? SFTP_ONLY : S3_ONLY
  for (const key of foreign)
    if (target[key] !== null)
      faults.push([key, `is not for a target of type ${target.type}. Remove it.`])
  if (target.type === 's3') {
    for (const key of ['bucket', 'access_key_id', 'secret_key_file'] as const) need(key)
    const url = URL.canParse(target.endpoint) ? new URL(target.endpoint) : null
    const schemes = target.allow_private ? ['https:', 'http:'] : ['https:']
    if (url === null || !schemes.includes(url.protocol) || url.username !== '' || url.search !== '')
      faults.push(['endpoint', 'is not an https URL. Write "https://s3.example.com".'])
    return faults
  }
  for (const key of ['username', 'path', 'host_key'] as const) need(key)
  if (parseSftpEndpoint(target.endpoint) === null)
    faults.push(['endpoint', 'is not an address. Write "host" or "host:port".'])
  if ((target.password_file === null) === (target.private_key_file === null))
    faults.push(['password_file', 'or private_key_file is needed, one of the two.'])
  return faults
}

/** Parses `[[remote_target]]`; faulty ones are skipped and told about. */
export const parseRemoteTargets = (
  tables: unknown,
  place: ConfigPlace,
): { targets: RemoteTargetConfig[]; problems: ConfigProblem[] } => {
  const directory = directoryOf(place.file)
  const file = (value: string | undefined): string | null =>
    value === undefined ? null : resolvePath(directory, value)
  const targets: RemoteTargetConfig[] = []
  const problems: ConfigProblem[] = []
  if (!Array.isArray(tables))
    return {
      targets,
      problems: [problemAt(place, ['remote_target'], 'must be written [[remote_target]].')],
    }
  tables.forEach((table: unknown, index) => {
    const at = ['remote_target', index]
    const parsed = REMOTE_TARGET_SCHEMA.safeParse(table)
    if (!parsed.success) {
      problems.push(...problemsOf(parsed.error, REMOTE_TARGET_SCHEMA, table, at, place))
      return
    }
    const raw = parsed.data
    const target: RemoteTargetConfig = {
      name: raw.name,
      type: raw.type,
      endpoint: raw.endpoint,
      bucket: raw.bucket ?? null,
      path: raw.path === undefined ? null : trimEndOf(raw.path, '/'),
      region: raw.region ?? null,
      username: raw.username ?? null,
      is_default: raw.is_default ?? false,
      access_key_id: raw.access_key_id ?? null,
      secret_key_file: file(raw.secret_key_file),
      password_file: file(raw.password_file),
      private_key_file: file(raw.private_key_file),
      host_key: raw.host_key ?? null,
      allow_private: raw.allow_private ?? false,
    }
    const faults = faultsOf(target)
    if (target.name === 'local') faults.push(['name', "is the name of this host's own directory."])
    if (target.name === 'all') faults.push(['name', 'stands for every place at once.'])
    if (targets.some(({ name }) => name === target.name))
      faults.push(['name', `"${target.name}" is there twice. Choose another name.`])
    if (target.is_default && targets.some(({ is_default }) => is_default))
      faults.push(['is_default', 'is set for two targets. Only one can be the default.'])
    problems.push(...faults.map(([key, message]) => problemAt(place, [...at, key], message)))
    if (faults.length === 0) targets.push(target)
  })
  return { targets, problems }
}
