import { z } from 'zod'
import { change, done, few, line, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const sftpDetailsAnswer = z.object({
  available: z.boolean(),
  reason: line.nullable(),
  host: line.nullable(),
  ports: few(z.number()),
  silentPorts: few(z.number()),
  hostKeys: few(z.object({ type: short, fingerprint: short })),
})

const loginDifferenceAnswer = z.object({
  name: short,
  missingKeys: z.number(),
  unknownKeys: z.number(),
  passwords: z.boolean(),
})

const sftpLoginKindAnswer = z.enum(['sftp', 'shell', 'scp', 'rsync', 'command'])

const hostLoginAnswer = z.object({
  id: short,
  version: z.number(),
  account: short,
  username: short,
  beganAt: short,
  endedAt: short.nullable(),
  address: line.nullable(),
  way: z.enum(['key', 'password']),
  kind: sftpLoginKindAnswer.nullable(),
  failures: z.number(),
  keyId: z.number().nullable(),
  changes: z.number(),
  receivedBytes: z.number(),
  sentBytes: z.number(),
})

/** Answers about SFTP, by port and method. */
export const SFTP_ANSWERS = {
  sftp: {
    details: read(sftpDetailsAnswer),
    setLogins: change(done),
    loginDifferences: read(many(loginDifferenceAnswer), { limitSecs: SLOW_SECS }),
    shellProblem: read(z.object({ problem: line.nullable() })),
    setUserPassword: change(done),
    userProblems: read(many(z.object({ name: short, problem: line.nullable() })), {
      limitSecs: SLOW_SECS,
    }),
    seenLogins: read(many(hostLoginAnswer)),
  },
}
