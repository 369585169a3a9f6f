import { z } from 'zod'
import { change, done, few, line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const cronRunStateAnswer = z.object({
  state: z.enum(['running', 'ended', 'unknown']),
  code: z.number().nullable(),
  ended: z.enum(['timeout', 'stopped', 'signal']).nullable(),
  output: long,
})

const applicationStateAnswer = z.object({
  name: short,
  state: z.enum(['running', 'stopped', 'starting', 'waiting', 'asleep', 'failed']),
  pid: z.number().nullable(),
  since: short.nullable(),
  restarts: z.number(),
  runningInstances: z.number(),
  code: z.number().nullable(),
  problem: line.nullable(),
  secrets: many(line),
})

const pushAnswer = z.object({ id: short, username: short, name: short, branch: line })

/** Answers about cron jobs and applications, by port and method. */
export const APPLICATIONS_ANSWERS = {
  cron: {
    start: change(done),
    wait: read(cronRunStateAnswer),
    stop: change(done),
  },
  applications: {
    runtimes: read(z.object({ node: few(line), python: few(line) })),
    put: change(done),
    remove: change(done),
    deploy: change(done),
    stop: change(done),
    states: read(many(applicationStateAnswer)),
    switch: change(done),
    share: change(done),
    commit: read(z.object({ id: short, subject: line }).nullable()),
    pushes: change(many(pushAnswer)),
    tellPush: change(z.object({ heard: z.boolean() })),
    deployKey: change(z.object({ publicKey: line })),
    log: read(z.object({ text: long }), { limitSecs: SLOW_SECS }),
  },
}
