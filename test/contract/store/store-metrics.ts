import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_VALUES } from '#handlers/services/host/average-values.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreSubject } from './store-subject.ts'

const START = 1_799_999_400

/** Averages for the charts, in every store. */
export const metricsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`metrics in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())
    const row = (at_secs: number, cpu_percent: number | null) => ({
      ...NO_VALUES,
      at_secs,
      cpu_percent,
    })

    test('answer periods in order, gaps as null; the first of a period counts', async () => {
      await store.putMetric(60, row(START + 60, 20))
      await store.putMetric(60, row(START, 10))
      await store.putMetric(60, row(START, 99))
      await store.putMetric(60, row(START + 120, null))
      expect(await store.metrics(60, START, START + 180)).toEqual([
        row(START, 10),
        row(START + 60, 20),
        row(START + 120, null),
      ])
      expect(await store.metrics(60, START + 60, START + 120)).toEqual([row(START + 60, 20)])
      expect(await store.metrics(600, 0, START + 6000)).toEqual([])
    })

    test('are rolled up, again and again with the same outcome', async () => {
      await store.putMetric(60, row(START + 660, 50))
      for (let times = 0; times < 2; times++) {
        await store.rollMetrics(START - 600, START + 1200)
        expect(await store.metrics(600, 0, START + 6000)).toEqual([
          row(START, 15),
          row(START + 600, 50),
        ])
      }
    })

    test("are each host's own", async () => {
      await store.putMetric(60, row(START, 70), 5)
      await store.rollMetrics(START, START + 600, 5)
      expect(await store.metrics(60, START, START + 60, 5)).toEqual([row(START, 70)])
      expect(await store.metrics(600, 0, START + 6000, 5)).toEqual([row(START, 70)])
      expect(await store.metrics(60, START, START + 60)).toEqual([row(START, 10)])
      expect(await store.metrics(600, START, START + 600)).toEqual([row(START, 15)])
    })

    test('are removed at both ends, of one length alone', async () => {
      await store.pruneMetrics(60, START + 60, START + 600)
      expect((await store.metrics(60, 0, START + 6000)).map(({ at_secs }) => at_secs)).toEqual([
        START + 60,
        START + 120,
      ])
      expect(await store.metrics(600, 0, START + 6000)).toHaveLength(2)
    })
  })
}
