import { z } from 'zod'
import type { ConfigProblem, WebhookConfig } from './config-types.ts'
import { EVENT_NAMES } from '../events/events.ts'
import { directoryOf, resolvePath } from './paths.ts'
import { problemAt, problemsOf, type ConfigPlace } from './problems.ts'

const isUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === ''
}

/** One `[[webhook]]` as it is written; defaults: every event, no private address. */
export const WEBHOOK_SCHEMA = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,31}$/,
      'is not a name. Use up to 32 lower-case letters, digits and hyphens.',
    ),
  url: z
    .string()
    .max(2000)
    .refine(
      isUrl,
      'is not an address. Write "https://example.com/path", without a password in it.',
    ),
  secret_file: z.string().min(1, 'must not be empty.'),
  events: z
    .array(z.enum([...EVENT_NAMES, '*']))
    .min(1)
    .optional(),
  allow_private: z.boolean().optional(),
})

/** Parses `[[webhook]]`; faulty ones are skipped and told about. */
export const parseWebhooks = (
  tables: unknown,
  place: ConfigPlace,
): { webhooks: WebhookConfig[]; problems: ConfigProblem[] } => {
  if (!Array.isArray(tables))
    return {
      webhooks: [],
      problems: [problemAt(place, ['webhook'], 'must be written [[webhook]].')],
    }
  const webhooks: WebhookConfig[] = []
  const problems: ConfigProblem[] = []
  for (const [index, table] of tables.entries()) {
    const at = ['webhook', index]
    const result = WEBHOOK_SCHEMA.safeParse(table)
    if (!result.success) {
      problems.push(...problemsOf(result.error, WEBHOOK_SCHEMA, table, at, place))
      continue
    }
    const { name, url, secret_file, events, allow_private } = result.data
    if (webhooks.some((other) => other.name === name))
      problems.push(problemAt(place, [...at, 'name'], `"${name}" is the name of two webhooks.`))
    webhooks.push({
      name,
      url,
      secret_file: resolvePath(directoryOf(place.file), secret_file),
      events: events ?? ['*'],
      allow_private: allow_private ?? false,
    })
  }
  return { webhooks, problems }
}
