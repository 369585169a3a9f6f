import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SshKeyRow } from '#handlers/ports/store/sftp/sftp-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { application } from './store-applications.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const key = (
  accountId: number,
  change: Partial<Omit<SshKeyRow, 'last_used_at'>> = {},
): Omit<SshKeyRow, 'id' | 'last_used_at'> => ({
  account_id: accountId,
  sftp_user_id: null,
  application_id: null,
  access: null,
  name: 'laptop',
  type: 'ssh-ed25519',
  public_key: 'ssh-ed25519 AAAA',
  fingerprint: 'SHA256:one',
  expires_at: null,
  created_at: NOW,
  ...change,
})

/** Log-ins over SFTP, in every store. */
export const sftpStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`log-ins over SFTP in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accounts = 0
    const newAccount = async (): Promise<number> => {
      const username = `sftp${accounts++}`
      const made = await store.insertAccount(
        account(username, { status: 'active' }),
        domain(`${username}.example`),
        operation(username, { state: 'done' }),
        { accounts: -1, domains: -1 },
      )
      if (typeof made === 'string') throw new Error(made)
      return made.account.id
    }
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    test('keys are listed by account, changed and removed', async () => {
      const [one, two] = [await newAccount(), await newAccount()]
      const made = await store.insertSshKey(key(one), null)
      if (typeof made === 'string') throw new Error(made)
      expect(made).toEqual({ ...key(one), id: made.id, last_used_at: null })
      await store.insertSshKey(key(two), null)
      const other = { name: 'desk', fingerprint: 'SHA256:two', expires_at: '2030-01-01 00:00:00' }
      await store.insertSshKey(key(one, other), null)
      const { rows, total } = await store.listSshKeys({ accountId: one })
      expect([rows.map((row) => row.name), total]).toEqual([['desk', 'laptop'], 2])
      expect(rows[0]).toMatchObject({ ...other, username: expect.stringMatching(/^sftp/) })
      expect((await store.listSshKeys({ accountId: one, q: 'des' })).total).toBe(1)
      expect((await store.listSshKeys({ page: 1, perPage: 2 })).total).toBe(3)
      await store.updateSshKey(made.id, { name: 'new', expires_at: '2031-01-01 00:00:00' })
      expect(await store.sshKey(made.id)).toMatchObject({ name: 'new', type: 'ssh-ed25519' })
      await store.deleteSshKey(made.id)
      expect(await store.sshKey(made.id)).toBeNull()
    })
    test('an account has each key once, and as many as it may', async () => {
      const id = await newAccount()
      const many = await Promise.all(
        ['a', 'a', 'b', 'c'].map((fingerprint) => store.insertSshKey(key(id, { fingerprint }), 2)),
      )
      expect(many.filter((one) => typeof one !== 'string')).toHaveLength(2)
      expect(await store.insertSshKey(key(id, { fingerprint: 'a' }), null)).toBe('taken')
      expect(await store.insertSshKey(key(id, { fingerprint: 'd' }), 2)).toBe('limit')
      expect((await store.accountUsage(id)).ssh_keys).toBe(2)
    })
    test('keys of an application go with it', async () => {
      const id = await newAccount()
      const shop = await store.insertApplication(
        application(id),
        operation('shop', { state: 'done' }),
        null,
      )
      if (typeof shop === 'string') throw new Error(shop)
      const bound = { application_id: shop.id, access: 'read' as const, fingerprint: 'SHA256:b' }
      const made = await store.insertSshKey(key(id, bound), null)
      await store.insertSshKey(key(id), null)
      if (typeof made === 'string') throw new Error(made)
      expect(made).toMatchObject(bound)
      await store.updateSshKey(made.id, { access: 'write' })
      const { rows } = await store.listSshKeys({ accountId: id, sort: 'created_at', order: 'desc' })
      expect(rows.map((row) => [row.application, row.access])).toEqual(
        expect.arrayContaining([
          ['shop', 'write'],
          [null, null],
        ]),
      )
      await store.deleteApplication(shop.id)
      expect(await store.sshKey(made.id)).toBeNull()
      expect((await store.listSshKeys({ accountId: id })).total).toBe(1)
    })
    test('log-ins are written once, within their bounds, with the last use of their keys', async () => {
      const id = await newAccount()
      const made = await store.insertSshKey(key(id), null)
      if (typeof made === 'string') throw new Error(made)
      const seen = (number: number, change: object = {}) => ({
        ...{ account_id: id, host_id: `${id}-${number}`, version: 1000 * id + number },
        ...{ login: 'lena', began_at: `2026-03-01 00:00:0${number}`, ended_at: null },
        ...{ address: '192.0.2.7', way: 'key' as const, key_id: made.id },
        ...{ kind: null, failures: 0 },
        ...{ key_name: 'laptop', fingerprint: 'SHA256:one', changes: 1 },
        ...{ received_bytes: 0, sent_bytes: 2 ** 40 },
        ...change,
      })
      const bounds = { perAccount: 3, since: '2026-02-01 00:00:00' }
      await store.recordSftpLogins(
        [1, 2, 3, 4].map((number) => seen(number)),
        bounds,
      )
      const ended = {
        ...{ ended_at: '2026-03-01 00:01:00', changes: 9, version: 1000 * id + 5 },
        kind: 'scp' as const,
      }
      const old = seen(9, { host_id: `${id}-old`, began_at: '2026-01-01 00:00:00' })
      await store.recordSftpLogins([seen(4, ended), old], bounds)
      const { rows, total } = await store.listSftpLogins({ accountId: id })
      expect([total, rows.map((row) => row.began_at.slice(-2))]).toEqual([3, ['04', '03', '02']])
      const { key_id: _key, ...told } = seen(4, ended)
      expect(rows[0]).toEqual({ ...told, id: expect.any(Number), username: expect.any(String) })
      expect(await store.lastSftpLoginVersion()).toBe(1000 * id + 5)
      expect((await store.sshKey(made.id))?.last_used_at).toBe('2026-03-01 00:00:04')
      expect((await store.listSftpLogins({ accountId: id, q: '192.0.2' })).total).toBe(3)
      const none = { accountId: id, filters: { way: 'password' } }
      expect((await store.listSftpLogins(none)).total).toBe(0)
      // Failed attempts push nobody out who came in.
      const wrong = (number: number, failures: number) =>
        seen(number, {
          ...{ host_id: `${id}-wrong-${number}`, way: 'password', key_id: null, failures },
          ...{ key_name: null, fingerprint: null, changes: 0 },
        })
      const tries = [5, 6, 7, 8, 9].map((number) => wrong(number, 1))
      await store.recordSftpLogins(tries, bounds)
      await store.recordSftpLogins([wrong(9, 7)], bounds)
      const failed = await store.listSftpLogins({ accountId: id, filters: { outcome: 'failed' } })
      expect(failed.rows.map(({ failures }) => failures)).toEqual([7, 1, 1])
      const came = await store.listSftpLogins({ accountId: id, filters: { outcome: 'in' } })
      expect(came.rows.map((row) => row.kind)).toEqual(['scp', null, null])
      const copied = { accountId: id, filters: { kind: 'scp' } }
      expect((await store.listSftpLogins(copied)).total).toBe(1)
      await store.recordSftpLogins([], bounds)
      const first = {
        accountId: id,
        filters: { outcome: 'in' },
        sort: 'began_at',
        order: 'asc' as const,
        page: 1,
        perPage: 1,
      }
      expect(await store.listSftpLogins(first)).toMatchObject({
        ...{ rows: [{ began_at: '2026-03-01 00:00:02' }], total: 3 },
      })
    })
    test('users for one folder are listed, changed and removed with their keys', async () => {
      const id = await newAccount()
      const user = (word: string) => ({
        ...{ account_id: id, name: `sftp${id}_${word}`, folder: 'a/b', created_at: NOW },
        ...{ passwords: true, read_only: false },
      })
      const made = await store.insertSftpUser(user('web'), 2)
      if (typeof made === 'string') throw new Error(made)
      expect(made).toEqual({ ...user('web'), id: made.id })
      expect(await store.insertSftpUser(user('web'), null)).toBe('taken')
      await store.insertSftpUser(user('x'), 2)
      expect(await store.insertSftpUser(user('y'), 2)).toBe('limit')
      expect((await store.accountUsage(id)).sftp_users).toBe(2)
      // A key may open the account, and this user.
      await store.insertSshKey(key(id), null)
      const own = { ...key(id), sftp_user_id: made.id }
      expect(await store.insertSshKey(own, null)).toMatchObject({ sftp_user_id: made.id })
      expect(await store.insertSshKey(own, null)).toBe('taken')
      const change = { folder: 'c', passwords: false, read_only: true }
      await store.updateSftpUser(made.id, change)
      const { rows, total } = await store.listSftpUsers({ accountId: id, q: 'web' })
      expect([rows, total]).toMatchObject([[{ ...change, keys: 1, id: made.id }], 1])
      const logins = (await store.listSshKeys({ accountId: id })).rows.map((row) => row.login)
      expect(logins.sort()).toEqual([rows[0]?.username, made.name].sort())
      await store.deleteSftpUser(made.id)
      expect(await store.sftpUser(made.id)).toBeNull()
      expect((await store.listSshKeys({ accountId: id })).total).toBe(1)
    })
    test('passwords count until somebody says otherwise', async () => {
      const id = await newAccount()
      expect(await store.sftpPasswords(id)).toBe(true)
      for (const wanted of [false, false, true, false]) {
        await store.setSftpPasswords(id, wanted)
        expect(await store.sftpPasswords(id)).toBe(wanted)
      }
    })
    test('nobody has a shell until somebody says so, whatever is said of passwords', async () => {
      const id = await newAccount()
      expect(await store.sftpShell(id)).toBe(false)
      for (const wanted of [true, true, false, true]) {
        await store.setSftpShell(id, wanted)
        expect(await store.sftpShell(id)).toBe(wanted)
        expect((await store.accountUsage(id)).shells).toBe(Number(wanted))
      }
      expect(await store.sftpPasswords(id)).toBe(true)
      await store.setSftpPasswords(id, false)
      expect([await store.sftpShell(id), await store.sftpPasswords(id)]).toEqual([true, false])
      await store.setSftpShell(id, false)
      expect(await store.sftpPasswords(id)).toBe(false)
    })
  })
}
