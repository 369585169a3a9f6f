import {
  type CacheEntry,
  type CacheStore,
  createLayeredCache,
  createMemoryStore,
  createPurgeMarks,
  editionOf,
  type LayeredCache,
} from '#edge-cache/index.ts'
import { same, type ContractCase, contractCase } from './cache-case.ts'
import { cacheEntry } from './cache-entries.ts'

const NOW_MS = 2_000
const edition = (storedAtMs: number): CacheEntry => cacheEntry('a.test', '/', { storedAtMs })
const FIRST = edition(1)
const SECOND = edition(2)
const { key } = FIRST

/** A lower layer whose answers and writes can be held back. */
const heldStore = () => {
  let held: Promise<void> | null = null
  let stored: CacheEntry | null = null
  const store: CacheStore = {
    async get() {
      const found = stored
      await held
      return found
    },
    async put(entry) {
      await held
      stored = entry
    },
    delete() {
      stored = null
    },
    sweep: () => 0,
    stats: () => ({ entries: 0, bytes: 0, limitBytes: 0, evictions: 0 }),
  }
  return {
    store,
    /** What begins from now on ends when the answer is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return () => {
        held = null
        resolve()
      }
    },
  }
}

/** One process over a lower layer. */
const processOver = (store: CacheStore): LayeredCache =>
  createLayeredCache({
    l1: createMemoryStore({ limitBytes: 2 ** 20 }),
    l2: { name: 'lower', open: () => store },
    marks: createPurgeMarks(),
    nowMs: () => NOW_MS,
  })
const seen = (entry: CacheEntry | null): number | null => entry?.storedAtMs ?? null

/** How processes over one lower layer come to have one edition of a page. */
export const cacheEditionsContract = (): ContractCase[] => [
  contractCase('a page that another process stored anew is read anew', async () => {
    const { store } = heldStore()
    const [one, other] = [processOver(store), processOver(store)]
    await one.put(FIRST)
    same(seen(await other.get(key)), 1)
    await one.put(SECOND)
    same(seen(other.lookup(key.id)), 1, 'nobody has said so yet')
    other.changed(key.id, editionOf(SECOND))
    same(other.lookup(key.id), null)
    same(seen(await other.get(key)), 2)
    same(seen(other.lookup(key.id)), 2, 'kept from then on')
  }),
  contractCase("a page that another process took away is nobody's", async () => {
    const { store } = heldStore()
    const [one, other] = [processOver(store), processOver(store)]
    await one.put(FIRST)
    await other.get(key)
    await one.delete(key)
    other.changed(key.id, null)
    same(await other.get(key), null)
    other.promote(FIRST)
    same(other.lookup(key.id), null, 'one that was still under way')
  }),
  contractCase('what was read before a change is answered, but not kept', async () => {
    const { store, hold } = heldStore()
    const one = processOver(store)
    await store.put(FIRST)
    const go = hold()
    const reading = one.get(key)
    one.changed(key.id, editionOf(SECOND))
    go()
    same(seen(await reading), 1)
    same(one.lookup(key.id), null)
  }),
  {
    name: 'of pages that come from another process only the newest is kept',
    run() {
      const one = processOver(heldStore().store)
      one.changed(key.id, editionOf(SECOND))
      one.promote(FIRST)
      same(one.lookup(key.id), null)
      one.promote(SECOND)
      same(seen(one.lookup(key.id)), 2)
      return Promise.resolve()
    },
  },
  contractCase('what came between a page and its place below does not stay', async () => {
    const { store, hold } = heldStore()
    const one = processOver(store)
    const go = hold()
    const putting = one.put(SECOND)
    // Another process' page was below first, and is read here before ours is there.
    one.changed(key.id, editionOf(FIRST))
    one.promote(FIRST)
    same(seen(one.lookup(key.id)), 1)
    go()
    await putting
    same(one.lookup(key.id), null)
    same(seen(await one.get(key)), 2)
  }),
]
