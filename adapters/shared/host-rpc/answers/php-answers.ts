import { z } from 'zod'
import { phpMode } from '../argument-shapes.ts'
import {
  change,
  done,
  few,
  line,
  long,
  many,
  mapOf,
  read,
  short,
  SLOW_SECS,
} from './answer-shapes.ts'

const phpVersionAnswer = z.object({
  version: short,
  binary: line,
  sapis: few(phpMode),
  default: z.boolean(),
})

const phpPoolStateAnswer = z.object({
  username: short,
  version: short,
  mode: phpMode,
  ownSettings: z.boolean(),
  pid: z.number(),
  idleSecs: z.number(),
  answers: z.boolean(),
})

const phpTestAnswer = z.object({
  version: short,
  mode: phpMode,
  startMs: z.number().nullable(),
  firstMs: z.number().nullable(),
  againMs: z.number().nullable(),
  phpVersion: short.nullable(),
  sapi: short.nullable(),
  uid: z.number().nullable(),
  error: long.nullable(),
})

const phpFactsAnswer = z.object({
  version: short,
  ini: mapOf(long),
  server: few(line),
  extensions: many(z.object({ name: short, version: short.nullable() })),
  maxBodyBytes: z.number(),
})

/** Answers about PHP, by port and method. */
export const PHP_ANSWERS = {
  php: {
    versions: read(many(phpVersionAnswer)),
    pools: read(many(phpPoolStateAnswer)),
    test: read(phpTestAnswer, { limitSecs: SLOW_SECS }),
    facts: read(phpFactsAnswer, { limitSecs: SLOW_SECS }),
    configure: change(done),
  },
}
