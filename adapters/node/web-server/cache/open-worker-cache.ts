import { createSingleFlight, editionOf, type Sampler, serializeEntry } from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import { createFillClient } from '../workers/fill-client.ts'
import type { FillRole, ToPrimary, ToWorker, WorkerStart } from '../workers/messages.ts'
import type { ProcessChannel } from '../workers/process-channel.ts'
import { createWorkerCache, type WorkerCache } from './worker-cache.ts'

/** A worker's page cache, whose writes, fills and purges go through the primary. Null when it is off. */
export const openWorkerCache = (
  start: WorkerStart,
  primary: ProcessChannel<ToPrimary, ToWorker>,
  { sampler, log }: { sampler: Sampler; log: Log },
): Promise<WorkerCache | null> =>
  createWorkerCache(start, {
    sampler,
    // A worker by itself needs nobody's leave.
    coordinator:
      start.workers === 1
        ? createSingleFlight()
        : createFillClient({
            join: async (key) => (await primary.ask({ type: 'fill-join', key })) as FillRole,
            settle: async (fill, kind) =>
              (await primary.ask({ type: 'fill-settle', fill, kind })) === true,
            give: (fill, entry) => primary.tell({ type: 'fill-page', fill, entry }),
          }),
    writer: {
      put: async (entry) => {
        const { id } = entry.key
        const bytes = serializeEntry(entry)
        await primary.ask({ type: 'l2-put', id, edition: editionOf(entry), entry: bytes })
      },
      delete: (key) => primary.ask({ type: 'l2-delete', key }),
    },
    onChanged: (change, replaced) => primary.ask({ type: 'page-changed', change, replaced }),
    invalidate: async (scopes) => {
      await primary.ask({ type: 'invalidate', scopes })
    },
    onBehind: () => primary.tell({ type: 'l2-behind' }),
    onDamage: (error) => primary.tell({ type: 'l2-damage', error }),
    log,
  })
