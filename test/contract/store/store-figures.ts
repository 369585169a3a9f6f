import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FiguresRow } from '#handlers/ports/store/figures-store.ts'
import { account, domain, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const row = (domainId: number, day: string, requests: number, sketch: string | null = 'f') => ({
  ...{ domain_id: domainId, day, requests, visitors: 1, bytes: 9_000_000_000, hits: 2, misses: 3 },
  ...{ bot_requests: 4, bot_bytes: 5, details: '{}', sketch },
})

/** Figures of sites, in every store. */
export const figuresStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`figures of sites in ${name}`, () => {
    let subject: StoreSubject
    let site: number
    beforeAll(async () => {
      subject = await create()
      const made = await subject.store.insertAccount(
        account('anna'),
        domain('anna.example'),
        operation('anna'),
        UNLIMITED,
      )
      if (typeof made !== 'object') throw new Error('no account')
      site = made.domain.id
    })
    afterAll(() => subject.dispose())

    const days = async (from = '0000', to = '9999'): Promise<[string, number][]> =>
      (await subject.store.listFigures(site, from, to)).map(({ day, requests }) => [day, requests])

    test('are put with the name of their batch, and replaced', async () => {
      const { store } = subject
      expect(await store.figuresBatch()).toBeNull()
      expect(await store.firstFigures(site)).toBeNull()
      const first: FiguresRow = row(site, '2026-11-24', 1)
      await store.putFigures('one', [first, row(site, '2026-11-22', 7), row(999, '2026-11-24', 8)])
      expect(await store.figuresBatch()).toBe('one')
      expect(await store.figuresOfDay(site, '2026-11-24')).toEqual(first)
      expect(await store.figuresOfDay(999, '2026-11-24')).toBeNull()
      await store.putFigures('two', [row(site, '2026-11-24', 2)])
      await store.putFigures('two', [row(site, '2026-11-24', 9)])
      await store.putFigures(null, [row(site, '2026-11-25', 3)])
      expect(await store.figuresBatch()).toBe('two')
      expect(await days()).toEqual([
        ['2026-11-22', 7],
        ['2026-11-24', 2],
        ['2026-11-25', 3],
      ])
      expect(await days('2026-11-23', '2026-11-24')).toEqual([['2026-11-24', 2]])
      expect(await store.firstFigures(site)).toBe('2026-11-22')
    })

    test('are told for all sites of an account, day by day', async () => {
      const counts = await subject.store.listAccountFigures(1, '2026-11-24', '2026-11-25')
      expect(counts.map((one) => [one.domain_name, one.day, one.requests, one.bytes])).toEqual([
        ['anna.example', '2026-11-24', 2, 9_000_000_000],
        ['anna.example', '2026-11-25', 3, 9_000_000_000],
      ])
      expect(Object.keys(counts[0] ?? {})).not.toContain('details')
      expect(await subject.store.listAccountFigures(999, '0000', '9999')).toEqual([])
    })

    test('are found while they are open, and go with time and with their domain', async () => {
      const { store } = subject
      const open = async (day: string): Promise<string[]> =>
        (await store.openFigures(day, 10)).map((one) => one.day)
      expect(await open('2026-11-24')).toEqual(['2026-11-22'])
      expect(await store.openFigures('2026-12-01', 2)).toHaveLength(2)
      await store.putFigures(null, [row(site, '2026-11-22', 7, null)])
      expect(await open('2026-11-24')).toEqual([])
      await store.deleteFigures('2026-11-24')
      expect(await days()).toEqual([
        ['2026-11-24', 2],
        ['2026-11-25', 3],
      ])
      await store.deleteDomain(site)
      expect(await days()).toEqual([])
    })
  })
}
