import { z } from 'zod'
import type { SiteTestResult } from '../../ports/host/web/site-test.ts'

/** How a rule ends its list, or where it goes on. */
export const RULE_ENDS = [
  'last',
  'end',
  'redirect',
  'status',
  'forbidden',
  'proxy',
  'pass',
  'gone',
  'refused',
  'next',
  'skip',
] as const

const place = {
  source: z
    .string()
    .describe('Path of the file below the document root, or a key of the configuration.'),
  line: z.int().min(0),
  text: z.string(),
}
const address = { path: z.string(), query: z.string() }
const answered = { status: z.int(), location: z.string().nullable() }

const condition = z.object({
  line: z.int().min(0),
  text: z.string(),
  value: z.string().nullable().describe('What its test string came to.'),
  holds: z.boolean().nullable().describe('Null: it was not asked.'),
})

const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('entrance'), ...answered }),
  z.object({ kind: z.literal('held'), status: z.int() }),
  z.object({ kind: z.literal('guard'), rule: z.string(), ...answered }),
  z.object({ kind: z.literal('own'), ...address }),
  z.object({
    kind: z.literal('address'),
    ...address,
    file: z.string(),
    sources: z.array(z.string()),
  }),
  z.object({
    kind: z.literal('unreadable'),
    source: z.string(),
    line: z.int().nullable(),
    reason: z.string(),
    status: z.int(),
  }),
  z.object({ kind: z.literal('unknown'), source: z.string(), names: z.array(z.string()) }),
  z.object({ kind: z.literal('section'), ...place, holds: z.boolean() }),
  z.object({
    kind: z.literal('rule'),
    ...place,
    outcome: z
      .enum(['applied', 'pattern', 'conditions', 'chain', 'skip', 'inner'])
      .describe(
        'pattern: it does not match; conditions: they do not hold; chain, skip, inner: it was not asked.',
      ),
    subject: z.string().nullable().describe('What the pattern saw.'),
    conditions: z.array(condition),
    path: z.string().nullable().describe('The address after it; null: it was not carried out.'),
    query: z.string().nullable(),
    set: z.array(z.object({ kind: z.enum(['variable', 'cookie']), text: z.string() })),
    end: z
      .enum(RULE_ENDS)
      .nullable()
      .describe('How it ended the list, or where it went on; null: with the next one.'),
  }),
  z.object({ kind: z.literal('not-rewriting'), why: z.enum(['off', 'ended']) }),
  z.object({ kind: z.literal('redirect'), ...place, ...answered }),
  z.object({ kind: z.literal('shut-out'), status: z.int() }),
  z.object({
    kind: z.literal('onward'),
    why: z.enum(['rules', 'index', 'stand-in']),
    ...address,
  }),
  z.object({
    kind: z.literal('ended'),
    why: z.enum(['hidden', 'too-deep', 'bad-address', 'rounds', 'steps', 'rules']),
    at: z.object(place).nullable().describe('The rule that took too many steps.'),
    status: z.int(),
  }),
  z.object({ kind: z.literal('cut') }),
])

/** Fields of `SiteTestResult`, as they come from another process and as the API answers them. */
export const siteTestShape = {
  steps: z.array(step).max(2001),
  outcome: z.object({
    kind: z.enum(['file', 'script', 'listing', 'application', 'redirect', 'status']),
    status: z.int().nullable().describe('Null: the script or the application says it.'),
    location: z.string().nullable(),
    file: z
      .string()
      .nullable()
      .describe('Of the file or script that answers, or of the page of an error.'),
    query: z.string().nullable(),
  }),
}

/** The whole, as the web server answers it. */
export const siteTestResult: z.ZodType<SiteTestResult> = z.object(siteTestShape)
