import type { Page } from 'playwright-core'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { callApi, createAccount, setUpByApi } from './log-in.ts'

/** What people call things; a test gives names that would be dangerous as markup. */
export interface SeedNames {
  reason: string
  file: string
  token: string
  content: string
}

const NAMES: SeedNames = {
  reason: 'unpaid invoice',
  file: 'index.html',
  token: 'deploy script',
  content: '<!doctype html>\n<title>Lena</title>\n<h1>Welcome</h1>\n',
}

/** Sets the panel up with something on every screen: `page` is then logged in as administrator. */
export const seed = async (page: Page, names: SeedNames = NAMES): Promise<void> => {
  const call = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await callApi(page, method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.body.error}`)
  }
  const password = 'correct horse 9'
  await setUpByApi(page)
  await createAccount(page, 'lena', { plan: 'pro' })
  await createAccount(page, 'otto', { plan: 'business', domain: 'otto-books.example' })
  await createAccount(page, 'demo01')
  await call('POST', '/api/accounts/3/suspend', { reason: names.reason })
  for (const [domain_name, domain_type, folder] of [
    ['shop.lena.example', 'subdomain', 'shop'],
    ['lena-photos.example', 'addon', 'photos'],
    ['www.lena.example', 'alias', 'public_html'],
  ] as const) {
    const document_root = `/home/lena/${folder}`
    await call('POST', '/api/domains', { account_id: 1, domain_name, domain_type, document_root })
  }
  for (const db_name of ['blog', 'shop'])
    await call('POST', '/api/databases', { account_id: 1, db_name, db_password: password })
  await call('POST', '/api/database-addresses', {
    ...{ account_id: 1, address: '203.0.113.0/24', note: 'office' },
  })
  await call('POST', '/api/dns-access', {
    ...{ account_id: 1, name: 'main', server: 'ns1.lena.example', zone: 'lena.example' },
    ...{ key_name: 'berth-key', secret: 'c2VjcmV0IG9mIHRoZSBrZXk=' },
  })
  await call('POST', '/api/database-users', {
    ...{ account_id: 1, name: 'reader', password },
    databases: [{ database: 'blog', rights: 'read' }],
  })
  for (const [name, more] of [
    [
      'Nightly import',
      { schedule: '15 3 * * *', kind: 'command', command: ['write', 'imported 12', '0'] },
    ],
    [
      'Ping',
      { schedule: '*/5 * * * *', kind: 'shell', command: 'write no-route 7', enabled: false },
    ],
  ] as const) {
    const job = { account_id: 1, name, time_zone: 'Europe/Berlin', ...more }
    await call('POST', '/api/cron', job)
  }
  await call('POST', '/api/cron/1/1/run')
  await call('POST', '/api/cron/1/2/run')
  await call('POST', '/api/applications', {
    ...{ account_id: 1, name: 'shop', runtime_kind: 'node', start_command: 'node server.js' },
    ...{ install_command: 'write fetched 0', environment: { MODE: 'production' } },
    secrets: { API_KEY: 'whisper' },
  })
  await call('POST', '/api/applications/1/shop/deploy')
  for (const [name, source] of [
    ['fetched', { source_url: 'ssh://git@example.com/team/fetched.git', source_branch: 'main' }],
    ['pushed', { source_push: true }],
  ] as const)
    await call('POST', '/api/applications', {
      ...{ account_id: 1, name, runtime_kind: 'node', start_command: 'node server.js' },
      ...source,
    })
  const write = (path: string, content: string) =>
    call('POST', '/api/files/write', { account_id: 1, path, content })
  await write(names.file, names.content)
  await write('notes.txt', 'Call the printer.\n')
  await startJob(page, '/api/backups/accounts/1')
  await call('POST', '/api/backups/snapshots/accounts/1')
  await call('POST', '/api/backups/proofs', { account_id: 1 })
  await call('POST', '/api/tokens', { name: names.token, scopes: ['read', 'write'] })
  await call('POST', '/api/users', { username: 'second', password })
  const { certificate, key: private_key } = makeCertificate({ names: ['lena.example'] })
  await call('POST', '/api/ssl/upload', { domain: 'lena.example', certificate, private_key })
  await call('POST', '/api/ssl/orders', { domain: 'lena.example' })
}

/** Starts work that the job centre shows, and waits for its end. */
const startJob = async (page: Page, path: string): Promise<void> => {
  const answer = await callApi(page, 'POST', path, undefined, { Prefer: 'respond-async' })
  const { data } = answer.body as { data?: { job_id: string } }
  if (!data) throw new Error(`${path}: ${answer.body.error}`)
  // The stream of one job ends with it.
  await page.request.get(`/api/jobs/${data.job_id}/events`)
}
