import { z } from 'zod'
import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import type { ConfigProblem, RemoteTargetConfig } from './config-types.ts'
import { directoryOf, resolvePath } from './paths.ts'
import { problemAt, problemsOf, type ConfigPlace } from './problems.ts'
import { TARGET_LENGTHS, TARGET_PATTERNS, targetFaults } from '../backups/target-rules.ts'

const text = z
  .string()
  .min(1, 'must not be empty. Give it a value or remove the key.')
  .refine((value) => !/[\0\r\n]/.test(value), 'must be one line. Remove the line break.')

const bounded = (length: number) =>
  text.max(length, `is too long. Use at most ${length} characters.`)

const REMOTE_TARGET_SCHEMA = z.strictObject({
  name: text.regex(...TARGET_PATTERNS.name),
  type: z.enum(['s3', 'sftp']),
  endpoint: bounded(TARGET_LENGTHS.endpoint),
  bucket: text.regex(...TARGET_PATTERNS.bucket).optional(),
  path: bounded(TARGET_LENGTHS.path).optional(),
  region: text.regex(...TARGET_PATTERNS.region).optional(),
  username: text.regex(...TARGET_PATTERNS.username).optional(),
  is_default: z.boolean().optional(),
  access_key_id: bounded(TARGET_LENGTHS.access_key_id).optional(),
  secret_key_file: text.optional(),
  password_file: text.optional(),
  private_key_file: text.optional(),
  host_key: text.regex(...TARGET_PATTERNS.host_key).optional(),
  allow_private: z.boolean().optional(),
})

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
    const faults = targetFaults(target)
    if (targets.some(({ name }) => name === target.name))
      faults.push(['name', `"${target.name}" is there twice. Choose another name.`])
    if (target.is_default && targets.some(({ is_default }) => is_default))
      faults.push(['is_default', 'is set for two targets. Only one can be the default.'])
    problems.push(...faults.map(([key, message]) => problemAt(place, [...at, key], message)))
    if (faults.length === 0) targets.push(target)
  })
  return { targets, problems }
}
