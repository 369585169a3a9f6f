import { describe, expect, it } from 'vitest'
import { createHostClient, HostFault } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'
import { AppError } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Log } from '#handlers/ports/log.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'

const spec = siteSpec('a.example', 'alice', {
  aliases: ['www.a.example'],
  php: { version: '8.2', mode: 'fpm' },
  cache: { enable: true, ttl: null, exclude: ['/cart'] },
  application: { name: 'shop', paths: ['/app'] },
})
const change = { operationId: 'op-1.a:b', username: 'alice' }
const at = { username: 'alice', path: 'public_html/ä' }
const upload = { ...at, token: '0123456789abcdef' }
const database = { ...change, engine: 'mariadb', database: 'alice_a', user: 'alice_a' }

const certificate = { username: 'alice', domain: 'a.example' }
const order = { ...certificate, names: ['a.example'], webroot: '/home/alice/public_html' }

const search = {
  file: 'access',
  filter: {
    hosts: [{ name: 'a.example', sinceMs: 1 }],
    q: 'ä',
    level: 'warn',
    status: '4xx',
    method: 'GET',
    fromMs: 1,
    toMs: null,
  },
}

const move = { engine: 'mariadb', from: 'alice_a', to: 'bob_a' } as const
const backup = {
  username: 'alice',
  filename: 'alice-20260101-000000.tar.gz',
  location: 'local',
}

const exported = 'mariadb-alice_a-20260101-000000.sql.gz'

const place = { username: 'alice', location: 'local' }
const snapshotId = 'a'.repeat(64)

