import { z } from 'zod'
import { RULE_ENDS } from '#handlers/domain/site-test/result-schema.ts'
import { upstreamStateSchema } from '#handlers/domain/upstreams/upstream-state-schema.ts'
import { change, done, few, line, long, many, mapOf, read, short } from './answer-shapes.ts'

const workerStallAnswer = z.object({
  at: short,
  secs: z.number(),
  ended: z.boolean(),
  site: line.nullable(),
  method: short.nullable(),
  target: line.nullable(),
  part: z.enum(['rules', 'request']).nullable(),
  held: z.boolean(),
})

const webServerStatusAnswer = z.object({
  installed: z.boolean(),
  running: z.boolean(),
  version: short,
  pid: z.number().nullable(),
  uptime_secs: z.number().nullable(),
  workers: z.number(),
  virtual_hosts: z.number(),
  stalls: many(workerStallAnswer),
})

const webServerCountersAnswer = z.object({
  run: line,
  requests: z.number(),
  hits: z.number(),
  misses: z.number(),
})

const trafficBatchAnswer = z.object({ batch: short, bytes: mapOf(z.number()) })

const nameFiguresAnswer = z.union([
  z.tuple([line, z.number()]),
  z.tuple([line, z.number(), z.number(), z.number()]),
])

const dayFiguresAnswer = z.object({
  requests: z.number(),
  bytes: z.number(),
  hits: z.number(),
  misses: z.number(),
  bot_requests: z.number(),
  bot_bytes: z.number(),
  statuses: mapOf(z.number()),
  visitors: long,
  pages: many(nameFiguresAnswer),
  missing: many(nameFiguresAnswer),
  referrers: many(nameFiguresAnswer),
  bots: many(nameFiguresAnswer),
  slow: many(nameFiguresAnswer),
})

const figuresPartAnswer = z.object({ site: line, day: short, figures: dayFiguresAnswer })

const figuresBatchAnswer = z.object({
  batch: short,
  parts: many(figuresPartAnswer),
  more: z.boolean(),
})

const conditionStepAnswer = z.object({
  line: z.number(),
  text: long,
  value: long.nullable(),
  holds: z.boolean().nullable(),
})

const ruleStepAnswer = z.object({
  kind: z.literal('rule'),
  outcome: z.enum(['skip', 'applied', 'pattern', 'conditions', 'chain', 'inner']),
  subject: line.nullable(),
  conditions: many(conditionStepAnswer),
  path: line.nullable(),
  query: line.nullable(),
  set: many(z.object({ kind: z.enum(['variable', 'cookie']), text: long })),
  end: z.enum(RULE_ENDS).nullable(),
  source: long,
  line: z.number(),
  text: long,
})

const stepPlaceAnswer = z.object({ source: long, line: z.number(), text: long })

const siteTestStepAnswer = z.union([
  z.object({ kind: z.literal('entrance'), status: z.number(), location: line.nullable() }),
  z.object({ kind: z.literal('held'), status: z.number() }),
  z.object({ kind: z.literal('guard'), rule: line, status: z.number(), location: line.nullable() }),
  z.object({ kind: z.literal('own'), path: line, query: line }),
  z.object({
    kind: z.literal('address'),
    path: line,
    query: line,
    file: line,
    sources: many(line),
  }),
  z.object({
    kind: z.literal('unreadable'),
    source: long,
    line: z.number().nullable(),
    reason: line,
    status: z.number(),
  }),
  z.object({ kind: z.literal('unknown'), source: long, names: few(line) }),
  z.object({
    source: long,
    line: z.number(),
    text: long,
    kind: z.literal('section'),
    holds: z.boolean(),
  }),
  ruleStepAnswer,
  z.object({ kind: z.literal('not-rewriting'), why: z.enum(['ended', 'off']) }),
  z.object({
    source: long,
    line: z.number(),
    text: long,
    kind: z.literal('redirect'),
    status: z.number(),
    location: line.nullable(),
  }),
  z.object({ kind: z.literal('shut-out'), status: z.number() }),
  z.object({
    kind: z.literal('onward'),
    why: z.enum(['rules', 'index', 'stand-in']),
    path: line,
    query: line,
  }),
  z.object({
    kind: z.literal('ended'),
    at: stepPlaceAnswer.nullable(),
    why: z.enum(['rules', 'hidden', 'too-deep', 'bad-address', 'rounds', 'steps']),
    status: z.number(),
  }),
  z.object({ kind: z.literal('cut') }),
])

const siteTestOutcomeAnswer = z.object({
  kind: z.enum(['file', 'redirect', 'status', 'script', 'listing', 'application']),
  status: z.number().nullable(),
  location: line.nullable(),
  file: line.nullable(),
  query: line.nullable(),
})

const siteTestResultAnswer = z.object({
  steps: many(siteTestStepAnswer),
  outcome: siteTestOutcomeAnswer,
})

/** Answers about the web server, by port and method. */
export const WEB_SERVER_ANSWERS = {
  webServer: {
    apply: change(done),
    edition: read(short),
    regenerate: change(z.object({ written: z.number(), removed: z.number() })),
    reload: change(z.object({ restart_needed: many(line) })),
    restart: change(done),
    status: read(webServerStatusAnswer),
    counters: read(webServerCountersAnswer.nullable()),
    takeTraffic: change(trafficBatchAnswer.nullable()),
    takeFigures: change(figuresBatchAnswer.nullable()),
    explain: read(siteTestResultAnswer),
    upstreams: read(many(upstreamStateSchema)),
    purge: change(done),
  },
}
