import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from './api-instance.ts'
import { accountClient, createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

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
        cpu: { count: 2, usage_percent: 12.5 },
        memory: { total_mb: 4096, used_mb: 1024 },
        disk: { total_mb: 50_000, used_mb: 10_000 },
        license: { tier: 'community', valid: true, problem: null },
        uptime_secs: 3600,
        load_average: [0.1, 0.2, 0.3],
      })
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
      expect((await shared.admin.post('/api/veloserve/reload')).status).toBe(200)
      expect((await shared.admin.post('/api/veloserve/restart')).status).toBe(200)
    })

    test('role account is 403 on all of it', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      for (const path of ['system/info', 'system/stats', 'veloserve/status', 'veloserve/version']) {
        expect((await alice.get(`/api/${path}`)).status).toBe(403)
      }
      for (const path of ['regenerate', 'reload', 'restart']) {
        expect((await alice.post(`/api/veloserve/${path}`)).status).toBe(403)
      }
    })
  })
}
