import { settledWithin } from './settled-within.ts'
import type { CacheKey, FillCoordinator } from '../types.ts'

/** What a turn at a key came to: to lead, or what the leader reported. */
export type Joined = Awaited<ReturnType<FillCoordinator['join']>>

/** Null when the coordinator is gone or the leader takes longer than `followMs`. */
export const joinWithin = async (
  coordinator: FillCoordinator,
  key: CacheKey,
  followMs: number,
): Promise<Joined | null> => {
  const joining = coordinator.join(key)
  if (await settledWithin(joining, followMs)) return joining.catch(() => null)
  // Should the turn still come, it is handed on.
  joining.then(
    (late) => {
      if (late.role === 'leader') late.settle({ kind: 'failed' })
    },
    () => undefined,
  )
  return null
}
