import { readSync } from 'node:fs'
import { ownTime } from './own-time.ts'
import { readAt } from './read-file-part.ts'

/** A read that takes longer was no copy of what the system has in memory: a cold disk, or a slow file system. */
const SLOW_MS = 2
/** What slow reads may cost the event loop of a worker per period; then the thread pool makes them. */
const SLOW_BUDGET_MS = 40
const PERIOD_MS = 10_000

let spentMs = 0
let untilMs = 0

const mayWait = (): boolean => {
  if (spentMs < SLOW_BUDGET_MS) return true
  if (performance.now() < untilMs) return false
  spentMs = 0
  return true
}

/**
 * Reads at most `size` bytes at `position` into the beginning of `buffer`; 0 at
 * the end of the file. What is in memory is read at once, which costs half of a
 * turn through the thread pool; but when such reads proved slow, a worker's next
 * ones are made there.
 */
export const readFairly = (
  fd: number,
  buffer: Buffer,
  size: number,
  position: number,
): number | Promise<number> => {
  if (!mayWait()) return readAt(fd, buffer, 0, size, position)
  const startMs = performance.now()
  try {
    return readSync(fd, buffer, 0, size, position)
  } finally {
    const now = performance.now()
    if (now - startMs > SLOW_MS) {
      const ownMs = ownTime.of(now - startMs)
      if (ownMs > SLOW_MS) {
        if (spentMs === 0) untilMs = now + PERIOD_MS
        spentMs += ownMs
      }
    }
  }
}
