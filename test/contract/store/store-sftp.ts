import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SshKeyRow } from '#handlers/ports/store/sftp-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const key = (accountId: number, change: Partial<SshKeyRow> = {}): Omit<SshKeyRow, 'id'> => ({
  account_id: accountId,
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
      expect(made).toEqual({ ...key(one), id: made.id })
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
    test('passwords count until somebody says otherwise', async () => {
      const id = await newAccount()
      expect(await store.sftpPasswords(id)).toBe(true)
      for (const wanted of [false, false, true, false]) {
        await store.setSftpPasswords(id, wanted)
        expect(await store.sftpPasswords(id)).toBe(wanted)
      }
    })
  })
}
