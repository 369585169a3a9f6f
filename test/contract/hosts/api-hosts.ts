import { expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Other machines, where the panel has no links: what needs one says so. */
export const hostsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('hosts', makeInstance, (shared) => {
    const add = (body: unknown) => shared.admin.post('/api/hosts', body)

    const local = { name: 'local', local: true, state: 'open', weight: 1 }

    test('are the own one at first, and are for administrators', async () => {
      expect((await shared.admin.get('/api/hosts')).body.data).toMatchObject([local])
      await createAccount(shared.admin, 'hosta')
      const client = await accountClient(shared.instance, 'hosta')
      expect((await client.get('/api/hosts')).status).toBe(403)
      expect((await client.get('/api/hosts/sums')).status).toBe(403)
      expect((await shared.admin.get('/api/hosts/sums')).status).toBe(200)
      const invited = await client.post('/api/hosts', { name: 'two', address: '192.0.2.2' })
      expect(invited.status).toBe(403)
    })

    test('have a plain name and an address', async () => {
      for (const [body, field] of [
        [{ address: '192.0.2.2' }, 'name'],
        [{ name: 'Two', address: '192.0.2.2' }, 'name'],
        [{ name: '-two', address: '192.0.2.2' }, 'name'],
        [{ name: 'two' }, 'address'],
        [{ name: 'two', address: '192.0.2.2:0' }, 'address'],
        [{ name: 'two', address: 'https://192.0.2.2' }, 'address'],
        [{ name: 'two', address: '2001:db8::7' }, 'address'],
        [{ name: 'two', address: '[2001:db8::7' }, 'address'],
        [{ name: 'two', address: 'a b' }, 'address'],
        [{ name: 'two', address: '192.0.2.2', role: 'panel' }, 'role'],
        [{ name: 'two', address: '192.0.2.2', more: 1 }, 'more'],
      ] as const)
        expect(await add(body), JSON.stringify(body)).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining(field) as unknown },
        })
    })

    test('share no records where the panel is alone with them', async () => {
      const listed = await shared.admin.get('/api/panels')
      expect(listed.body.data).toMatchObject({ panels: [] })
      await createAccount(shared.admin, 'hostb')
      const client = await accountClient(shared.instance, 'hostb')
      expect((await client.get('/api/panels')).status).toBe(403)
      const at = { address: '192.0.2.2:7070' }
      expect((await client.post('/api/panels/invitations', at)).status).toBe(403)
      const refused = await shared.admin.post('/api/panels/invitations', at)
      // The second where the store could be shared, and nothing is there that could be handed over.
      expect([
        [409, expect.stringContaining('move-store')],
        [503, expect.stringContaining('hands nothing over')],
      ]).toContainEqual([refused.status, refused.body.error])
      expect((await shared.admin.post('/api/panels/invitations', { address: 'a b' })).status).toBe(
        400,
      )
      const link = { id: 'panel-1', certificate: 'none', key: 'A'.repeat(43) }
      const joining = { secret: 'A'.repeat(43), version: '1.0.0', link }
      expect((await shared.admin.post('/api/panels/join', joining)).status).toBe(refused.status)
      expect((await shared.admin.post('/api/panels/join', {})).status).toBe(400)
    })

    test('are invited by a panel with links alone', async () => {
      expect((await add({ name: 'two', address: '192.0.2.2' })).status).toBe(503)
      expect((await shared.admin.post('/api/hosts/two/open', {})).status).toBe(404)
      expect((await shared.admin.send('DELETE', '/api/hosts/two')).status).toBe(404)
      expect((await shared.admin.post('/api/hosts/two/rotate', {})).status).toBe(404)
      expect((await shared.admin.post('/api/hosts/local/rotate', {})).status).toBe(409)
      const rotate = (body: object) => shared.admin.post('/api/trusted-panels/rotate', body)
      expect((await rotate({})).status).toBe(503)
      expect((await rotate({ at_once: 'yes' })).status).toBe(400)
      await createAccount(shared.admin, 'hostc')
      const client = await accountClient(shared.instance, 'hostc')
      expect((await client.post('/api/trusted-panels/rotate', {})).status).toBe(403)
      expect((await client.post('/api/hosts/two/rotate', {})).status).toBe(403)
      expect((await shared.admin.get('/api/hosts')).body.data).toMatchObject([local])
    })
  })
}
