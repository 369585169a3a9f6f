import { beforeEach, expect, test } from 'vitest'
import { createAccount } from '#test/contract/frame/api-instance.ts'
import { PUBLIC_KEY } from '#test/contract/sftp/sftp-port.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

interface Finding {
  kind: string
  level: string
  subject: string
  what: string
  fix: string
  repairable: boolean
}
interface Answer {
  clean: boolean
  findings: Finding[]
  repaired: Finding[]
  failed: unknown[]
}

const PASSWORD = 'long enough 1'
const post = async (path: string, body: object): Promise<void> => {
  expect(await admin.post(path, body)).toMatchObject({ status: 200 })
}

freshApi()
beforeEach(async () => {
  const { id } = await createAccount(admin, 'alice')
  const database = { account_id: id, db_name: 'shop', db_password: PASSWORD, engine: 'mariadb' }
  await post('/api/databases', database)
  const databases = [{ database: 'shop', rights: 'read' }]
  await post('/api/database-users', {
    account_id: id,
    name: 'reader',
    password: PASSWORD,
    databases,
  })
  await post('/api/database-addresses', { account_id: id, address: '203.0.113.0/24', note: '' })
  await post('/api/sftp-users', { account_id: id, name: 'web', folder: 'public_html' })
  await post('/api/ssh-keys', { account_id: id, name: 'laptop', public_key: PUBLIC_KEY })
})

const examine = async (): Promise<Answer> => (await admin.get('/api/doctor')).body.data as Answer
const treat = async (): Promise<Answer> => (await admin.post('/api/doctor/fix')).body.data as Answer
const names = (findings: readonly Finding[]): string[] =>
  findings.map(({ kind, subject, repairable }) => `${kind} ${subject} ${repairable}`)
const user = () => api.host.databases.users.get('mariadb:alice_reader')!
const logins = () => api.host.sftp.logins.get('alice')!

test('users, addresses and log-ins that both sides have are no finding', async () => {
  expect(await examine()).toMatchObject({ clean: true, findings: [] })
})

test.each<[string, () => unknown, string, () => unknown]>([
  [
    'a database user with more rights than the panel shows',
    () => (user().grants = [{ database: 'alice_shop', rights: 'all' }]),
    'database-user alice_reader true',
    () => expect(user().grants).toEqual([{ database: 'alice_shop', rights: 'read' }]),
  ],
  [
    'a database user who is locked',
    () => (user().locked = true),
    'database-user alice_reader true',
    () => expect(user().locked).toBe(false),
  ],
  [
    'a database user whom the panel does not have',
    () =>
      api.host.databases.users.set('mariadb:alice_more', {
        ...structuredClone(user()),
        user: 'alice_more',
      }),
    'database-user alice_more true',
    async () =>
      expect((await admin.get('/api/database-users/1')).body.data).toMatchObject([
        { user: 'alice_reader' },
        { user: 'alice_more', databases: [{ database: 'alice_shop', rights: 'read' }] },
      ]),
  ],
  [
    'an address that the panel does not show',
    () => api.host.databaseRemote.addresses.set('alice', ['198.51.100.9', '203.0.113.0/24']),
    'database-address databases of alice true',
    () => expect(api.host.databaseRemote.addresses.get('alice')).toEqual(['203.0.113.0/24']),
  ],
  [
    'an address that the host lost',
    () => api.host.databaseRemote.addresses.delete('alice'),
    'database-address databases of alice true',
    () => expect(api.host.databaseRemote.addresses.get('alice')).toEqual(['203.0.113.0/24']),
  ],
  [
    'an SFTP user that the host lost',
    () => api.host.sftp.logins.set('alice', { ...logins(), users: [] }),
    'sftp alice_web true',
    () => expect(logins().users.map(({ name }) => name)).toEqual(['alice_web']),
  ],
  [
    'an SFTP user whom the panel does not have',
    () =>
      api.host.sftp.logins.set('alice', {
        ...logins(),
        users: [...logins().users, { ...logins().users[0]!, name: 'alice_back' }],
      }),
    'sftp alice_back true',
    () => expect(logins().users.map(({ name }) => name)).toEqual(['alice_web']),
  ],
  [
    'an SSH key that the host lost',
    () => api.host.sftp.logins.set('alice', { ...logins(), keys: [] }),
    'sftp alice true',
    () => expect(logins().keys).toHaveLength(1),
  ],
  [
    'an SSH key whom the panel does not have',
    () => {
      const users = logins().users.map((one) => ({ ...one, keys: logins().keys }))
      api.host.sftp.logins.set('alice', { ...logins(), users })
    },
    'sftp alice_web true',
    () => expect(logins().users[0]?.keys).toEqual([]),
  ],
  [
    'a password that opens an account again',
    () => api.host.sftp.logins.set('alice', { ...logins(), passwords: !logins().passwords }),
    'sftp alice true',
    () => expect(logins().passwords).toBe(true),
  ],
])('%s is found and put right', async (_name, harm, expected, isRight) => {
  harm()
  const found = await examine()
  expect(names(found.findings)).toEqual([expected])
  expect(found.clean).toBe(false)
  const treated = await treat()
  expect(treated).toMatchObject({ clean: true, findings: [], failed: [] })
  expect(names(treated.repaired)).toEqual([expected])
  await isRight()
})

test('a database user whom the host lost needs its password, so a person mends it', async () => {
  api.host.databases.users.delete('mariadb:alice_reader')
  expect(names((await treat()).findings)).toEqual(['database-user alice_reader false'])
  expect((await admin.get('/api/database-users/1')).body.data).toHaveLength(1)
})

test('rights of a suspended account wait until it is open', async () => {
  await post('/api/accounts/1/suspend', { reason: 'unpaid' })
  user().grants = [{ database: 'alice_shop', rights: 'all' }]
  const { findings } = await examine()
  expect(names(findings)).toEqual(['database-user alice_reader false'])
  expect(findings[0]?.fix).toContain('Unsuspend')
})

test('a database user who is open although its account is suspended is locked', async () => {
  await post('/api/accounts/1/suspend', { reason: 'unpaid' })
  user().locked = false
  expect(names((await examine()).findings)).toEqual(['database-user alice_reader true'])
  expect((await treat()).clean).toBe(true)
  expect(user().locked).toBe(true)
})

test('a folder that is gone is a warning', async () => {
  api.host.sftp.gone.add('public_html')
  const { clean, findings } = await examine()
  expect(clean).toBe(true)
  expect(findings).toMatchObject([
    { kind: 'sftp', level: 'warning', subject: 'alice_web', repairable: false },
  ])
})

test('a port that nobody listens at is a warning', async () => {
  api.host.sftp.silentPorts = [22]
  const { clean, findings } = await examine()
  expect(clean).toBe(true)
  expect(findings).toMatchObject([
    { kind: 'sftp', level: 'warning', subject: 'port 22', repairable: false },
  ])
})

test('without SFTP nothing is said of its users', async () => {
  api.host.sftp.reason = 'it is switched off.'
  api.host.sftp.logins.clear()
  expect(await examine()).toMatchObject({ clean: true, findings: [] })
})
