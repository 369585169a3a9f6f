import { expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import {
  accountClient,
  ADMIN,
  apiClient,
  createAccount,
  newAccount,
} from '../frame/api-instance.ts'
import { newPerson, personClient } from '../access/joining.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface Entry {
  actor: string | null
  role: string | null
  via: string | null
  action: string
  target: string
  address: string
  status: number
  result: string
  at: string
}

const entries = async (shared: Shared, query = ''): Promise<Entry[]> =>
  (await shared.admin.get(`/api/audit${query}`)).body.data as Entry[]

/** Waits until an entry is there: it is written after the answer. */
const found = async (shared: Shared, query: string, expected: Partial<Entry>): Promise<void> => {
  await expect.poll(() => entries(shared, query)).toContainEqual(expect.objectContaining(expected))
}

/** The audit log. */
export const auditContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('audit log', makeInstance, (shared) => {
    test('holds who changed what, from where, and what became of it', async () => {
      const { id } = await createAccount(shared.admin, 'alice')
      await found(shared, '?q=accounts', {
        actor: 'boss',
        role: 'admin',
        via: null,
        action: 'POST /api/accounts',
        target: 'username=alice domain=alice.example plan=free',
        address: '192.0.2.1',
        status: 200,
        result: 'done',
      })
      await shared.admin.post('/api/accounts', newAccount('alice'))
      await found(shared, '?result=denied', { action: 'POST /api/accounts', status: 409 })
      const alice = await accountClient(shared.instance, 'alice')
      await found(shared, '?actor=alice', {
        action: 'POST /api/auth/login',
        role: 'account',
        status: 200,
      })
      await alice.post('/api/veloserve/restart')
      await found(shared, '?actor=alice&result=denied', {
        action: 'POST /api/veloserve/restart',
        status: 403,
      })
      await shared.admin.get('/api/ssl/renew/nowhere.example')
      await found(shared, '?q=renew', { target: 'domain=nowhere.example', status: 404 })
      const { token } = (await shared.admin.post(`/api/accounts/${id}/login`)).body.data as {
        token: string
      }
      await found(shared, '?q=login', {
        actor: 'boss',
        action: 'POST /api/accounts/:id/login',
        target: `id=${id} account=alice`,
      })
      await apiClient(shared.instance, token).post('/api/files/mkdir', {
        account_id: id,
        path: 'made-by-visitor',
      })
      await found(shared, '?q=made-by-visitor', { actor: 'alice', via: 'boss' })
      await shared.instance.fetch(`/api/files/upload?account_id=${id}&path=sent.txt`, {
        method: 'POST',
        headers: {
          'content-type': 'application/octet-stream',
          authorization: `Bearer ${token}`,
        },
        body: 'text',
      })
      await found(shared, '?q=upload', {
        target: `account_id=${id} path=sent.txt account=alice`,
        status: 200,
      })
      const made = await shared.admin.post('/api/tokens', { name: 'robot', scopes: ['write'] })
      await apiClient(shared.instance, (made.body.data as { token: string }).token).post(
        '/api/veloserve/reload',
      )
      await found(shared, '?q=robot', {
        actor: 'boss',
        via: 'token robot',
        action: 'POST /api/veloserve/reload',
      })
    })

    test('names the account in which a person comes in and works', async () => {
      const { id } = await createAccount(shared.admin, 'crew')
      const email = 'anna@mail.example'
      const anna = await newPerson(shared.instance, shared.admin, id, email, 'owner')
      const at = `account_id=${id} account=crew`
      await found(shared, '?q=invitation', { actor: email, target: at })
      await personClient(shared.instance, email)
      await found(shared, '?q=login', { actor: email, target: at })
      // Says nothing of an account itself.
      await anna.post('/api/tokens', { name: 'annas', scopes: ['read'] })
      const target = `account_id=${id} name=annas scopes=read account=crew`
      await found(shared, '?q=annas', { actor: email, target })
    })

    test('names people and things, also those that it deletes', async () => {
      const made = await shared.admin.post('/api/domains', {
        account_id: 1,
        domain_name: 'gone.alice.example',
        domain_type: 'subdomain',
        document_root: '/home/alice/gone',
      })
      const { id } = made.body.data as { id: number }
      expect((await shared.admin.del(`/api/domains/${id}`)).status).toBe(200)
      await found(shared, '?q=gone.alice.example&sort=id&order=desc', {
        action: 'DELETE /api/domains/:id',
        target: `id=${id} site=gone.alice.example`,
      })
      const backup = await shared.admin.post('/api/backups/accounts/1')
      expect(backup.status).toBe(200)
      await found(shared, '?q=backup', { target: 'id=1 account=alice' })
      const token = await shared.admin.post('/api/tokens', {
        name: 'one account=mallory',
        scopes: ['read'],
      })
      const tokenId = (token.body.data as { id: number }).id
      expect((await shared.admin.del(`/api/tokens/${tokenId}`)).status).toBe(200)
      // A name that somebody chose cannot pass for a field.
      await found(shared, '?q=Revokes', {
        target: `id=${tokenId} token=one%20account=mallory`,
      })
    })

    test('holds failed logins, but nothing that was typed as a name', async () => {
      const login = (username: string, address: string) =>
        shared.instance.fetch(
          '/api/auth/login',
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ username, password: 'guessed-secret' }),
          },
          address,
        )
      await login(ADMIN.username, '198.51.100.20')
      await found(shared, '?q=198.51.100.20', { actor: 'boss', status: 401, result: 'denied' })
      await login('typed-password', '198.51.100.21')
      await found(shared, '?q=198.51.100.21', { actor: null, role: null, status: 401 })
    })

    test('reading leaves no trace, and nothing holds a secret', async () => {
      await shared.admin.get('/api/accounts')
      await shared.admin.post('/api/auth/password', {
        current_password: 'wrong-secret',
        new_password: 'fresh-secret',
      })
      await found(shared, '?q=password', { status: 403 })
      const all = JSON.stringify(await entries(shared))
      expect(all).not.toContain('GET /api/accounts"')
      for (const secret of [
        'account password',
        ADMIN.password,
        'secret',
        'typed-password',
        'berth_',
        shared.admin.token ?? 'x',
      ]) {
        expect(all).not.toContain(secret)
      }
    })

    test('is newest first, has pages and filters', async () => {
      const newest = await entries(shared)
      expect(newest.map(({ at }) => at)).toEqual(
        newest
          .map(({ at }) => at)
          .sort()
          .reverse(),
      )
      const page = await shared.admin.get('/api/audit?page=1&per_page=2')
      expect(page.body.data).toEqual(newest.slice(0, 2))
      expect(page.headers.get('x-total-count')).toBe(String(newest.length))
      expect(await entries(shared, '?from=2099-01-01')).toEqual([])
      expect(await entries(shared, '?until=2000-01-01 00:00:00')).toEqual([])
      expect(await entries(shared, '?from=2000-01-01&until=2099-01-01')).toHaveLength(newest.length)
      for (const bad of [
        '?result=good',
        '?from=yesterday',
        '?until=1',
        '?sort=address',
        '?page=0',
      ]) {
        expect((await shared.admin.get(`/api/audit${bad}`)).status).toBe(400)
      }
    })

    test('tells whoever may work as an account what concerns it, and nothing of others', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const [{ id }] = (await alice.get('/api/accounts')).body.data as [{ id: number }]
      const other = await createAccount(shared.admin, 'activity')
      await shared.admin.send('PATCH', `/api/accounts/${id}`, { email: 'new@alice.example' })
      await alice.post('/api/cache/alice.example/purge', {})
      const own = async (query = '') =>
        (await alice.get(`/api/accounts/${id}/activity${query}`)).body.data as Entry[]
      const done = { actor: 'boss', role: 'admin', target: '', result: 'done' }
      await expect.poll(() => own()).toContainEqual(expect.objectContaining(done))
      const keys = ['id', 'at', 'actor', 'role', 'summary', 'result', 'target'].sort()
      for (const entry of await own()) {
        expect(Object.keys(entry).sort()).toEqual(keys)
        if (entry.role === 'admin') expect(entry.target).toBe('')
      }
      await expect
        .poll(() => own())
        .toContainEqual(
          expect.objectContaining({
            actor: 'alice',
            target: expect.stringContaining('alice.example'),
          }),
        )
      const page = await alice.get(`/api/accounts/${id}/activity?per_page=2`)
      expect(page.body.data).toEqual((await own()).slice(0, 2))
      expect((await shared.admin.get(`/api/accounts/${id}/activity`)).body.data).toEqual(
        await own(),
      )
      expect((await alice.get(`/api/accounts/${other.id}/activity`)).status).toBe(404)
    })

    test('is for administrators', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/audit')).status).toBe(403)
      expect((await apiClient(shared.instance).get('/api/audit')).status).toBe(401)
    })
  })
}
