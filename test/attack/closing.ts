import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import { expect, test } from 'vitest'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

const processesOf = (uid: number): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return status.includes(`\nUid:\t${uid}\t`) && !/^State:\s+[ZX]/m.test(status)
    } catch {
      return false
    }
  })

const databaseOf = (tenant: Tenant) => ({
  socketPath: join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock'),
  user: `${tenant.username}_shop`,
  password: 'long enough 1',
  database: `${tenant.username}_shop`,
})
const canLogIn = async (tenant: Tenant): Promise<boolean> => {
  try {
    const connection = await mysql.createConnection(databaseOf(tenant))
    await connection.end()
    return true
  } catch {
    return false
  }
}

const open = async (): Promise<Tenant> => {
  const tenant = await Tenant.create(panel, 'pro')
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'shop',
    db_password: 'long enough 1',
    engine: 'mariadb',
  })
  await tenant.put('public_html/page.html', '<p>page</p>')
  await tenant.put('public_html/a.php', '<?php header("Cache-Control: no-store"); echo "php";')
  return tenant
}

/** A process of the account that would run for a minute; answers how it ended. */
const linger = (tenant: Tenant): Promise<string> =>
  tenant.run('sh', ['-c', 'exec sleep 60']).then(
    ({ code }) => `exit ${code}`,
    () => 'killed',
  )

test('a suspended account is closed in every way, and opened exactly as it was', async () => {
  const tenant = await open()
  await instance.site(tenant.domain, '/page.html')
  expect((await instance.site(tenant.domain, '/page.html')).headers['x-cache']).toBe('HIT')
  expect((await instance.site(tenant.domain, '/a.php')).text).toBe('php')
  const login = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    username: tenant.username,
    password: tenant.password,
  })
  const shadow = (await runCommand('getent', ['shadow', '--', tenant.username])).stdout
  const passwd = (await runCommand('getent', ['passwd', '--', tenant.username])).stdout
  const kept = instance.keepAlive(tenant.domain)
  const connection = await mysql.createConnection(databaseOf(tenant))
  const lost = new Promise<void>((done) => connection.once('error', () => done()))
  // A process that ends by itself after a while, if nobody ends it.
  const left = linger(tenant)
  expect((await kept.get('/page.html')).status).toBe(200)

  await panel.data('POST', `/api/accounts/${tenant.id}/suspend`)
  expect((await instance.site(tenant.domain, '/page.html')).status).toBe(503)
  expect((await instance.site(tenant.domain, '/a.php')).status).toBe(503)
  const onKept = await kept.get('/page.html').catch(() => null)
  expect(onKept?.status ?? 503).toBe(503)
  kept.close()
  expect(processesOf(tenant.uid)).toEqual([])
  expect(await left).not.toBe('exit 0')
  await lost
  expect(await canLogIn(tenant)).toBe(false)
  expect((await panel.call('GET', '/api/auth/me', undefined, login.token)).status).toBe(401)
  expect(
    (
      await panel.call(
        'POST',
        '/api/auth/login',
        { username: tenant.username, password: tenant.password },
        null,
      )
    ).status,
  ).not.toBe(200)
  expect((await runCommand('passwd', ['-S', tenant.username])).stdout).toMatch(/^\S+ L /)
  expect((await runCommand('getent', ['passwd', '--', tenant.username])).stdout).toMatch(/nologin/)
  // An expired account is refused to keys and SFTP as well, which a locked password is not.
  expect((await runCommand('getent', ['shadow', '--', tenant.username])).stdout.split(':')[7]).toBe(
    '1',
  )

  await panel.data('POST', `/api/accounts/${tenant.id}/unsuspend`)
  expect((await instance.site(tenant.domain, '/page.html')).status).toBe(200)
  expect((await instance.site(tenant.domain, '/a.php')).text).toBe('php')
  expect(await canLogIn(tenant)).toBe(true)
  expect((await runCommand('getent', ['shadow', '--', tenant.username])).stdout).toBe(shadow)
  expect((await runCommand('getent', ['passwd', '--', tenant.username])).stdout).toBe(passwd)
  // Tokens from before stay void: whoever had one may have been the reason.
  expect((await panel.call('GET', '/api/auth/me', undefined, login.token)).status).toBe(401)
})

