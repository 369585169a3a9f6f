import { z } from 'zod'
import { EVENT_NAMES } from '#handlers/domain/events/events.ts'
import { bytes, logFile, logPlace, logSearch, nothing, path, text } from '../argument-shapes.ts'
import type { ArgumentTable } from './argument-table.ts'

/** Shapes of the arguments of methods about the machine, its hooks and its logs, by port and method. */
export const MACHINE_ARGUMENTS: Pick<
  ArgumentTable,
  'system' | 'machine' | 'hooks' | 'inspection' | 'logs'
> = {
  system: { info: nothing },
  machine: { facts: nothing, fillers: nothing },
  hooks: { run: z.object({ event: z.enum(EVENT_NAMES), message: text(65_536) }) },
  inspection: {
    inspect: nothing,
    repairPath: z.object({ path }),
    endPhp: z.object({ pid: z.int().min(2) }),
  },
  logs: {
    list: nothing,
    read: z.object({
      ...logSearch,
      before: logPlace.nullable(),
      lines: z.int().min(1).max(1000),
    }),
    place: z.object({ file: logFile, bytesBack: bytes }),
    follow: z.object({
      ...logSearch,
      after: logPlace,
      lines: z.int().min(1).max(5000),
      maxLagBytes: bytes.nullable(),
    }),
  },
}
