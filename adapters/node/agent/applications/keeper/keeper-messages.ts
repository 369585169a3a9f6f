import { z } from 'zod'

/** What a keeper is given on standard input, once: secret variables are nowhere else outside the agent. */
export const keeperPlan = z.object({
  /** The application's own place in the home, made when it is missing: sockets and the log. */
  directory: z.string(),
  /** Names this start among others of the application; part of the socket's name. */
  generation: z.string().regex(/^[0-9a-f]{8}$/),
  /** Absolute; the program starts there. */
  folder: z.string(),
  /** The owner's line for `sh -c`. */
  start: z.string(),
  /** All of it, without `PORT` and `SOCKET`. */
  environment: z.record(z.string(), z.string()),
  listen: z.enum(['socket', 'port']),
  healthPath: z.string().nullable(),
  startLimitMs: z.number().int().positive(),
  restart: z.enum(['always', 'on-failure', 'never']),
  /** How many of its program run beside each other. */
  instances: z.number().int().positive(),
  /** Of all processes of an instance together, in mebibytes; it is started anew when it uses more. Null: as much as the account has. */
  memoryMb: z.number().int().positive().nullable(),
})
export type KeeperPlan = z.infer<typeof keeperPlan>

/** Bytes of a question and of an answer, each one line of JSON. */
export const MOST_MESSAGE_BYTES = 65_536
/** Characters of what the program wrote last, for whoever waits in vain. */
export const MOST_TAIL = 4000

/**
 * `state`; `settled`: as `state`, once it is no longer starting; `take`: visitors come here from
 * now on; `end`: it ends when its requests are done, after `graceMs` at the latest.
 */
export const keeperQuestion = z.union([
  z.object({ ask: z.enum(['state', 'settled', 'take']) }),
  z.object({ ask: z.literal('end'), graceMs: z.number().int().nonnegative() }),
])
export type KeeperQuestion = z.infer<typeof keeperQuestion>

/** An account's program may have written it: every value is bounded. */
export const keeperAnswer = z.object({
  state: z.enum(['starting', 'running', 'waiting', 'failed']),
  pid: z.number().int().positive().nullable(),
  /** UTC, ISO 8601. */
  since: z.iso.datetime().nullable(),
  restarts: z.number().int().nonnegative(),
  code: z.number().int().min(0).max(255).nullable(),
  problem: z.string().max(300).nullable(),
  tail: z.string().max(MOST_TAIL),
  /** Absent of a keeper that was started before there were several. */
  runningInstances: z.number().int().nonnegative().optional(),
  /** Whether anybody is connected, or waits to be. */
  busy: z.boolean(),
})
export type KeeperAnswer = z.infer<typeof keeperAnswer>
