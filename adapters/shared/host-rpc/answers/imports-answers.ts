import { z } from 'zod'
import { accountRecordSchema } from '#handlers/domain/backups/archived-record.ts'
import { engine, panelSecrets } from '../argument-shapes.ts'
import { change, done, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'
import {
  databaseGrantAnswer,
  installedCertificateAnswer,
  restoredFilesAnswer,
} from './shared-answers.ts'

const foundArchiveAnswer = z.object({ path: line, filename: line, sizeBytes: z.number() })

const archiveProofAnswer = z.enum(['own', 'known', 'unproved'])

const archivedDatabaseAnswer = z.object({
  engine: engine,
  database: short,
  user: short.nullable(),
  sizeBytes: z.number(),
  hasPassword: z.boolean(),
})

const archivedDatabaseUserAnswer = z.object({
  engine: engine,
  user: short,
  grants: many(databaseGrantAnswer),
})

const reportLineAnswer = z.object({
  what: z.enum(['taken', 'changed', 'left']),
  subject: line,
  reason: line,
})

const archiveFactsAnswer = z.object({
  sha256: short,
  sizeBytes: z.number(),
  version: z.number(),
  madeBy: line.nullable(),
  username: short,
  createdAt: short,
  uid: z.number().nullable(),
  home: line.nullable(),
  uidIsFree: z.boolean(),
  proof: archiveProofAnswer,
  keyId: short.nullable(),
  hasSecrets: z.boolean(),
  record: accountRecordSchema.nullable(),
  databases: many(archivedDatabaseAnswer),
  databaseUsers: many(archivedDatabaseUserAnswer),
  homeEntries: z.number(),
  homeBytes: z.number(),
  formerHomes: many(line),
  configs: many(z.object({ path: line, paths: z.number() })),
  report: many(reportLineAnswer),
})

const importProgressAnswer = z.object({
  state: z.enum(['done', 'running', 'unknown', 'failed']),
  step: short,
  detail: long,
  percent: z.number(),
  result: archiveFactsAnswer.nullable(),
  restored: restoredFilesAnswer.exactOptional(),
  error: z.object({ status: z.number(), message: long, field: short.exactOptional() }).nullable(),
})

/** Answers about archives that are brought in, by port and method. */
export const IMPORTS_ANSWERS = {
  imports: {
    find: read(many(foundArchiveAnswer), { limitSecs: SLOW_SECS }),
    open: change(done),
    fill: change(done),
    wait: read(importProgressAnswer),
    takeCertificate: change(installedCertificateAnswer),
    pointConfigs: change(
      z.object({
        changed: many(z.object({ path: line, paths: z.number() })),
        left: many(z.object({ path: line, why: line })),
        copies: line,
      }),
    ),
    takePasswords: change(panelSecrets.nullable(), { isSecret: true }),
    close: change(done),
  },
}
