import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { newAccount } from '#test/contract/frame/api-instance.ts'

export const must = async (answer: Promise<{ status: number; body: unknown }>): Promise<void> => {
  const { status, body } = await answer
  if (status !== 200) throw new Error(JSON.stringify(body))
}

export const account = (admin: ApiClient) => must(admin.post('/api/accounts', newAccount('alice')))
export const domain = (name: string, type: string, root: string) => ({
  account_id: 1,
  domain_name: name,
  domain_type: type,
  document_root: `/home/alice/${root}`,
})
export const addDomain = (admin: ApiClient) =>
  must(admin.post('/api/domains', domain('shop.example', 'addon', 'shop')))
export const database = (name: string) => ({
  account_id: 1,
  db_name: name,
  db_password: 'long enough',
})
export const addDatabase = (admin: ApiClient) => must(admin.post('/api/databases', database('a')))
/** A further user who may read the database `a`. */
export const addDatabaseUser = (admin: ApiClient) =>
  must(admin.post('/api/database-users', databaseUser('reader', 'read')))
/** What lets an address reach the databases. */
export const databaseAddress = (address: string) => ({ account_id: 1, address, note: '' })
export const databaseUser = (name: string, rights: string) => ({
  ...{ account_id: 1, name, password: 'long enough' },
  databases: [{ database: 'a', rights }],
})
export const addSnapshot = (admin: ApiClient): Promise<void> =>
  must(admin.post('/api/backups/snapshots/accounts/1', {}))
export const addBackup = (admin: ApiClient) => must(admin.post('/api/backups/accounts/1'))
export const provision = (name: string) => ({ domain: name, force: true, redirect_https: true })
export const addCertificate = (admin: ApiClient, name: string) =>
  must(admin.post('/api/ssl/provision', provision(name)))

/** An application that installs something before it starts. */
export const application = {
  ...{ account_id: 1, name: 'shop', runtime_kind: 'node', start_command: 'node server.js' },
  install_command: 'write fetched 0',
}
export const addApplication = (admin: ApiClient) =>
  must(admin.post('/api/applications', application))

/** An account with one of everything. */
export const everything = async (admin: ApiClient): Promise<void> => {
  await account(admin)
  await addDomain(admin)
  await addDatabase(admin)
  await addCertificate(admin, 'shop.example')
  await addBackup(admin)
  await addApplication(admin)
  await must(admin.send('PUT', '/api/applications/1/shop/domains/1'))
  await must(admin.post('/api/applications/1/shop/deploy'))
}
