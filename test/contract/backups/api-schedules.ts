import { expect, test } from 'vitest'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface AccountSchedule {
  account_id: number
  username: string
  source: string
  schedule: Record<string, unknown>
  next_run_at: string | null
}

const NIGHTLY = {
  what: 'archive',
  every_hours: 24,
  window: { from: 22, to: 4 },
  places: ['local'],
  retention: { last: 0, hourly: 0, daily: 7, weekly: 4, monthly: 6 },
}

/** `/api/backups/schedules` and `/api/backups/state`. */
export const schedulesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('schedules of backups', makeInstance, (shared) => {
    let id = 0
    const path = () => `/api/backups/schedules/accounts/${id}`
    const effective = async () => (await shared.admin.get(path())).body.data as AccountSchedule

    test('the default is that of the configuration, here: none', async () => {
      id = (await createAccount(shared.admin, 'alice')).id
      const { data } = (await shared.admin.get('/api/backups/schedules')).body
      expect(data).toMatchObject({ default: { what: 'none', places: ['local'] }, plans: [] })
      expect(await effective()).toMatchObject({
        account_id: id,
        username: 'alice',
        source: 'default',
        next_run_at: null,
        last_run: null,
      })
    })

    test('a plan’s holds for its accounts, an account’s own before it', async () => {
      const ofPlan = '/api/backups/schedules/plans/free'
      const set = await shared.admin.send('PUT', ofPlan, NIGHTLY)
      expect([set.status, set.body.data]).toEqual([
        200,
        expect.objectContaining({ plan: 'free', schedule: NIGHTLY }),
      ])
      expect((await shared.admin.get(ofPlan)).body.data).toEqual(set.body.data)
      const held = await effective()
      expect(held).toMatchObject({ source: 'plan', schedule: NIGHTLY })
      expect(held.next_run_at).toMatch(/ 22:00:00$/)

      const own = await shared.admin.send('PUT', path(), { what: 'snapshot', every_hours: 6 })
      expect(own.body.data).toMatchObject({
        source: 'account',
        schedule: { what: 'snapshot', every_hours: 6, window: null, places: ['local'] },
      })
      const list = await shared.admin.get('/api/backups/schedules/accounts?sort=username')
      expect([list.headers.get('x-total-count'), list.body.data]).toEqual([
        '1',
        [expect.objectContaining({ username: 'alice', source: 'account' })],
      ])
      expect((await shared.admin.del(path())).body.data).toMatchObject({ source: 'plan' })
      expect((await shared.admin.del(path())).status).toBe(404)
      expect((await shared.admin.del(ofPlan)).body.data).toEqual({ plan: 'free', deleted: true })
      expect((await shared.admin.del(ofPlan)).status).toBe(404)
      expect((await shared.admin.get(ofPlan)).status).toBe(404)
    })

    test('what makes no sense is refused with the name of the field', async () => {
      for (const [change, field] of [
        [{ what: 'all' }, 'what'],
        [{ every_hours: 5 }, 'every_hours'],
        [{ every_hours: '24' }, 'every_hours'],
        [{ window: { from: 2, to: 2 } }, 'window'],
        [{ window: { from: 2, to: 24 } }, 'window'],
        [{ window: 'night' }, 'window'],
        [{ places: [] }, 'places'],
        [{ places: ['local', 'local'] }, 'places'],
        [{ places: ['nowhere'] }, 'places'],
        [{ retention: {} }, 'retention'],
        [{ retention: { daily: -1 } }, 'retention'],
        [{ retention: { yearly: 1 } }, 'retention'],
        [{ keep: 3 }, ''],
      ] as const) {
        const answer = await shared.admin.send('PUT', path(), { ...NIGHTLY, ...change })
        expect([change, answer.status]).toEqual([change, 400])
        expect(answer.body.error).toContain(field)
      }
      for (const missing of ['plans/nothing', 'accounts/999']) {
        const target = `/api/backups/schedules/${missing}`
        expect([missing, (await shared.admin.send('PUT', target, NIGHTLY)).status]).toEqual([
          missing,
          404,
        ])
        expect((await shared.admin.get(target)).status).toBe(404)
      }
      expect(await effective()).toMatchObject({ source: 'default' })
    })

    test('owners read theirs, and change none', async () => {
      const other = await createAccount(shared.admin, 'bobby')
      await shared.admin.send('PUT', '/api/backups/schedules/plans/free', NIGHTLY)
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get(path())).body.data).toMatchObject({ source: 'plan' })
      const theirs = `/api/backups/schedules/accounts/${other.id}`
      expect((await alice.get(theirs)).status).toBe(404)
      const list = await alice.get('/api/backups/schedules/accounts')
      expect((list.body.data as AccountSchedule[]).map(({ username }) => username)).toEqual([
        'alice',
      ])
      for (const [method, target] of [
        ['PUT', path()],
        ['DELETE', path()],
        ['PUT', theirs],
        ['GET', '/api/backups/schedules'],
        ['PUT', '/api/backups/schedules/plans/free'],
        ['DELETE', '/api/backups/schedules/plans/free'],
      ] as const) {
        const body = method === 'PUT' ? NIGHTLY : undefined
        expect([method, target, (await alice.send(method, target, body)).status]).toEqual([
          method,
          target,
          403,
        ])
        expect((await apiClient(shared.instance).send(method, target, body)).status).toBe(401)
      }
    })

    test('the state tells what is wrong, to an owner of the own account alone', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/backups/state')).body.data).toMatchObject({
        failed: [],
        overdue: [],
        unscheduled: 0,
        running: 0,
        last_success_at: null,
        next_run_at: expect.stringMatching(/ 22:00:00$/),
      })
      await shared.admin.send('PUT', '/api/backups/schedules/accounts/2', { what: 'none' })
      const all = (await shared.admin.get('/api/backups/state')).body.data
      expect(all).toMatchObject({ unscheduled: 1 })
      expect((await alice.get('/api/backups/state')).body.data).toMatchObject({ unscheduled: 0 })
      expect((await apiClient(shared.instance).get('/api/backups/state')).status).toBe(401)
    })
  })
}
