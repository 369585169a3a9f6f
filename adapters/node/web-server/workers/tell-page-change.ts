import type { PageChange } from './messages.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Who does not answer by then is busy: it lets go of its copy when it comes to it. */
const TIMEOUT_MS = 500

/**
 * Tells workers that a page was stored anew or taken away by another one, so that all
 * have one edition of it. Where it `replaced` something they may have (a copy, or the
 * word that it is nobody else's), resolves when that is gone; else there is most likely
 * nothing, and nobody waits.
 */
export const tellPageChange = async (
  workers: readonly Pick<WorkerProcess, 'ask' | 'tell'>[],
  change: PageChange,
  replaced: boolean,
): Promise<void> => {
  const body = { type: 'page-changed', change } as const
  if (replaced) await Promise.allSettled(workers.map((worker) => worker.ask(body, TIMEOUT_MS)))
  else for (const worker of workers) worker.tell(body)
}

/**
 * The same for what one worker did: all others let go of their copies, and of the word
 * that the page is nobody else's, by which their visitors would go on past what is
 * stored now. `haveCopies`: whether workers keep pages in memory of their own.
 */
export const createPageChanges =
  <W extends Pick<WorkerProcess, 'ask' | 'tell'>>(deps: {
    fills: { stored(key: string): boolean }
    alive(): readonly W[]
    haveCopies(): boolean
  }) =>
  async (by: W, change: PageChange, replaced: boolean): Promise<void> => {
    const isNews = change.edition !== null && deps.fills.stored(change.id)
    if (!isNews && !deps.haveCopies()) return
    const others = deps.alive().filter((one) => one !== by)
    await tellPageChange(others, change, replaced || isNews)
  }
