import { beforeEach, describe, expect, test } from 'vitest'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import { VisitorSketch } from '#handlers/domain/figures/visitor-sketch.ts'
import type { DayFigures, FiguresPart } from '#handlers/ports/host/figures.ts'
import type { figuresSchema } from '#handlers/panel/figures/schema.ts'
import type { z } from 'zod'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

type View = z.output<typeof figuresSchema>

const sketch = (...hashes: number[]): string => {
  const made = new VisitorSketch()
  for (const hash of hashes) made.add(hash)
  return made.toText()
}

const part = (day: string, figures: Partial<DayFigures>, site = 'alice.example'): FiguresPart => ({
  ...{ site, day },
  figures: { ...new SiteDay().figures(), ...figures },
})

describe('figures of a site', () => {
  let id: number
  let today: string
  const dayAgo = (days: number): string =>
    new Date(api.clock.nowMs() - days * 86_400_000).toISOString().slice(0, 10)
  freshApi('alice')
  beforeEach(async () => {
    const { body } = await admin.get('/api/domains')
    id = (body.data as { id: number }[])[0]?.id ?? 0
    today = dayAgo(0)
  })

  const collect = async (...parts: FiguresPart[]): Promise<void> => {
    api.host.webServer.figures = parts
    await api.app.collectFigures()
  }
  const shown = async (query = ''): Promise<View> =>
    (await admin.get(`/api/domains/${id}/figures${query}`)).body.data as View

  test('of all sites of an account are added up by day and by site', async () => {
    const { body } = await admin.get(`/api/domains/${id}`)
    const { account_id } = (body.data ?? {}) as { account_id?: number }
    await collect(
      part(today, { requests: 4, hits: 3, misses: 1, visitors: sketch(1, 2) }),
      part(dayAgo(1), { requests: 2, bot_requests: 1, visitors: sketch(1) }),
    )
    const all = await admin.get(`/api/accounts/${account_id ?? 1}/figures`)
    expect(all.body.data).toMatchObject({
      totals: { requests: 6, visitors: 3, hits: 3, misses: 1, bot_requests: 1, hit_rate: 0.75 },
      days: [
        { day: dayAgo(1), requests: 2 },
        { day: today, requests: 4 },
      ],
      sites: [{ domain_name: 'alice.example', requests: 6, visitors: 3, hit_rate: 0.75 }],
    })
  })

  test('are added up, of workers, of turns and of days', async () => {
    await collect(
      part(today, { requests: 2, hits: 1, misses: 1, visitors: sketch(1, 2), pages: [['/', 2]] }),
      part(today, {
        requests: 3,
        visitors: sketch(2, 3),
        pages: [
          ['/', 1],
          ['/a', 1],
        ],
      }),
      part('2026-01-01', { requests: 9 }, 'nobody.test'),
    )
    await collect(part(today, { requests: 1, visitors: sketch(3, 4), statuses: { 404: 1 } }))
    await collect(part(dayAgo(1), { requests: 5, visitors: sketch(1), statuses: { 200: 5 } }))
    const view = await shown()
    expect(view.counted_since).toBe(dayAgo(1))
    expect(view.days.map(({ day, requests, visitors }) => [day, requests, visitors])).toEqual([
      [dayAgo(1), 5, 1],
      [today, 6, 4],
    ])
    expect(view.totals).toMatchObject({ requests: 11, visitors: 5, hit_rate: 0.5 })
    expect(view.totals.statuses).toEqual({ '1xx': 0, '2xx': 5, '3xx': 0, '4xx': 1, '5xx': 0 })
    expect(view.statuses).toEqual([
      { status: '200', count: 5 },
      { status: '404', count: 1 },
    ])
    expect(view.pages).toEqual([
      { path: '/', count: 3 },
      { path: '/a', count: 1 },
    ])
    expect((await shown(`?from=${today}`)).totals.requests).toBe(6)
  })

  test('are counted once, also where the panel died after it had stored them', async () => {
    await collect(part(today, { requests: 2 }))
    // Nothing is acknowledged twice, and a batch with nothing in it blocks none.
    await api.app.collectFigures()
    await api.app.collectFigures()
    await collect(part(today, { requests: 3 }))
    await Promise.all([api.app.collectFigures(), api.app.collectFigures()])
    expect((await shown()).totals.requests).toBe(5)
  })

  test('tell slow pages by their mean time', async () => {
    await collect(
      part(today, {
        slow: [
          ['/often', 1000, 100, 50],
          ['/slow', 900, 3, 500],
          ['/once', 2000, 1, 2000],
        ],
      }),
    )
    expect((await shown()).slow_pages).toEqual([
      { path: '/slow', count: 3, mean_ms: 300, longest_ms: 500 },
      { path: '/often', count: 100, mean_ms: 10, longest_ms: 50 },
    ])
  })

  test('lose what visitors are told apart by once the day is over, and days after 13 months', async () => {
    await collect(part(today, { requests: 1, visitors: sketch(1, 2) }))
    const kept = async () => api.store.listFigures(id, '0000', '9999')
    expect((await kept())[0]?.sketch).not.toBeNull()
    api.clock.advanceSecs(86_400)
    await api.app.collectFigures()
    expect((await kept())[0]?.sketch).not.toBeNull()
    api.clock.advanceSecs(86_400)
    await api.app.collectFigures()
    expect(await kept()).toMatchObject([{ day: today, visitors: 2, sketch: null }])
    // Too late to be told apart.
    await collect(part(today, { requests: 1, visitors: sketch(9) }))
    expect(await kept()).toMatchObject([{ requests: 2, visitors: 2, sketch: null }])
    api.clock.advanceSecs(399 * 86_400)
    await api.app.collectFigures()
    expect(await kept()).toEqual([])
    await collect(part(today, { requests: 1 }))
    expect(await kept()).toEqual([])
  })

  test('of an alias are those of its site', async () => {
    const site = (await admin.get(`/api/domains/${id}`)).body.data as { document_root: string }
    const made = await admin.post('/api/domains', {
      account_id: 1,
      domain_name: 'other.example',
      domain_type: 'alias',
      document_root: site.document_root,
    })
    expect(made.status).toBe(200)
    await collect(part(today, { requests: 4 }))
    const alias = (made.body.data as { id: number }).id
    const { body } = await admin.get(`/api/domains/${alias}/figures`)
    expect((body.data as View).totals.requests).toBe(4)
  })

  test('are a table of numbers, whatever visitors asked for', async () => {
    await collect(
      part(today, { requests: 2, bytes: 5, pages: [['/=cmd', 1]], statuses: { 200: 2 } }),
    )
    await collect(part(dayAgo(40), { requests: 1 }))
    const answer = await api.fetch(`/api/domains/${id}/figures.csv?from=${dayAgo(60)}`, {
      headers: { authorization: `Bearer ${admin.token ?? ''}` },
    })
    expect((await answer.text()).split('\r\n').slice(1)).toEqual([
      `${dayAgo(40)},1,0,0,0,0,0,0,0,0,0,0,0`,
      `${today},2,0,5,0,0,0,0,0,2,0,0,0`,
      '',
    ])
  })

  test('are shown while an account is suspended, and go with the domain', async () => {
    await collect(part(today, { requests: 2 }))
    await admin.post('/api/accounts/1/suspend', {})
    expect((await shown()).totals.requests).toBe(2)
    await admin.del('/api/accounts/1')
    expect(await api.store.listFigures(id, '0000', '9999')).toEqual([])
  })
})
