import { expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, ADMIN, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface Session {
  id: number
  owner: string
  current: boolean
  acting_admin: string | null
  address: string | null
  device: string | null
  [field: string]: unknown
}

const listOf = async (client: ApiClient, query = ''): Promise<Session[]> => {
  const { status, body } = await client.get(`/api/sessions${query}`)
  expect(status).toBe(200)
  return body.data as Session[]
}
const owners = (sessions: Session[]): string[] => sessions.map(({ owner }) => owner)
const current = (sessions: Session[]): Session => {
  const found = sessions.find((one) => one.current)
  if (found === undefined) throw new Error('no session is the current one')
  return found
}

/** Who is logged in, and ending that. */
export const sessionsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('sessions', makeInstance, (shared: Shared) => {
    const loginFrom = async (
      user: { username: string; password: string },
      { device = '', address = '203.0.113.9' } = {},
    ): Promise<ApiClient> => {
      const response = await shared.instance.fetch(
        '/api/auth/login',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': device },
          body: JSON.stringify(user),
        },
        address,
      )
      const { data } = (await response.json()) as { data: { token: string } }
      return apiClient(shared.instance, data.token)
    }

    test('a login is listed with where, what and until when', async () => {
      const device =
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
      const client = await loginFrom(ADMIN, { device })
      const list = await listOf(client)
      expect(current(list)).toEqual({
        id: expect.any(Number),
        role: 'admin',
        owner: ADMIN.username,
        account_id: null,
        current: true,
        acting_admin: null,
        began_at: expect.any(String),
        seen_at: expect.any(String),
        expires_at: expect.any(String),
        address: '203.0.113.9',
        device: 'Chrome, Linux',
      })
      expect(JSON.stringify(list)).not.toContain('jti')
      expect((await client.post('/api/auth/logout')).status).toBe(200)
      expect((await client.get('/api/sessions')).status).toBe(401)
      expect((await listOf(shared.admin)).map(({ address }) => address)).not.toContain(
        '203.0.113.9',
      )
    })

    test('one is ended by its user, and refused with the next request', async () => {
      await createAccount(shared.admin, 'walker')
      const here = await accountClient(shared.instance, 'walker')
      const there = await accountClient(shared.instance, 'walker')
      const list = await listOf(here)
      expect(owners(list)).toEqual(['walker', 'walker'])
      const other = list.find((one) => !one.current)
      expect((await here.del(`/api/sessions/${other?.id}`)).body.data).toEqual({
        id: other?.id,
        ended: true,
      })
      expect((await there.get('/api/auth/me')).status).toBe(401)
      expect((await here.get('/api/auth/me')).status).toBe(200)
      expect((await here.del(`/api/sessions/${other?.id}`)).status).toBe(404)
    })

    test('all others end at once', async () => {
      const here = await accountClient(shared.instance, 'walker')
      const there = await accountClient(shared.instance, 'walker')
      const { body } = await here.del('/api/sessions')
      expect((body.data as { ended: number }).ended).toBeGreaterThan(0)
      expect((await there.get('/api/auth/me')).status).toBe(401)
      expect(owners(await listOf(here))).toEqual(['walker'])
      expect((await here.del('/api/sessions')).body.data).toEqual({ ended: 0 })
    })

    test('an account sees and ends its own alone; an administrator everybody’s', async () => {
      await createAccount(shared.admin, 'neighbour')
      const neighbour = await accountClient(shared.instance, 'neighbour')
      const walker = await accountClient(shared.instance, 'walker')
      const { id } = current(await listOf(neighbour))
      const boss = current(await listOf(shared.admin))
      for (const foreign of [id, boss.id, 10 ** 9]) {
        const answer = await walker.del(`/api/sessions/${foreign}`)
        expect([answer.status, answer.body.error]).toEqual([
          404,
          'Session not found. It may have ended; list the sessions to see which ones stand.',
        ])
      }
      expect((await neighbour.get('/api/auth/me')).status).toBe(200)
      expect(owners(await listOf(shared.admin, '?q=neighb'))).toEqual(['neighbour'])
      expect((await shared.admin.del(`/api/sessions/${id}`)).status).toBe(200)
      expect((await neighbour.get('/api/auth/me')).status).toBe(401)
    })

    test('a visit names the administrator to the account, which can end it, not from where', async () => {
      const { id } = await createAccount(shared.admin, 'hosted')
      const boss = await loginFrom(ADMIN)
      const { body } = await boss.post(`/api/accounts/${id}/login`)
      const visit = apiClient(shared.instance, (body.data as { token: string }).token)
      const owner = await accountClient(shared.instance, 'hosted')
      const seen = (await listOf(owner)).find((one) => !one.current)
      expect(seen).toMatchObject({ acting_admin: ADMIN.username, address: null, device: null })
      expect((await visit.del(`/api/sessions/${current(await listOf(owner)).id}`)).status).toBe(403)
      expect((await visit.del('/api/sessions')).status).toBe(403)
      expect((await owner.del(`/api/sessions/${seen?.id}`)).status).toBe(200)
      expect((await visit.get('/api/auth/me')).status).toBe(401)
      expect((await boss.get('/api/auth/me')).status).toBe(200)
    })

    test('the end of an administrator’s session ends the visits that began from it', async () => {
      const { id } = await createAccount(shared.admin, 'visited')
      const boss = await loginFrom(ADMIN, { device: 'curl/8.1' })
      const { body } = await boss.post(`/api/accounts/${id}/login`)
      const visit = apiClient(shared.instance, (body.data as { token: string }).token)
      const own = current(await listOf(boss))
      expect(own.device).toBe('curl')
      expect((await shared.admin.del(`/api/sessions/${own.id}`)).status).toBe(200)
      expect((await visit.get('/api/auth/me')).status).toBe(401)
      const owner = await accountClient(shared.instance, 'visited')
      expect(await listOf(owner)).toHaveLength(1)
    })

    test('a changed password leaves the new session alone on the list', async () => {
      await createAccount(shared.admin, 'changer')
      const client = await accountClient(shared.instance, 'changer')
      await accountClient(shared.instance, 'changer')
      const { body } = await client.post('/api/auth/password', {
        current_password: 'account password',
        new_password: 'a brand new one',
      })
      client.token = (body.data as { token: string }).token
      const list = await listOf(client)
      expect(list.map((one) => one.current)).toEqual([true])
    })

    test('API tokens end no sessions', async () => {
      const { body } = await shared.admin.post('/api/tokens', {
        name: 'all',
        scopes: ['read', 'write'],
      })
      const token = apiClient(shared.instance, (body.data as { token: string }).token)
      const list = await listOf(token)
      expect(list.some((one) => one.current)).toBe(false)
      expect((await token.del(`/api/sessions/${list[0]?.id}`)).status).toBe(403)
      expect((await token.del('/api/sessions')).status).toBe(403)
    })
  })
}
