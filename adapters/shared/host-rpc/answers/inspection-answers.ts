import { z } from 'zod'
import { siteSettingsSchema } from '#handlers/domain/site-settings/settings-schema.ts'
import { engine, phpMode } from '../argument-shapes.ts'
import { change, done, line, long, many, mapOf, read, short, SLOW_SECS } from './answer-shapes.ts'
import { databaseGrantAnswer } from './shared-answers.ts'

const pathProblemAnswer = z.object({ path: line, problem: line, repairable: z.boolean() })

const inspectedAccountAnswer = z.object({
  username: short,
  suspended: z.boolean(),
  user: z.enum(['foreign', 'present', 'missing']),
  home: pathProblemAnswer.nullable(),
})

const phpPoolAnswer = z.object({
  maxChildren: z.number().nullable(),
  memoryLimit: line.nullable(),
  ini: mapOf(long),
})

const siteCacheRuleAnswer = z.object({
  enable: z.boolean(),
  ttl: z.number().nullable(),
  exclude: many(line),
  bypassCookies: many(line).exactOptional(),
  ignoreQueryParams: many(line).exactOptional(),
  mobileVariant: z.boolean().exactOptional(),
  fills: z.enum(['visitor', 'neutral']).exactOptional(),
  harmlessCookies: many(line).exactOptional(),
  sessionCookies: many(line).exactOptional(),
  application: line.exactOptional(),
})

const virtualHostSpecAnswer = z.object({
  domain: line,
  aliases: many(line),
  username: short,
  root: line,
  suspended: z.boolean(),
  overBandwidth: z.boolean(),
  php: z.object({ version: short, mode: phpMode, pool: phpPoolAnswer.exactOptional() }).nullable(),
  ssl: z.object({ certificate: line, key: line }).nullable(),
  redirectHttps: z.boolean(),
  hstsMaxAgeSecs: z.number().exactOptional(),
  defaultHost: z.literal(true).exactOptional(),
  cache: siteCacheRuleAnswer,
  site: siteSettingsSchema.exactOptional(),
  proxy: z
    .object({ upstream: line, paths: many(line).nullable(), websocket: z.boolean() })
    .exactOptional(),
  application: z
    .object({
      name: short,
      paths: many(line).nullable(),
      instances: z.number().exactOptional(),
      healthPath: line.exactOptional(),
    })
    .exactOptional(),
  instances: mapOf(
    z.object({ instances: z.number(), healthPath: line.exactOptional() }),
  ).exactOptional(),
})

const inspectedVirtualHostAnswer = z.object({
  spec: virtualHostSpecAnswer,
  file: z.enum(['changed', 'current', 'missing']),
})

const inspectedDatabaseAnswer = z.object({
  engine: engine,
  database: short,
  user: short,
  username: short,
  host: line,
  locked: z.boolean(),
  present: z.boolean().nullable(),
})

const inspectedDatabaseUserAnswer = z.object({
  engine: engine,
  user: short,
  username: short,
  locked: z.boolean(),
  grants: many(databaseGrantAnswer),
})

const inspectedCertificateAnswer = z.object({
  domain: line,
  username: short.nullable(),
  recorded: z.boolean(),
  versions: many(line),
})

const inspectedPhpAnswer = z.object({ pid: z.number(), username: short.nullable() })

const inspectedOperationAnswer = z.object({ kind: short, subject: line, ageSecs: z.number() })

const hostInspectionAnswer = z.object({
  accounts: many(inspectedAccountAnswer),
  virtualHosts: many(inspectedVirtualHostAnswer),
  strayVirtualHostFiles: many(line),
  databases: many(inspectedDatabaseAnswer),
  databaseUsers: many(inspectedDatabaseUserAnswer),
  databaseAddresses: many(z.object({ username: short, addresses: many(line) })),
  certificates: many(inspectedCertificateAnswer),
  php: many(inspectedPhpAnswer),
  backups: many(z.object({ filename: line, path: line, sizeBytes: z.number() })),
  paths: many(pathProblemAnswer),
  operations: many(inspectedOperationAnswer),
  sharedRooms: line.nullable(),
  unheldAccounts: line.nullable(),
  unsharedDisk: line.nullable(),
  panels: many(short),
})

/** Answers about the inspection of the host, by port and method. */
export const INSPECTION_ANSWERS = {
  inspection: {
    inspect: read(hostInspectionAnswer, { limitSecs: SLOW_SECS }),
    repairPath: change(done),
    endPhp: change(done),
  },
}