/** One good argument for every method. */
const furtherUser = { ...change, engine: 'mariadb', user: 'alice_b' }
const grants = [{ database: 'alice_a', rights: 'read' }]
const wordpressPlace = { username: 'alice', path: 'public_html' }
const wordpressUpdate = {
  ...{ ...wordpressPlace, url: 'https://a.example/', updateId: 'op-1.wordpress' },
}
const wordpressPush = {
  ...{ username: 'alice', pushId: 'op-1.wordpress' },
  to: { path: 'public_html', url: 'https://a.example/' },
}
const GOOD: Record<string, unknown> = {
  'users/create': { ...change, password: 'p w', primaryDomain: 'a.example', diskQuotaMb: 500 },
  'users/remove': change,
  'users/suspend': change,
  'users/unsuspend': change,
  'users/setPassword': { ...change, password: 'x' },
  'users/list': undefined,
  'users/setDiskQuota': { ...change, diskQuotaMb: 500 },
  'users/setLimits': {
    ...{ ...change, processes: 50, memoryMb: 512, memoryTotalMb: 2048 },
    ...{ cpuWeight: 100, cpuPercent: 0, ioWeight: 100 },
  },
  'accountUse/of': { username: 'alice' },
  'accountUse/shortOfMemory': undefined,
  'users/diskUsedMb': { username: 'alice' },
  'users/operation': { operationId: 'op-1' },
  'files/list': at,
  'files/read': { ...at, maxBytes: 10 },
  'files/write': { ...at, content: 'x', encoding: 'utf8' },
  'files/mkdir': at,
  'files/chmod': { ...at, mode: '644' },
  'files/delete': at,
  'files/beginUpload': at,
  'files/appendUpload': { ...upload, offset: 0, content: 'eA==' },
  'files/endUpload': { ...upload, size: 1 },
  'files/abortUpload': upload,
  'files/readPart': { ...at, offset: 0, length: 10, identity: 'one' },
  'files/move': { ...at, to: 'b' },
  'files/copy': { ...at, to: 'b' },
  'files/archive': { username: 'alice', paths: ['a'], to: 'a.tar.gz' },
  'files/extract': { ...at, to: 'b', overwrite: false },
  'inspection/inspect': undefined,
  'inspection/repairPath': { path: '/home/alice' },
  'inspection/endPhp': { pid: 4242 },
  'machine/facts': undefined,
  'machine/fillers': undefined,
  'php/versions': undefined,
  'php/pools': undefined,
  'php/facts': { version: '8.2', mode: 'fpm' },
  'php/test': { username: 'alice', version: '8.2', mode: 'fpm' },
  'hooks/run': { event: 'account.created', message: '{"event":"ä"}' },
  'php/configure': { ...change, version: '8.2', mode: 'fpm' },
  'databases/engines': undefined,
  'databases/create': { ...database, password: 'password' },
  'databases/setPassword': { ...database, password: 'password' },
  'databases/remove': database,
  'databases/facts': { username: 'alice' },
  'databases/slowQueries': { username: 'alice' },
  'databases/setLocked': { ...change, locked: true },
  'databaseUsers/create': { ...furtherUser, password: 'password', grants },
  'databaseUsers/setGrants': { ...furtherUser, grants },
  'databaseUsers/setPassword': { ...furtherUser, password: 'password' },
  'databaseUsers/rename': { ...furtherUser, to: 'alice_c' },
  'databaseUsers/remove': furtherUser,
  'databaseRemote/state': undefined,
  'databaseRemote/setAddresses': { ...change, addresses: ['203.0.113.7', '2001:db8::/64'] },
  'databaseCopies/start': {
    kind: 'import',
    ...change,
    engine: 'mariadb',
    database: 'alice_a',
    path: 'dump.sql.gz',
  },
  'databaseCopies/wait': { operationId: 'op-1' },
  'databaseCopies/exports': { username: 'alice' },
  'databaseCopies/read': { username: 'alice', filename: exported, offset: 0 },
  'databaseCopies/remove': { username: 'alice', filename: exported },
  'databaseTool/open': {
    sessionId: 'op-1',
    username: 'alice',
    engine: 'mariadb',
    database: 'alice_a',
  },
  'databaseTool/close': { sessionId: 'op-1' },
  'databaseTool/closeAll': undefined,
  'backups/start': {
    kind: 'create',
    operationId: 'op-1',
    username: 'alice',
    filename: 'alice-20260101-000000.tar.gz',
    ...newRecord('alice'),
  },
  'backups/wait': { operationId: 'op-1' },
  'backups/remove': backup,
  'backups/read': { ...backup, offset: 0 },
  'backups/targets': undefined,
  'backups/restores': { username: 'alice' },
  'backups/contents': {
    ...backup,
    sha256: 'a'.repeat(64),
    sizeBytes: 10,
    directory: 'ä',
    offset: 0,
  },
  'targets/save': {
    settings: {
      name: 'away',
      type: 's3',
      endpoint: 'https://s3.example.com',
      bucket: 'backups',
      path: null,
      region: null,
      username: null,
      access_key_id: 'key',
      host_key: null,
      allow_private: false,
      is_default: true,
    },
    secret: { kind: 'secret_key', value: 'secret' },
    isNew: true,
  },
  'targets/remove': { name: 'away' },
  'targets/test': { name: 'away' },
  'targets/serverKey': { endpoint: 'sftp.example.com:22', allowPrivate: false },
  'cron/start': {
    runId: 'op-1',
    username: 'alice',
    program: { kind: 'command', argv: ['php', 'ä.php'] },
    phpVersion: '8.2',
    timeZone: 'Europe/Berlin',
    timeLimitSecs: 60,
    application: 'shop',
  },
  'applications/runtimes': undefined,
  'applications/put': {
    spec: {
      ...{ username: 'alice', name: 'shop', folder: 'apps/ä' },
      runtime: { kind: 'node', version: '24.21.0' },
      ...{ start: 'node server.js', environment: { MODE: 'ä' }, listen: 'socket' },
      ...{ healthPath: '/health?x', startLimitSecs: 60, restart: 'always' },
      ...{ memoryMb: 256, sleepAfterSecs: null },
    },
    secrets: { API_KEY: 'ä\n', OLD: null },
  },
  'applications/remove': { username: 'alice', name: 'shop' },
  'applications/deploy': { username: 'alice', name: 'shop' },
  'applications/stop': { username: 'alice', name: 'shop' },
  'applications/states': { username: 'alice' },
  'applications/log': { username: 'alice', name: 'shop' },
  'applications/switch': {
    username: 'alice',
    name: 'shop',
    release: '20261127060000-abcdef',
    serves: 'public',
    keep: ['20261127060000-abcdef'],
  },
  'applications/pushes': { done: ['0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d'] },
  'applications/share': {
    ...{ username: 'alice', name: 'shop', release: '20261127060000-abcdef' },
    paths: ['.env', 'storage/'],
  },
  'applications/commit': { username: 'alice', name: 'shop', release: '20261127060000-abcdef' },
  'applications/deployKey': { username: 'alice', name: 'shop' },
  'cron/wait': { runId: 'op-1' },
  'cron/stop': { runId: 'op-1' },
  'outgoingMail/submit': { to: 'a@b.example', subject: 'ä', text: 'x\n' },
  'mailQueue/status': undefined,
  'mailQueue/allowance': { username: 'alice' },
  'mailQueue/setAccount': { username: 'alice', perHour: 10, mainDomain: 'shop.example' },
  'mailQueue/list': {
    ...{ username: 'alice', only: 'panel', state: 'kept', q: 'ä' },
    ...{ sort: 'created_at', order: 'desc', offset: 0, limit: 10 },
  },
  'mailQueue/message': { id: 'a1' },
  'mailQueue/source': { id: 'a1' },
  'mailQueue/retry': { id: 'a1' },
  'mailQueue/remove': { id: 'a1' },
  'mailQueue/takeNews': { acknowledged: 0 },
  'sftp/details': undefined,
  'sftp/setLogins': {
    username: 'alice',
    passwords: true,
    keys: [{ id: 7, publicKey: 'ssh-ed25519 AAAA', expiresAt: '2030-01-01 00:00:00' }],
    users: [{ name: 'alice_web', folder: 'a/b', passwords: true, readOnly: false, keys: [] }],
    shell: true,
  },
  'sftp/loginDifferences': {
    username: 'alice',
    passwords: true,
    keys: [{ id: 7, publicKey: 'ssh-ed25519 AAAA', expiresAt: '2030-01-01 00:00:00' }],
    users: [{ name: 'alice_web', folder: 'a/b', passwords: true, readOnly: false, keys: [] }],
    shell: true,
  },
  'sftp/shellProblem': { username: 'alice' },
  'sftp/setUserPassword': { username: 'alice', name: 'alice_web', password: 'long enough' },
  'sftp/userProblems': { username: 'alice' },
  'sftp/seenLogins': { after: 0 },
  'imports/find': { path: '/root' },
  'imports/open': { importId: 'op-1', source: { kind: 'file', path: '/root/a.tar.gz' } },
  'imports/fill': { importId: 'op-1', username: 'alice', databases: [move] },
  'imports/wait': { importId: 'op-1', step: 'open' },
  'imports/takeCertificate': {
    importId: 'op-1',
    operationId: 'op-2',
    username: 'alice',
    from: 'a.example',
    domain: 'b.example',
  },
  'imports/pointConfigs': { importId: 'op-1', username: 'alice' },
  'imports/takePasswords': {
    users: [{ engine: 'mariadb', from: 'bob_r', to: 'alice_r' }],
    importId: 'op-1',
    username: 'alice',
    databases: [move],
    system: true,
  },
  'imports/close': { importId: 'op-1' },
  'snapshots/engine': undefined,
  'snapshots/start': {
    ...place,
    kind: 'snapshot',
    operationId: 'op-1',
    scheduled: true,
    ...newRecord('alice'),
  },
  'snapshots/wait': { operationId: 'op-1' },
  'snapshots/stop': { operationId: 'op-1' },
  'snapshots/list': place,
  'snapshots/browse': { ...place, snapshotId, directory: 'ä', offset: 0 },
  'snapshots/open': { ...place, snapshotId, readId: 'op-1', what: { path: 'ä' } },
  'snapshots/read': { readId: 'op-1' },
  'snapshots/close': { readId: 'op-1' },
  'snapshots/destroy': place,
  'certificates/prepare': { ...order, force: false, challenge: 'dns-01' },
  'certificates/issue': {
    ...order,
    operationId: 'op-1',
    by_dns: ['*.a.example'],
    replaces: 'op-0',
  },
  'certificates/renewalWindow': { ...certificate, version: 'op-1' },
  'dnsAccess/list': { username: null },
  'dnsAccess/add': {
    username: 'alice',
    access: {
      ...{ name: 'zone', kind: 'rfc2136', server: '[2001:db8::1]:5353', zone: 'a.example' },
      ...{ key_name: 'key', secret: 'c2VjcmV0IG9mIHRoZSBrZXk=' },
    },
  },
  'dnsAccess/change': {
    ...{ username: 'alice', name: 'zone' },
    change: { server: 'ns1.example', key_name: 'key', secret: 'c2VjcmV0IG9mIHRoZSBrZXk=' },
  },
  'dnsAccess/remove': { username: 'alice', name: 'zone' },
  'certificates/install': { ...certificate, operationId: 'op-1', certificate: 'x', key: 'y' },
  'certificates/prune': { ...certificate, keep: 'op-1' },
  'certificates/panelName': undefined,
  'certificates/beginOrder': { ...certificate, names: ['a.example'] },
  'certificates/waitingOrders': undefined,
  'certificates/lookAtOrder': certificate,
  'certificates/finishOrder': { ...certificate, operationId: 'op-1' },
  'certificates/dropOrder': certificate,
  'webServer/apply': { put: [spec], remove: ['b.example'] },
  'webServer/edition': undefined,
  'webServer/regenerate': { hosts: [spec], since: 'run.1', leave: ['alice'] },
  'webServer/reload': undefined,
  'webServer/restart': undefined,
  'webServer/status': undefined,
  'webServer/counters': undefined,
  'webServer/takeTraffic': { acknowledged: 'a batch' },
  'webServer/takeFigures': { acknowledged: 'a batch' },
  'webServer/explain': {
    domain: 'a.example',
    method: 'GET',
    url: 'https://a.example/ü',
    headers: { 'user-agent': 'x' },
    clientAddress: '192.0.2.1',
    draft: 'RewriteEngine On\n',
  },
  'webServer/purge': { domains: [] },
  'system/info': undefined,
  'wordpress/find': { username: 'alice' },
  'wordpress/sources': undefined,
  'wordpressInstall/assertFree': wordpressPlace,
  'wordpressInstall/install': {
    ...{ ...wordpressPlace, operationId: 'op-1', url: 'https://a.example/', version: '6.1.6' },
    database: { name: 'alice_wp', user: 'alice_wp', password: 'p', host: 'localhost' },
    site: { title: 'Ü', locale: 'de_DE', user: 'a b', email: 'a@a.example', password: 'p' },
  },
  'wordpressInstall/uninstall': { ...wordpressPlace, installId: 'op-1' },
  'wordpressCare/settings': wordpressPlace,
  'wordpressCare/configure': { ...wordpressPlace, debug: true, withoutCron: false },
  'wordpressCare/setPassword': {
    ...{ ...wordpressPlace, url: 'https://a.example/', user: 1, password: 'p' },
  },
  'wordpressCare/integrity': wordpressPlace,
  'wordpressCare/replaceAddress': {
    ...{ ...wordpressPlace, url: 'https://a.example/', dryRun: true },
    ...{ from: 'http://a.example', to: 'https://a.example' },
  },
  'wordpressExtensions/packages': undefined,
  'wordpressExtensions/offers': { ...wordpressPlace, url: 'https://a.example/', ask: true },
  'wordpressExtensions/exchange': {
    ...wordpressUpdate,
    ...{ kind: 'plugin', slug: 'akismet', version: '5.1', origin: 'placed' },
  },
  'wordpressUpdate/check': { ...wordpressPlace, url: 'https://a.example/' },
  'wordpressUpdate/exchange': { ...wordpressUpdate, version: '6.1.6' },
  'wordpressUpdate/upgrade': { ...wordpressPlace, url: 'https://a.example/' },
  'wordpressUpdate/revert': wordpressUpdate,
  'wordpressUpdate/settle': { username: 'alice', updateId: 'op-1.wordpress' },
  'wordpressCopy/survey': { ...wordpressPlace, url: 'https://a.example/' },
  'wordpressCopy/copy': {
    ...{ copyId: 'op-1.wordpress', staging: true },
    from: { ...wordpressPlace, url: 'https://a.example/' },
    to: { ...wordpressPlace, path: 'b.example', url: 'https://b.example/' },
    database: { name: 'alice_stage', user: 'alice_stage', password: 'p w', host: 'localhost' },
  },
  'wordpressCopy/remove': { ...wordpressPlace, copyId: 'op-1.wordpress', folder: true },
  'wordpressCopy/push': {
    ...{ ...wordpressPush, files: true, tables: ['wp_posts'] },
    from: { path: 'b.example', url: 'https://b.example/' },
  },
  'wordpressCopy/revert': wordpressPush,
  'wordpressCopy/settle': wordpressPush,
  'wordpressLogin/administrators': { ...wordpressPlace, url: 'https://a.example/' },
  'wordpressLogin/ticket': { ...wordpressPlace, url: 'https://a.example/', user: 1 },
  'cachePlugin/find': { domain: 'a.example' },
  'cachePlugin/change': { domain: 'a.example', installed: true },
  'pageCache/report': undefined,
  'pageCache/purge': { domain: 'a.example', scope: { kind: 'tags', tags: ['news', 'ä'] } },
  'pageCache/insight': { domain: 'a.example' },
  'pageCache/forgetCookie': { domain: 'a.example', name: 'theme' },
  'pageCache/warm': { domain: 'a.example', batch: 'op-1', urls: ['/'], discover: true },
  'pageCache/warmProgress': { batch: 'op-1' },
  'logs/list': undefined,
  'logs/read': { ...search, before: '12-0', lines: 100 },
  'logs/place': { file: 'access', bytesBack: 4096 },
  'logs/follow': { ...search, after: '12-0', lines: 100, maxLagBytes: null },
}
const METHODS = Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
  Object.keys(methods).map((method) => [`${port}/${method}`, port, method] as const),
)

