/** The warm queue: fills the page cache before visitors come. */
export { createWarmQueue, type WarmQueue, type WarmQueueDeps } from './queue.ts'
export { createWarmSchedule, type WarmSchedule } from './schedule.ts'
export { discoverTargets, type DiscoverDeps, type WarmDocument } from './discover.ts'
export {
  resolveWarmUrl,
  targetsAt,
  whyNotWarmed,
  type WarmHost,
  type WarmHosts,
} from './resolve-target.ts'
export type { WarmTally } from './tallies.ts'
export { warmSettings, type WarmSettings } from './settings.ts'
export { warmTargetId } from './types.ts'
export type { WarmTarget } from '../address/warm-target.ts'
export type {
  WarmOutcome,
  WarmQueueStats,
  WarmState,
  WarmSubmission,
  WarmTargetState,
  WarmTime,
} from './types.ts'
