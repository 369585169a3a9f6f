import {
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPurgeMarks,
  createSingleFlight,
  type PageCache,
} from '#edge-cache/index.ts'

type Options = Parameters<typeof createPageCache>[0]

/** A page cache of this process alone; `options` in the place of what is usual. */
export const createMemoryPageCache = (
  options: Partial<Omit<Options, 'layers' | 'marks' | 'coordinator'>> = {},
): PageCache => {
  const { nowMs = () => Date.now() } = options
  const marks = createPurgeMarks()
  const l1 = createMemoryStore({ limitBytes: 16 * 2 ** 20 })
  return createPageCache({
    defaultTtlSecs: 3600,
    ...options,
    ...{ nowMs, marks },
    layers: createLayeredCache({ l1, l2: null, marks, nowMs }),
    coordinator: createSingleFlight(),
  })
}
