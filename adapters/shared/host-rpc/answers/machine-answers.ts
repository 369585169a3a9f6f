import { z } from 'zod'
import { engine } from '../argument-shapes.ts'
import { change, few, line, long, many, read, short } from './answer-shapes.ts'

const systemHoldsAnswer = z.object({
  kind: z.enum(['systemd slices', 'cgroup v2', 'cgroup v1']).nullable(),
  holds: few(z.enum(['memory', 'cpu', 'tasks', 'io'])),
  reason: line.nullable(),
})

/** Added up over machines, one of which may lie. */
const amount = z.number().min(0).max(1e12)

const systemInfoAnswer = z.object({
  hostname: short,
  os: short,
  kernel: short,
  arch: short,
  cpu_model: line,
  cpu_count: amount,
  cpu_usage_percent: amount,
  memory_total_mb: amount,
  memory_used_mb: amount,
  disk_total_mb: amount,
  disk_used_mb: amount,
  uptime_secs: amount,
  process_count: amount,
  load_average: z.tuple([amount, amount, amount]),
  account_limits: systemHoldsAnswer,
})

const machineDiskAnswer = z.object({
  mount: line,
  holds: few(line),
  paths: many(line),
  readOnly: z.boolean(),
  totalBytes: z.number(),
  freeBytes: z.number(),
  totalFiles: z.number(),
  freeFiles: z.number(),
})

const machineMemoryAnswer = z.object({
  totalBytes: z.number(),
  availableBytes: z.number(),
  swapTotalBytes: z.number(),
  swapFreeBytes: z.number(),
  stalledPercent: z.number().nullable(),
  killed: z.number().nullable(),
})

const machineClockAnswer = z.object({
  synchronised: z.boolean().nullable(),
  source: long,
  jumps: few(z.object({ atMs: z.number(), secs: z.number() })),
})

const machineChildAnswer = z.object({
  name: short,
  running: z.boolean(),
  ends: few(z.object({ atMs: z.number(), how: line })),
})

const machineDatabaseServerAnswer = z.object({
  engine: engine,
  unreachable: line.nullable(),
  readOnly: line.nullable(),
  connections: z.object({ used: z.number(), limit: z.number() }).nullable(),
  damaged: many(z.object({ name: short, what: line })),
  oldestTransactions: z.number().nullable(),
  notReached: line.nullable(),
})

const pendingUpdateAnswer = z.object({
  name: short,
  installed: line,
  candidate: line,
  security: z.boolean(),
})

const machinePackagesAnswer = z.object({
  listedAtMs: z.number(),
  securityListed: z.boolean(),
  updates: many(pendingUpdateAnswer),
})

const machineLimitAnswer = z.object({ name: short, used: z.number(), limit: z.number() })

const machineLimitsAnswer = z.object({
  filling: few(machineLimitAnswer),
  somaxconn: z.number().nullable(),
  overcommit: z.number().nullable(),
})

const machineFactsAnswer = z.object({
  disks: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: many(machineDiskAnswer) }),
  ]),
  memory: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: machineMemoryAnswer }),
  ]),
  clock: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: machineClockAnswer }),
  ]),
  children: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: many(machineChildAnswer) }),
  ]),
  ports: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: many(long) }),
  ]),
  databaseServers: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: many(machineDatabaseServerAnswer) }),
  ]),
  packages: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: machinePackagesAnswer }),
  ]),
  limits: z.discriminatedUnion('seen', [
    z.object({ seen: z.literal(false), reason: line }),
    z.object({ seen: z.literal(true), value: machineLimitsAnswer }),
  ]),
})

const diskFillerAnswer = z.object({
  mount: line,
  what: line,
  path: line,
  bytes: z.number(),
  files: z.number(),
  complete: z.boolean(),
})

const hookOutcomeAnswer = z.object({ ran: z.number(), failed: many(line) })

/** Answers about the machine and hooks, by port and method. */
export const MACHINE_ANSWERS = {
  system: {
    info: read(systemInfoAnswer),
  },
  machine: {
    facts: read(machineFactsAnswer),
    fillers: read(many(diskFillerAnswer)),
  },
  hooks: {
    run: change(hookOutcomeAnswer),
  },
}