const setUp = (answer: (path: string, input: unknown) => Promise<unknown>) => {
  const logged: string[] = []
  const note = (message: string, fields?: Record<string, unknown>): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { info: note, warn: note, error: note }
  const ports = Object.fromEntries(
    Object.entries(HOST_METHODS).map(([port, methods]) => [
      port,
      Object.fromEntries(
        Object.keys(methods).map((method) => [
          method,
          (input: unknown) => answer(`${port}/${method}`, input),
        ]),
      ),
    ]),
  ) as unknown as HostPorts
  const handler = createHostHandler(ports, log)
  const client = createHostClient(handler) as unknown as Record<
    string,
    Record<string, (input?: unknown) => Promise<unknown>>
  >
  const call = (port: string, method: string, input?: unknown): Promise<unknown> =>
    client[port]?.[method]?.(input) ?? Promise.reject(new Error('no such method'))
  return { handler, call, logged }
}

describe('host RPC', () => {
  it('has an example of every method here', () => {
    expect(METHODS.map(([path]) => path).sort()).toEqual(Object.keys(GOOD).sort())
  })

  it.each(METHODS)('carries argument and answer of %s', async (path, port, method) => {
    const seen: unknown[] = []
    const { call } = setUp(async (called, input) => {
      seen.push(called, input)
      return { answer: 'ü' }
    })
    expect(await call(port, method, GOOD[path])).toEqual({ answer: 'ü' })
    expect(seen).toEqual([path, GOOD[path]])
  })

  it.each(METHODS.filter(([path]) => GOOD[path] !== undefined))(
    'refuses %s without or with a wrong argument',
    async (path, port, method) => {
      const { call } = setUp(async () => {
        throw new Error('must not be reached')
      })
      await expect(call(port, method)).rejects.toMatchObject({ status: 400 })
      const good = GOOD[path] as Record<string, unknown>
      for (const key of Object.keys(good))
        for (const wrong of [null, 17.5, {}, ['\0'], 'a\0b']) {
          // The content of a file may hold any character.
          if (key === 'content' && typeof wrong === 'string') continue
          // The panel's own certificate and DNS access are nobody's, a certificate needs no webroot and no challenge, and nothing may be kept or replaced.
          if (
            wrong === null &&
            ['username', 'webroot', 'keep', 'challenge', 'replaces'].includes(key) &&
            ['certificates', 'dnsAccess'].includes(port)
          )
            continue
          // PHP may be tested as nobody.
          if (wrong === null && path === 'php/test' && key === 'username') continue
          // No secret is changed.
          if (JSON.stringify(wrong) === '{}' && key === 'secrets') continue
          // A job may need no PHP, and a target keep the secret that it has.
          if (wrong === null && path === 'cron/start' && key === 'phpVersion') continue
          if (wrong === null && path === 'targets/save' && key === 'secret') continue
          // The rules as they are, and nothing but what every request has.
          if (wrong === null && key === 'draft') continue
          if (key === 'headers' && JSON.stringify(wrong) === '{}') continue
          // All cookies that the site was seen to set.
          if (wrong === null && path === 'pageCache/forgetCookie' && key === 'name') continue
          // Null: there was no batch yet, any version of the file will do, from the end, whatever the lag.
          const open = ['acknowledged', 'identity', 'before', 'maxLagBytes']
          if (wrong === null && open.includes(key)) continue
          await expect(
            call(port, method, { ...good, [key]: wrong }),
            `${key} ${JSON.stringify(wrong)}`,
          ).rejects.toMatchObject({ status: 400 })
        }
    },
  )

  it('keeps status, text and field of an expected failure', async () => {
    const { call, logged } = setUp(async () => {
      throw new AppError(409, 'The name is taken.', { field: 'username' })
    })
    const failure = await call('users', 'create', GOOD['users/create']).catch((error) => error)
    expect(failure).toBeInstanceOf(AppError)
    expect(failure).toMatchObject({ status: 409, message: 'The name is taken.', field: 'username' })
    expect(logged).toEqual([])
  })

  it('logs a fault and tells nothing of it', async () => {
    const { call, logged } = setUp(async () => {
      throw new Error('SECRET', { cause: new Error('deeper') })
    })
    const failure = await call('system', 'info').catch((error) => error)
    expect(failure).toBeInstanceOf(HostFault)
    expect(String(failure)).not.toContain('SECRET')
    expect(logged.join()).toContain('SECRET')
    expect(logged.join()).toContain('deeper')
  })

  it('answers null where there is nothing to answer', async () => {
    const { call } = setUp(async () => undefined)
    expect(await call('users', 'operation', GOOD['users/operation'])).toBeNull()
  })

  it('knows no other paths, verbs or bodies', async () => {
    const { handler } = setUp(async () => null)
    const ask = async (path: string, init: RequestInit) =>
      (await handler(new Request(`http://agent${path}`, init))).status
    const body = '{}'
    for (const path of ['/', '/users', '/users/list/', '/users/toString', '/__proto__/toString'])
      expect(await ask(path, { method: 'POST', body })).toBe(404)
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(await ask('/users/list', { method })).toBe(405)
    for (const broken of ['', '[]', 'null', '"x"', '{'])
      expect(await ask('/users/list', { method: 'POST', body: broken })).toBe(400)
  })

  it('takes a broken answer for an agent that is going away', async () => {
    const client = createHostClient(async () => new Response('{"ok":tr'))
    await expect(client.users.list()).rejects.toMatchObject({ status: 503 })
    const strange = createHostClient(async () => Response.json({ fine: true }))
    await expect(strange.users.list()).rejects.toBeInstanceOf(HostFault)
  })
})
