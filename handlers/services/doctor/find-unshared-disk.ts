import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

/** What every account has where its plan says nothing else. */
const USUAL_WEIGHT = 100

/** Plans with a weight at the disk, where the disk goes by none. */
export const findUnsharedDisk = (
  { plans }: Pick<Records, 'plans'>,
  { unsharedDisk }: HostInspection,
): Diagnosis[] => {
  const weighed = plans.filter(({ io_weight }) => io_weight !== USUAL_WEIGHT)
  return unsharedDisk === null || weighed.length === 0
    ? []
    : [
        {
          kind: 'limit',
          level: 'warning',
          subject: 'io_weight',
          what: `of ${weighed.map(({ name }) => name).join(', ')} has no effect: ${unsharedDisk}`,
          why: 'Only BFQ and io.cost share the time of a disk out by weight; with any other scheduler every account gets what it asks for first.',
          fix: 'Give the disk the scheduler BFQ, by a rule of udev; docs/limits.md has it. Or set io_weight of these plans to 100.',
          repair: null,
          username: null,
        },
      ]
}
