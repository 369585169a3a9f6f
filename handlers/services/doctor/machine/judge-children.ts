import { timestamp } from '../../../domain/text/timestamp.ts'
import type { MachineChild } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** Once may be an accident, e.g. a kill by hand; it is told all the same, as a warning. */
const REPEATED = 3
/** A child that failed this often within so many seconds of now is failing still. */
const RECENT_MS = 10 * 60_000

/** Processes of the installation that ended by themselves. */
export const judgeChildren = (
  children: readonly MachineChild[],
  nowMs: number,
): MachineDiagnosis[] =>
  children.flatMap(({ name, running, ends }): MachineDiagnosis[] => {
    const last = ends.at(-1)
    if (last === undefined && running) return []
    const recent = ends.filter(({ atMs }) => nowMs - atMs <= RECENT_MS).length
    const times = ends.length === 1 ? 'once' : `${ends.length} times`
    const said =
      last === undefined
        ? 'does not run'
        : `ended ${times} within a day, last at ${timestamp(last.atMs)}: ${last.how}`
    return [
      {
        kind: 'process',
        level: !running || recent >= REPEATED ? 'fault' : 'warning',
        subject: name,
        what: running || last === undefined ? said : `${said}; it does not run`,
        fix: `Look into its log at that time (berth logs show ${name}). It is started again by itself.`,
      },
    ]
  })
