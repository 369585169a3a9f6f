import { beforeAll, expect, test } from 'vitest'
import { DOMAIN_NOT_FOUND } from '#handlers/services/records/lookup.ts'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { aliceAndBobby } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** What owners are shown of their sites' visitors; figures themselves are tried in `test/unit/services`. */
export const figuresContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('figures of sites', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    let path: string
    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
      const { body } = await alice.get('/api/domains')
      const [site] = body.data as { id: number }[]
      path = `/api/domains/${site?.id ?? 0}/figures`
    })

    test('of a new site are there, and empty', async () => {
      const { status, body } = await alice.get(path)
      expect(status).toBe(200)
      const none = { requests: 0, visitors: 0, bytes: 0, hits: 0, misses: 0, hit_rate: null }
      expect(body.data).toMatchObject({
        ...{ time_zone: 'UTC', counted_since: null, days: [], totals: none },
        ...{ statuses: [], pages: [], slow_pages: [], missing_pages: [], referrers: [], bots: [] },
      })
      const { from, to } = body.data as { from: string; to: string }
      expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(29)
      const asked = await alice.get(`${path}?from=2026-11-01&to=2026-11-03`)
      expect(asked.body.data).toMatchObject({ from: '2026-11-01', to: '2026-11-03' })
    })

    test('of all sites of an account are there too, for whom they concern', async () => {
      const me = (await alice.get('/api/auth/me')).body.data as { account_id: number }
      const all = `/api/accounts/${me.account_id}/figures`
      expect((await alice.get(`${all}?from=2026-11-01&to=2026-11-03`)).body.data).toMatchObject({
        ...{ time_zone: 'UTC', from: '2026-11-01', to: '2026-11-03', days: [], sites: [] },
        totals: { requests: 0, visitors: 0, hit_rate: null },
      })
      expect((await shared.admin.get(all)).status).toBe(200)
      expect((await bobby.get(all)).status).toBe(404)
      expect((await alice.get(`${all}?from=yesterday`)).status).toBe(400)
      expect((await shared.admin.get('/api/accounts/999/figures')).status).toBe(404)
    })

    test('are a table as well, whose head is there without a day', async () => {
      const answer = await shared.instance.fetch(`${path}.csv`, {
        headers: { authorization: `Bearer ${alice.token ?? ''}` },
      })
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="alice.example-visitors.csv"',
      )
      expect(await answer.text()).toMatch(/^day,requests,visitors,[a-z0-9_,]+\r\n$/)
    })

    test.each([
      ['from', 'from=yesterday'],
      ['from', 'from=2026-02-30'],
      ['to', 'to=2026-1-1'],
      ['from', 'from=2026-11-02&to=2026-11-01'],
      ['from', 'from=2024-01-01&to=2026-01-01'],
    ])('are refused with the name of %s for %s', async (field, query) => {
      for (const kind of ['', '.csv']) {
        const { status, body } = await alice.get(`${path}${kind}?${query}`)
        expect([status, body.error?.split(' ')[0]]).toEqual([400, field])
      }
    })

    test('are shown to their owner and to administrators', async () => {
      expect((await shared.admin.get(path)).status).toBe(200)
      for (const one of [path, `${path}.csv`, '/api/domains/999/figures'])
        expect(await bobby.get(one)).toMatchObject({
          status: 404,
          body: { error: DOMAIN_NOT_FOUND },
        })
    })
  })
}
