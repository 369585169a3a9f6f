import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** System facts and control of the web server. */
export const systemContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('system and web server', makeInstance, (shared) => {
    beforeAll(() => createAccount(shared.admin, 'alice'))

    test('info', async () => {
      const { body } = await shared.admin.get('/api/system/info')
      const data = body.data as Record<string, unknown>
      for (const field of ['hostname', 'os', 'kernel', 'arch', 'cpu_model']) {
        expect(data[field]).toEqual(expect.any(String))
      }
      for (const field of [
        'cpu_count',
        'cpu_usage_percent',
        'memory_total_mb',
        'memory_used_mb',
        'disk_total_mb',
        'disk_used_mb',
        'uptime_secs',
        'process_count',
      ]) {
        expect(data[field]).toEqual(expect.any(Number))
      }
      expect(data['load_average']).toHaveLength(3)
    })

    test('stats', async () => {
      const { body } = await shared.admin.get('/api/system/stats')
      expect(body.data).toEqual({
        accounts: { count: 1, limit: 5 },
        domains: { count: 1, limit: 10 },
        databases: { count: 0 },
        cpu: { count: 2, usage_percent: 12.5 },
        memory: { total_mb: 4096, used_mb: 1024 },
        disk: { total_mb: 50_000, used_mb: 10_000, used_week_ago_mb: null },
        license: { tier: 'community', valid: true, problem: null },
        uptime_secs: 3600,
        load_average: [0.1, 0.2, 0.3],
      })
    })

    test('recovery, for administrators alone', async () => {
      const { status, body } = await shared.admin.get('/api/system/recovery')
      expect([status, body.data]).toEqual([200, null])
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/system/recovery')).status).toBe(403)
    })

    test('status and version', async () => {
      const { body } = await shared.admin.get('/api/veloserve/status')
      expect(body.data).toMatchObject({
        installed: true,
        running: true,
        version: '1.0.0',
        pid: 4242,
        uptime_secs: 60,
      })
      const version = await shared.admin.get('/api/veloserve/version')
      expect(version.body.data).toEqual({ version: '1.0.0' })
    })

    test('regenerate, reload, restart', async () => {
      const { body } = await shared.admin.post('/api/veloserve/regenerate')
      // What says the same already is not written.
      expect(body.data).toEqual({ written: 0, removed: 0 })
      const { host } = shared.instance
      host.webServer.restartNeeded = ['server.listen']
      expect((await shared.admin.post('/api/veloserve/reload')).body.data).toEqual({
        reloaded: true,
        restart_needed: ['server.listen'],
      })
      host.webServer.restartNeeded = []
      expect((await shared.admin.post('/api/veloserve/restart')).status).toBe(200)
    })

    test('history: even times, a value for each in every series', async () => {
      const { body } = await shared.admin.get('/api/system/history')
      const data = body.data as {
        range: string
        step_secs: number
        from: number
        to: number
        times: number[]
        series: Record<string, (number | null)[]>
      }
      expect(data).toMatchObject({ range: '1h', step_secs: 10 })
      expect(data.times).toHaveLength(360)
      expect([data.times[0], data.times.at(-1)]).toEqual([data.from, data.to])
      for (const values of Object.values(data.series)) expect(values).toHaveLength(360)
      // Here nobody takes samples but whoever reads.
      expect(data.series['cpu_percent']?.at(-1)).toBe(12.5)
      expect(data.series['memory_percent']?.at(-1)).toBe(25)
      expect(data.series['load_15']?.at(-1)).toBe(0.3)
      expect(data.series['requests_per_sec']?.at(-1)).toBeNull()
      expect(data.series['cpu_percent']?.[0]).toBeNull()
      const since = await shared.admin.get(`/api/system/history?range=1h&since=${data.to - 20}`)
      const newer = (since.body.data as typeof data).times
      expect(newer.slice(0, 2)).toEqual([data.to - 10, data.to])
    })

    test('history: every range, and no other', async () => {
      for (const [range, step, length] of [
        ['15m', 10, 90],
        ['24h', 60, 1440],
        ['7d', 600, 1008],
      ] as const) {
        const { body } = await shared.admin.get(`/api/system/history?range=${range}`)
        const data = body.data as { step_secs: number; times: number[] }
        expect([data.step_secs, data.times.length]).toEqual([step, length])
      }
      for (const query of ['range=2d', 'range=', 'range=1h&since=x', 'since=-1']) {
        const { status, body } = await shared.admin.get(`/api/system/history?${query}`)
        expect([query, status]).toEqual([query, 400])
        expect(body.error).toMatch(/range|since/)
      }
    })

    test('role account is 403 on all of it', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      for (const path of [
        'system/info',
        'system/stats',
        'system/history',
        'veloserve/status',
        'veloserve/version',
      ]) {
        expect((await alice.get(`/api/${path}`)).status).toBe(403)
      }
      for (const path of ['regenerate', 'reload', 'restart']) {
        expect((await alice.post(`/api/veloserve/${path}`)).status).toBe(403)
      }
    })
  })
}