test('a deleted account leaves nothing, and its number goes to nobody', async () => {
  const tenant = await open()
  expect((await instance.site(tenant.domain, '/a.php')).text).toBe('php')
  const left = linger(tenant)
  await tenant.run('sh', ['-c', `echo x > /tmp/${tenant.username}.left`])
  expect(existsSync(`/tmp/${tenant.username}.left`)).toBe(true)
  await panel.data('DELETE', `/api/accounts/${tenant.id}`)
  expect(await left).not.toBe('exit 0')

  expect(processesOf(tenant.uid)).toEqual([])
  expect(existsSync(tenant.home)).toBe(false)
  expect(existsSync(`/tmp/${tenant.username}.left`)).toBe(false)
  expect(await canLogIn(tenant)).toBe(false)
  expect((await instance.site(tenant.domain, '/')).status).toBe(404)
  for (const database of ['passwd', 'group'])
    expect((await runCommand('getent', [database, '--', tenant.username])).code).toBe(2)
  const { paths, ssl } = instance.config
  for (const directory of [
    paths.vhosts_dir,
    ssl.directory,
    `${paths.run_dir}/php`,
    `${paths.run_dir}/php-conf`,
  ])
    expect(readdirSync(directory).filter((name) => name.includes(tenant.username))).toEqual([])
  const server = await mysql.createConnection({
    ...databaseOf(tenant),
    user: 'root',
    password: '',
    database: 'mysql',
  })
  try {
    for (const query of [
      'select user from mysql.global_priv where user like ?',
      'select db from mysql.db where db like ? or user like ?',
      'select schema_name from information_schema.schemata where schema_name like ?',
    ]) {
      const like = `${tenant.username}%`
      const [rows] = await server.query(
        query,
        query
          .split('?')
          .slice(1)
          .map(() => like),
      )
      expect(rows).toEqual([])
    }
  } finally {
    await server.end()
  }
  const next = await Tenant.create(panel)
  expect(next.uid).not.toBe(tenant.uid)
  expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
})

test('1000 creations at once stop exactly at the tier', async () => {
  const { length: before } = await panel.data<unknown[]>('GET', '/api/accounts')
  let at = 0
  const statuses = new Map<number, number>()
  const worker = async (): Promise<void> => {
    while (at < 1000) {
      const username = `btm${(at++).toString(36).padStart(4, '0')}${Date.now().toString(36).slice(-4)}`
      const { status } = await panel.call('POST', '/api/accounts', {
        username,
        domain: `${username}.example.com`,
        email: 'x@example.com',
        password: 'long enough 1',
        plan: 'free',
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 200 }, worker))
  expect(Object.fromEntries(statuses)).toEqual({ 200: 5 - before, 403: 1000 - (5 - before) })
  expect((await panel.data<unknown[]>('GET', '/api/accounts')).length).toBe(5)
  expect(driftOf(await panel.data('GET', '/api/doctor'))).toEqual([])
})

test('bodies too deep or too large are refused, and the panel goes on', async () => {
  const post = (body: string) =>
    fetch(new URL('/api/accounts', instance.panelUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${panel.token}`, 'content-type': 'application/json' },
      body,
    }).then(({ status }) => status)
  expect(await post(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toBe(400)
  expect(await post(`{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`)).toBe(400)
  const large = await post(`{"username":"${'x'.repeat(2 * 2 ** 20)}"}`).catch(() => 413)
  expect(large).toBe(413)
  expect((await panel.call('GET', '/api/auth/me')).status).toBe(200)
})
