import { beforeEach, expect, test } from 'vitest'
import { FAKE_HOST_KEY, UNREACHABLE } from '#test/fakes/backups/fake-targets.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const PATH = '/api/backups/remote-targets'
const SECRET = 'a very secret key'
const S3 = {
  name: 'bucket',
  type: 's3',
  endpoint: 'https://s3.example.com',
  bucket: 'backups',
  access_key_id: 'AKIA1',
  secret_key: SECRET,
}
const SFTP = {
  name: 'box',
  type: 'sftp',
  endpoint: 'box.example.com:2222',
  username: 'berth',
  path: '/backups/',
  password: SECRET,
  host_key: FAKE_HOST_KEY,
}

/** `/api/backups/remote-targets`. */
export const targetsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('targets of backups', makeInstance, (shared) => {
    const host = () => shared.instance.host

    beforeEach(() => {
      host().backups.configured = []
      host().targets.trial = { can_list: true, can_remove: true }
    })

    test('are for administrators alone', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      for (const [method, path] of [
        ['GET', PATH],
        ['POST', PATH],
        ['POST', `${PATH}/host-key`],
        ['PATCH', `${PATH}/bucket`],
        ['POST', `${PATH}/bucket/test`],
        ['DELETE', `${PATH}/bucket`],
      ] as const) {
        const answer = await apiClient(shared.instance).send(method, path)
        expect([method, path, answer.status]).toEqual([method, path, 401])
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const refused = await alice.send(method, path, body)
        expect([method, path, refused.status]).toEqual([method, path, 403])
      }
    })

    test('are set up, shown without their secrets, tried and removed', async () => {
      const made = await shared.admin.post(PATH, { ...S3, is_default: true })
      const shown = {
        name: 'bucket',
        type: 's3',
        source: 'panel',
        endpoint: 'https://s3.example.com',
        bucket: 'backups',
        path: null,
        region: null,
        username: null,
        access_key_id: 'AKIA1',
        host_key: null,
        is_default: true,
        allow_private: false,
      }
      expect(made.body.data).toEqual({
        target: shown,
        trial: { can_list: true, can_remove: true },
      })
      const box = await shared.admin.post(PATH, SFTP)
      expect(box.body.data).toMatchObject({ target: { name: 'box', path: '/backups' } })
      const list = await shared.admin.get(PATH)
      expect(list.body.data).toEqual([
        shown,
        expect.objectContaining({ name: 'box', host_key: FAKE_HOST_KEY }),
      ])
      expect(JSON.stringify([made.body, box.body, list.body])).not.toContain(SECRET)
      host().targets.trial = { can_list: false, can_remove: false }
      const tried = await shared.admin.post(`${PATH}/bucket/test`)
      expect(tried.body.data).toEqual({ can_list: false, can_remove: false })
      for (const name of ['bucket', 'box'])
        expect((await shared.admin.del(`${PATH}/${name}`)).body.data).toEqual({
          name,
          deleted: true,
        })
      expect((await shared.admin.get(PATH)).body.data).toEqual([])
      expect((await shared.admin.post(`${PATH}/bucket/test`)).status).toBe(404)
      expect((await shared.admin.del(`${PATH}/bucket`)).status).toBe(404)
    })

    test('are changed field by field, with the secret that they have', async () => {
      await shared.admin.post(PATH, S3)
      const changed = await shared.admin.send('PATCH', `${PATH}/bucket`, { path: 'host-1' })
      expect(changed.body.data).toMatchObject({
        target: { path: 'host-1', bucket: 'backups', endpoint: 'https://s3.example.com' },
      })
      expect(host().targets.secrets.get('bucket')).toEqual({ kind: 'secret_key', value: SECRET })
      const moved = { endpoint: 'https://evil.example' }
      const refused = await shared.admin.send('PATCH', `${PATH}/bucket`, moved)
      expect([refused.status, refused.headers.get('x-error-field')]).toEqual([400, 'secret_key'])
      const renewed = { ...moved, secret_key: 'another' }
      const taken = await shared.admin.send('PATCH', `${PATH}/bucket`, renewed)
      expect(taken.status).toBe(200)
      const wrong = await shared.admin.send('PATCH', `${PATH}/bucket`, { password: 'x' })
      expect([wrong.status, wrong.headers.get('x-error-field')]).toEqual([400, 'password'])
      expect((await shared.admin.send('PATCH', `${PATH}/none`, { path: 'x' })).status).toBe(404)
    })

    test('that fail their test are not kept', async () => {
      const dead = { ...S3, endpoint: `${UNREACHABLE}example` }
      expect((await shared.admin.post(PATH, dead)).status).toBe(503)
      expect((await shared.admin.get(PATH)).body.data).toEqual([])
    })

    test('of the configuration are changed there alone', async () => {
      await shared.admin.post(PATH, { ...S3, is_default: true })
      const [made] = host().backups.configured
      if (!made) throw new Error('no target')
      host().backups.configured = [{ ...made, name: 'fixed', source: 'configuration' }]
      expect((await shared.admin.del(`${PATH}/fixed`)).status).toBe(409)
      expect((await shared.admin.send('PATCH', `${PATH}/fixed`, { path: 'x' })).status).toBe(409)
      expect((await shared.admin.post(PATH, { ...S3, name: 'fixed' })).status).toBe(409)
      const second = await shared.admin.post(PATH, { ...SFTP, is_default: true })
      expect([second.status, second.headers.get('x-error-field')]).toEqual([409, 'is_default'])
      expect((await shared.admin.post(`${PATH}/fixed/test`)).status).toBe(200)
    })

    test('with copies there are removed by force alone, and the copies stay listed', async () => {
      await createAccount(shared.admin, 'bob')
      await shared.admin.post(PATH, S3)
      const accounts = (await shared.admin.get('/api/accounts')).body.data as { id: number }[]
      const id = accounts[0]?.id
      await shared.admin.post(`/api/backups/accounts/${id}`, { target: 'bucket' })
      const kept = await shared.admin.del(`${PATH}/bucket`)
      expect([kept.status, kept.headers.get('x-error-field')]).toEqual([409, 'force'])
      expect(kept.body.error).toContain('1 archives and 0 snapshots')
      expect((await shared.admin.del(`${PATH}/bucket?force=true`)).status).toBe(200)
      const copies = await shared.admin.get(`/api/backups/accounts/${id}?location=bucket`)
      expect(copies.body.data).toHaveLength(1)
    })

    test('that schedules send backups to are removed by force alone', async () => {
      await shared.admin.post(PATH, { ...S3, name: 'planned' })
      const schedule = {
        what: 'archive',
        every_hours: 24,
        window: null,
        places: ['local', 'planned'],
        retention: { last: 1, hourly: 0, daily: 7, weekly: 0, monthly: 0 },
      }
      const set = await shared.admin.send('PUT', '/api/backups/schedules/plans/pro', schedule)
      expect(set.status).toBe(200)
      const kept = await shared.admin.del(`${PATH}/planned`)
      expect([kept.status, kept.headers.get('x-error-field')]).toEqual([409, 'force'])
      expect(kept.body.error).toContain('plan pro')
      await shared.admin.del('/api/backups/schedules/plans/pro')
      expect((await shared.admin.del(`${PATH}/planned`)).status).toBe(200)
    })

    test('tell the key of an SFTP server, for a person to compare', async () => {
      const answer = await shared.admin.post(`${PATH}/host-key`, { endpoint: 'box.example.com' })
      expect(answer.body.data).toEqual({ type: 'ssh-ed25519', fingerprint: FAKE_HOST_KEY })
    })

    test.each([
      ['name', { ...S3, name: 'A b' }],
      ['name', { ...S3, name: '../x' }],
      ['type', { ...S3, type: 'ftp' }],
      ['bucket', { ...S3, bucket: 'a/b' }],
      ['region', { ...S3, region: 'EU 1' }],
      ['endpoint', { ...S3, endpoint: 'x'.repeat(301) }],
      ['path', { ...S3, path: 'a\nb' }],
      ['username', { ...SFTP, username: '-oProxyCommand=x' }],
      ['host_key', { ...SFTP, host_key: 'MD5:aa' }],
      ['private_key', { ...SFTP, password: undefined, private_key: 'no key' }],
      ['is_default', { ...S3, is_default: 'yes' }],
    ])('refuse a wrong %s', async (field, body) => {
      const answer = await shared.admin.post(PATH, body)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      expect(JSON.stringify(answer.body)).not.toContain(SECRET)
    })

    test('take one secret alone', async () => {
      expect((await shared.admin.post(PATH, { ...S3, password: 'x' })).status).toBe(400)
    })
  })
}
