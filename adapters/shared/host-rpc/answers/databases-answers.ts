import { z } from 'zod'
import { engine } from '../argument-shapes.ts'
import { change, done, few, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'
import { restoredFilesAnswer } from './shared-answers.ts'

const engineInfoAnswer = z.object({
  engine: engine,
  version: short,
  running: z.boolean(),
  host: line,
})

const slowQueryAnswer = z.object({
  engine: engine,
  database: short.nullable(),
  user: short,
  statement: long,
  count: z.number(),
  longest_ms: z.number(),
  total_ms: z.number(),
  last_at: line,
})

const databaseFactsAnswer = z.object({
  engine: engine,
  database: short,
  size_bytes: z.number().nullable(),
  tables: z.number().nullable(),
})

const remoteEngineAnswer = z.object({
  engine: engine,
  port: z.number().nullable(),
  problem: line.nullable(),
})

const remoteCertificateAnswer = z.object({
  names: few(line),
  fingerprint: short,
  until: short,
  own: z.boolean(),
  pem: long,
})

const remoteStateAnswer = z.object({
  engines: few(remoteEngineAnswer),
  host: line.nullable(),
  certificate: remoteCertificateAnswer.nullable(),
})

const databaseExportAnswer = z.object({
  filename: line,
  engine: engine,
  database: short,
  sizeBytes: z.number(),
  createdAt: short,
  until: short,
})

const toolLoginAnswer = z.object({
  socket: line,
  script: line,
  server: line,
  user: short,
  password: line,
})

/** Answers about databases, their users, copies and tool, by port and method. */
export const DATABASES_ANSWERS = {
  databases: {
    engines: read(few(engineInfoAnswer)),
    create: change(z.object({ host: line })),
    setPassword: change(done),
    remove: change(done),
    slowQueries: read(many(slowQueryAnswer), { limitSecs: SLOW_SECS }),
    facts: read(many(databaseFactsAnswer), { limitSecs: SLOW_SECS }),
    setLocked: change(done),
  },
  databaseUsers: {
    create: change(z.object({ host: line })),
    setGrants: change(done),
    setPassword: change(done),
    rename: change(done),
    remove: change(done),
  },
  databaseRemote: {
    state: read(remoteStateAnswer),
    setAddresses: change(done),
  },
  databaseCopies: {
    start: change(done),
    wait: read(
      z.object({
        state: z.enum(['done', 'running', 'unknown', 'failed']),
        step: short,
        detail: long,
        percent: z.number(),
        result: databaseExportAnswer.nullable(),
        restored: restoredFilesAnswer.exactOptional(),
        error: z
          .object({ status: z.number(), message: long, field: short.exactOptional() })
          .nullable(),
      }),
    ),
    exports: read(many(databaseExportAnswer)),
    read: read(z.object({ content: long }), { limitSecs: SLOW_SECS }),
    remove: change(done),
  },
  databaseTool: {
    open: change(toolLoginAnswer, { isSecret: true }),
    close: change(done),
    closeAll: change(done),
  },
}
