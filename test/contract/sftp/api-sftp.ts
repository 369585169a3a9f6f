import { beforeAll, expect, test } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { PUBLIC_KEY } from './sftp-port.ts'

/** Another key each time. */
const keyOf = (letter: string): string =>
  `ssh-ed25519 ${btoa(`\0\0\0\x0bssh-ed25519\0\0\0\x20${letter.repeat(32)}`)}`

/** Log-ins of accounts over SFTP. */
export const sftpContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('sftp', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })
    const logins = (username: string) => shared.instance.host.sftp.logins.get(username)
    const add = (change: object = {}) =>
      shared.admin.post('/api/ssh-keys', {
        account_id: 1,
        name: 'laptop',
        public_key: PUBLIC_KEY,
        ...change,
      })
    const idOf = (answer: Awaited<ReturnType<typeof add>>): number =>
      (answer.body.data as { id: number }).id

    test('an account is told how it is reached', async () => {
      const { status, body } = await shared.admin.get('/api/sftp/1')
      expect([status, body.data]).toEqual([
        200,
        {
          available: true,
          reason: null,
          host: null,
          ports: [22],
          silent_ports: [],
          host_keys: [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }],
          username: 'alice',
          home: expect.stringMatching(/\/alice$/),
          passwords: true,
          ...{ shell: false, shell_switch: false, shell_allowed: false, shell_problem: null },
        },
      ])
    })

    test('a key is added, shown, changed and removed, and the host knows it', async () => {
      const made = await add({ public_key: `${PUBLIC_KEY} me@laptop` })
      expect([made.status, made.body.data]).toEqual([
        200,
        {
          id: expect.any(Number),
          account_id: 1,
          ...{ sftp_user_id: null, application_id: null, access: null },
          name: 'laptop',
          type: 'ssh-ed25519',
          public_key: PUBLIC_KEY,
          fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/),
          expires_at: null,
          created_at: expect.any(String),
          last_used_at: null,
        },
      ])
      const path = `/api/ssh-keys/1/${idOf(made)}`
      expect(logins('alice')).toEqual({
        ...{ passwords: true, shell: false, users: [] },
        keys: [{ id: idOf(made), publicKey: PUBLIC_KEY, expiresAt: null }],
      })
      expect((await add({ name: 'again' })).status).toBe(409)
      const end = { name: 'desk', expires_at: '2040-02-03' }
      const changed = await shared.admin.send('PATCH', path, end)
      expect(changed.body.data).toMatchObject({ name: 'desk', expires_at: '2040-02-03 00:00:00' })
      expect(logins('alice')?.keys).toMatchObject([{ expiresAt: '2040-02-03 00:00:00' }])
      const never = await shared.admin.send('PATCH', path, { expires_at: null })
      expect(never.body.data).toMatchObject({ name: 'desk', expires_at: null })
      const list = await shared.admin.get('/api/ssh-keys/1?q=desk')
      expect(list.body.data).toMatchObject([{ name: 'desk', username: 'alice' }])
      expect((await shared.admin.del(path)).body.data).toEqual({ id: idOf(made), deleted: true })
      expect(logins('alice')?.keys).toEqual([])
      for (const answer of [
        await shared.admin.del(path),
        await shared.admin.send('PATCH', path, end),
      ])
        expect(answer.status).toBe(404)
    })

    test('a key opens the repository of an application alone, and goes with it', async () => {
      const { admin } = shared
      const made = await admin.post('/api/applications', {
        ...{ account_id: 1, name: 'shop', runtime_kind: 'node', start_command: 'node server.js' },
        source_push: true,
      })
      const application_id = (made.body.data as { id: number }).id
      const key = await add({ application_id })
      expect([key.status, key.body.data]).toEqual([
        200,
        expect.objectContaining({ application_id, access: 'read', sftp_user_id: null }),
      ])
      const told = (access: string) => ({
        keys: [],
        repositoryKeys: [
          {
            ...{ id: idOf(key), publicKey: PUBLIC_KEY, expiresAt: null },
            repository: { name: 'shop', access },
          },
        ],
        git: true,
      })
      expect(logins('alice')).toMatchObject(told('pull'))
      const path = `/api/ssh-keys/1/${idOf(key)}`
      const changed = await admin.send('PATCH', path, { access: 'write' })
      expect(changed.body.data).toMatchObject({ access: 'write', name: 'laptop' })
      expect(logins('alice')).toMatchObject(told('push'))
      expect((await admin.get('/api/ssh-keys/1')).body.data).toMatchObject([
        { application: 'shop', access: 'write', login: 'alice' },
      ])
      // One key opens one thing of an account.
      expect((await add()).status).toBe(409)
      for (const [status, error, change] of [
        [400, 'access', { access: 'read' }],
        [400, 'access', { application_id, access: 'admin' }],
        [400, 'application_id', { application_id, sftp_user_id: 1 }],
        [400, 'application_id', { application_id: 'shop' }],
        [404, 'application', { application_id: 99 }],
        [404, 'application', { application_id, account_id: 2 }],
      ] as const) {
        const refused = await add({ public_key: keyOf('z'), ...change })
        expect([change, refused.status, refused.body.error]).toEqual([
          change,
          status,
          expect.stringContaining(error),
        ])
      }
      const open = await add({ public_key: keyOf('o') })
      const bound = await admin.send('PATCH', `/api/ssh-keys/1/${idOf(open)}`, { access: 'write' })
      expect([bound.status, bound.body.error]).toEqual([400, expect.stringContaining('access')])
      await admin.del(`/api/ssh-keys/1/${idOf(open)}`)
      // While nobody pushes to it there is no repository.
      const push = (source_push: boolean) =>
        admin.send('PATCH', '/api/applications/1/shop', { source_push })
      await push(false)
      expect(logins('alice')).toEqual({ passwords: true, shell: false, users: [], keys: [] })
      const early = await add({ public_key: keyOf('e'), application_id })
      expect([early.status, early.body.error]).toEqual([409, expect.stringContaining('repository')])
      await push(true)
      expect(logins('alice')).toMatchObject(told('push'))
      await admin.del('/api/applications/1/shop')
      expect(logins('alice')).toEqual({ passwords: true, shell: false, users: [], keys: [] })
      expect((await admin.get('/api/ssh-keys/1')).body.data).toEqual([])
    })

    test.each([
      ['public_key', { public_key: `command="id" ${PUBLIC_KEY}` }],
      ['public_key', { public_key: `${PUBLIC_KEY}\nssh-ed25519 AAAA` }],
      ['public_key', { public_key: `${PUBLIC_KEY}\r${PUBLIC_KEY}` }],
      ['public_key', { public_key: `${PUBLIC_KEY}AAAA` }],
      ['public_key', { public_key: '-----BEGIN OPENSSH PRIVATE KEY-----' }],
      ['public_key', { public_key: '' }],
      ['public_key', { public_key: 7 }],
      ['name', { name: ' ' }],
      ['name', { name: 'a\nb' }],
      ['expires_at', { expires_at: 'tomorrow' }],
      ['expires_at', { expires_at: '2030-02-31' }],
      ['expires_at', { expires_at: '2030-01-01 24:00:00' }],
      ['expires_at', { expires_at: '2030-01-01 00:00:00",command="id' }],
    ])('refuses a bad %s and names it', async (field, change) => {
      const { status, body } = await add(change)
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
      expect(logins('alice')?.keys ?? []).toEqual([])
    })

    test('whether passwords count is said and kept', async () => {
      const off = await shared.admin.send('PATCH', '/api/sftp/1', { passwords: false })
      expect(off.body.data).toMatchObject({ passwords: false })
      expect(logins('alice')).toMatchObject({ passwords: false })
      const made = await add()
      expect(logins('alice')).toMatchObject({ passwords: false, keys: [{}] })
      await shared.admin.del(`/api/ssh-keys/1/${idOf(made)}`)
      await shared.admin.send('PATCH', '/api/sftp/1', { passwords: true })
      expect((await shared.admin.send('PATCH', '/api/sftp/1', { passwords: 1 })).status).toBe(400)
    })

    test('a shell is given where the plan allows it and an administrator says so, and taken', async () => {
      const { admin, instance } = shared
      const say = (shell: unknown, who = admin, id = 1) =>
        who.send('PATCH', `/api/sftp/${id}/shell`, { shell })
      const plan = (shells_limit: number) =>
        admin.send('PATCH', '/api/plans/free', { shells_limit })
      const refused = await say(true)
      expect([refused.status, refused.body.error]).toEqual([
        403,
        expect.stringContaining('allows no shell'),
      ])
      expect((await plan(2)).status).toBe(400)
      expect((await plan(1)).status).toBe(200)
      const bobby = await accountClient(instance, 'bobby')
      expect((await say(true, bobby, 2)).status).toBe(403)
      expect((await bobby.get('/api/sftp/2')).body.data).toMatchObject({
        ...{ shell: false, shell_switch: false, shell_allowed: true },
      })
      expect((await say('on')).status).toBe(400)
      expect((await say(true, admin, 99)).status).toBe(404)
      expect((await say(true)).body.data).toMatchObject({ shell: true, shell_switch: true })
      expect(logins('alice')).toMatchObject({ shell: true })
      expect(logins('bobby')?.shell ?? false).toBe(false)
      expect((await admin.get('/api/accounts/1/limits')).body.data).toMatchObject({
        shells: { used: 1, limit: 1 },
      })
      // Other changes leave it as it is.
      await admin.send('PATCH', '/api/sftp/1', { passwords: true })
      expect(logins('alice')).toMatchObject({ shell: true })
      instance.host.sftp.noShell = 'There is no room.'
      expect((await admin.get('/api/sftp/1')).body.data).toMatchObject({
        ...{ shell: false, shell_switch: true, shell_problem: 'There is no room.' },
      })
      instance.host.sftp.noShell = null
      // The plan takes it, and gives it again.
      const told = async (shell: boolean) =>
        waitFor(() => expect(logins('alice')).toMatchObject({ shell }))
      await plan(0)
      await told(false)
      expect((await admin.get('/api/sftp/1')).body.data).toMatchObject({
        ...{ shell: false, shell_switch: true, shell_allowed: false },
      })
      await plan(1)
      await told(true)
      expect((await say(false)).body.data).toMatchObject({ shell: false, shell_switch: false })
      expect(logins('alice')).toMatchObject({ shell: false })
      // What is not told to the host is not kept.
      instance.host.sftp.reason = 'There is no sshd.'
      expect((await say(true)).status).toBe(503)
      instance.host.sftp.reason = null
      expect((await admin.get('/api/sftp/1')).body.data).toMatchObject({ shell_switch: false })
      const { data } = (await admin.get('/api/audit?per_page=100')).body
      expect(JSON.stringify(data)).toContain('PATCH /api/sftp/:account_id/shell')
      await plan(0)
    })

    test('what the host does not take is not kept', async () => {
      const { host } = shared.instance
      const kept = await add()
      host.sftp.reason = 'There is no sshd.'
      try {
        const { status, body } = await add({ public_key: keyOf('z') })
        expect([status, body.error]).toEqual([503, expect.stringContaining('no sshd')])
        const path = `/api/ssh-keys/1/${idOf(kept)}`
        expect((await shared.admin.del(path)).status).toBe(503)
        expect((await shared.admin.send('PATCH', path, { expires_at: '2030-01-01' })).status).toBe(
          503,
        )
        expect((await shared.admin.send('PATCH', '/api/sftp/1', { passwords: false })).status).toBe(
          503,
        )
        expect((await shared.admin.get('/api/sftp/1')).body.data).toMatchObject({
          available: false,
          reason: 'There is no sshd.',
          passwords: true,
        })
      } finally {
        host.sftp.reason = null
      }
      const { data } = (await shared.admin.get('/api/ssh-keys/1')).body
      expect(data).toMatchObject([{ public_key: PUBLIC_KEY, expires_at: null }])
      await shared.admin.del(`/api/ssh-keys/1/${idOf(kept)}`)
    })

    test('who logged in is listed, and the last use of a key', async () => {
      const { host } = shared.instance
      const key = idOf(await add())
      const login = (version: number, change: object = {}) => ({
        ...{ id: crypto.randomUUID(), version, account: 'alice', username: 'alice' },
        ...{ beganAt: `2099-03-01 00:00:0${version}`, endedAt: null, address: '192.0.2.7' },
        ...{ way: 'key' as const, keyId: key, changes: 2, receivedBytes: 3, sentBytes: 4 },
        ...{ kind: 'sftp' as const, failures: 0 },
        ...change,
      })
      const one = login(1)
      host.sftp.seen = [
        one,
        login(2, { way: 'password', keyId: null }),
        // Of an account that is not there, and a key that is not its own.
        login(3, { account: 'nobody' }),
        login(4, { account: 'bobby', username: 'bobby' }),
      ]
      try {
        const { body, status } = await shared.admin.get('/api/sftp-logins/1')
        expect(status).toBe(200)
        expect(body.data).toMatchObject([
          { way: 'password', key_name: null, fingerprint: null },
          {
            ...{ username: 'alice', login: 'alice', way: 'key', key_name: 'laptop' },
            ...{ began_at: '2099-03-01 00:00:01', ended_at: null, address: '192.0.2.7' },
            ...{ fingerprint: expect.stringContaining('SHA256:'), changes: 2 },
            ...{ received_bytes: 3, sent_bytes: 4 },
          },
        ])
        host.sftp.seen = [{ ...one, version: 9, endedAt: '2099-03-01 00:00:09' }]
        const ended = await shared.admin.get('/api/sftp-logins/1?way=key')
        expect(ended.body.data).toMatchObject([{ ended_at: '2099-03-01 00:00:09' }])
        const keys = await shared.admin.get('/api/ssh-keys/1')
        expect(keys.body.data).toMatchObject([{ last_used_at: '2099-03-01 00:00:01' }])
        const wrong = { way: 'password', keyId: null, kind: null, failures: 3 }
        host.sftp.seen = [login(9, { ...wrong, version: 10, endedAt: '2099-03-01 00:00:12' })]
        const failed = await shared.admin.get('/api/sftp-logins/1?outcome=failed')
        expect(failed.body.data).toMatchObject([{ failures: 3, kind: null, address: '192.0.2.7' }])
        const came = await shared.admin.get('/api/sftp-logins/1?outcome=in&kind=sftp')
        expect(came.body.data).toHaveLength(2)
        expect((await shared.admin.get('/api/sftp-logins?outcome=else')).status).toBe(400)
        const all = await shared.admin.get('/api/sftp-logins?q=bobby')
        expect(all.body.data).toMatchObject([{ username: 'bobby', key_name: null }])
        const bobby = await accountClient(shared.instance, 'bobby')
        expect((await bobby.get('/api/sftp-logins/1')).status).toBe(404)
        expect((await bobby.get('/api/sftp-logins')).status).toBe(403)
        expect((await bobby.get('/api/sftp-logins/2')).body.data).toHaveLength(1)
      } finally {
        host.sftp.seen = []
        await shared.admin.del(`/api/ssh-keys/1/${key}`)
      }
    })

    test('users for one folder are added, opened by keys, changed and removed', async () => {
      const { host } = shared.instance
      const wanted = { account_id: 1, name: 'web', folder: 'public_html/shop/' }
      const create = (change: object = {}) =>
        shared.admin.post('/api/sftp-users', { ...wanted, ...change })
      const made = await create({ password: 'a further secret' })
      const view = {
        ...{ id: expect.any(Number), account_id: 1, username: 'alice', name: 'alice_web' },
        ...{ folder: 'public_html/shop', passwords: true, read_only: false, keys: 0 },
        ...{ problem: null, created_at: expect.any(String) },
      }
      expect([made.status, made.body.data]).toEqual([200, view])
      expect(host.sftp.passwords.get('alice_web')).toBe('a further secret')
      const { id } = made.body.data as { id: number }
      const path = `/api/sftp-users/1/${id}`
      expect((await create()).status).toBe(409)
      const key = idOf(await add({ sftp_user_id: id }))
      expect(logins('alice')?.keys).toEqual([])
      expect(logins('alice')?.users).toMatchObject([{ name: 'alice_web', keys: [{ id: key }] }])
      const keys = await shared.admin.get('/api/ssh-keys/1')
      expect(keys.body.data).toMatchObject([{ login: 'alice_web', sftp_user_id: id }])
      host.sftp.gone.add('blog')
      const change = { folder: 'blog', password: null, read_only: true }
      expect((await shared.admin.send('PATCH', path, change)).body.data).toMatchObject({
        ...{ folder: 'blog', passwords: false, read_only: true, keys: 1 },
        problem: 'The folder blog is not there.',
      })
      expect(logins('alice')?.users).toMatchObject([{ passwords: false, readOnly: true }])
      for (const [field, bad] of [
        ...['', 'A', 'a b', 'a_b', 'a\nb', '../x', 'x'.repeat(16)].map((name) => [
          'name',
          { name },
        ]),
        ...['', '/etc', '../x', 'a\nb'].map((folder) => ['folder', { folder }]),
        ['password', { password: 'short' }],
      ] as [string, object][]) {
        const { status, body } = await create({ name: 'other', ...bad })
        expect([bad, status, body.error]).toEqual([bad, 400, expect.stringContaining(field)])
      }
      const bobby = await accountClient(shared.instance, 'bobby')
      for (const answer of [
        await bobby.get('/api/sftp-users/1'),
        await bobby.del(path),
        await bobby.del(`/api/sftp-users/2/${id}`),
        await bobby.post('/api/sftp-users', wanted),
        await bobby.send('PATCH', path, { read_only: false }),
        await bobby.post('/api/ssh-keys', {
          ...{ account_id: 2, name: 'x', public_key: PUBLIC_KEY, sftp_user_id: id },
        }),
      ])
        expect(answer.status).toBe(404)
      expect((await bobby.get('/api/sftp-users')).status).toBe(403)
      const own = (name: string) =>
        bobby.post('/api/sftp-users', { account_id: 2, name, folder: 'public_html' })
      for (const name of ['a', 'b', 'c']) expect((await own(name)).status).toBe(200)
      const { status, body } = await own('d')
      expect([status, body.error]).toEqual([403, expect.stringContaining('3 of the 3 SFTP users')])
      host.sftp.reason = 'There is no sshd.'
      try {
        for (const answer of [await create({ name: 'x' }), await shared.admin.del(path)])
          expect(answer.status).toBe(503)
      } finally {
        host.sftp.reason = null
      }
      expect((await shared.admin.del(path)).body.data).toEqual({ id, deleted: true })
      expect(logins('alice')?.users).toEqual([])
      expect((await shared.admin.get('/api/ssh-keys/1')).body.data).toEqual([])
      expect((await shared.admin.get('/api/sftp-users')).body.data).toHaveLength(3)
    })

    test('an account sees and changes its own alone, as many as its plan allows', async () => {
      const bobby = await accountClient(shared.instance, 'bobby')
      const foreign = idOf(await add())
      expect((await bobby.get('/api/ssh-keys')).status).toBe(403)
      for (const path of ['/api/sftp/1', '/api/ssh-keys/1'])
        expect((await bobby.get(path)).status).toBe(404)
      expect((await bobby.send('PATCH', '/api/sftp/1', { passwords: false })).status).toBe(404)
      for (const path of [`/api/ssh-keys/1/${foreign}`, `/api/ssh-keys/2/${foreign}`]) {
        expect((await bobby.del(path)).status).toBe(404)
        expect((await bobby.send('PATCH', path, { name: 'mine' })).status).toBe(404)
      }
      const own = (letter: string) => ({ account_id: 2, name: letter, public_key: keyOf(letter) })
      expect((await bobby.post('/api/ssh-keys', { ...own('x'), account_id: 1 })).status).toBe(404)
      for (const letter of 'abcde')
        expect((await bobby.post('/api/ssh-keys', own(letter))).status).toBe(200)
      const { status, body } = await bobby.post('/api/ssh-keys', own('f'))
      expect([status, body.error]).toEqual([403, expect.stringContaining('5 of the 5 SSH keys')])
      expect((await shared.admin.post('/api/ssh-keys', own('f'))).status).toBe(200)
      expect((await bobby.get('/api/accounts/2/limits')).body.data).toMatchObject({
        ssh_keys: { used: 6, limit: 5 },
      })
      const all = await shared.admin.get('/api/ssh-keys?per_page=1')
      expect(Number(all.headers.get('x-total-count'))).toBeGreaterThan(5)
    })
  })
}
