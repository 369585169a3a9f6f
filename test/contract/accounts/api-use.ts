import { expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, newAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** What programs of accounts use over time. */
export const accountUseContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('use of accounts', makeInstance, (shared) => {
    test('what programs of an account used is told to it and its administrators', async () => {
      const { host } = shared.instance
      const ids: number[] = []
      for (const name of ['user1', 'user2']) {
        const made = await shared.admin.post('/api/accounts', newAccount(name))
        ids.push((made.body.data as { id: number }).id)
      }
      const [own = 0, other = 0] = ids
      const use = {
        step_secs: 300,
        points: [
          { at_secs: 1_764_000_000, cpu_percent: 12.5, memory_mb: 80, tasks: 4 },
          { at_secs: 1_764_000_300, cpu_percent: null, memory_mb: null, tasks: null },
        ],
        memory_ends: [{ at_secs: 1_764_000_300, count: 1 }],
        disk_held_by: 'kernel' as const,
      }
      host.accountUse.used.set('user1', use)
      const client = await accountClient(shared.instance, 'user1')
      for (const who of [client, shared.admin])
        expect((await who.get(`/api/accounts/${own}/use`)).body.data).toEqual(use)
      expect((await client.get(`/api/accounts/${other}/use`)).status).toBe(404)
      expect((await shared.admin.get('/api/accounts/999/use')).status).toBe(404)
      expect((await shared.admin.get(`/api/accounts/${other}/use`)).body.data).toEqual({
        ...{ step_secs: 300, points: [], memory_ends: [], disk_held_by: 'berth' },
      })
    })
  })
}
