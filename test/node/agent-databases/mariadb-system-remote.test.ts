import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import { createMariadbEngine } from '#adapters/node/agent/databases/mariadb/engine.ts'
import { installMariadb } from '#adapters/node/agent/databases/mariadb/process.ts'
import { systemMariadb } from '#adapters/node/agent/databases/mariadb/server.ts'
import { leaveDropIn } from '#adapters/node/system-mariadb/leave-drop-in.ts'
import { withMariadb } from '#adapters/node/agent/databases/mariadb/session.ts'
import { remoteListener } from '#adapters/node/agent/databases/remote/server-certificate.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import type { RunAs } from '#adapters/node/process/as-user.ts'
import { createHostFixture, randomAccountName } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { newPair, openMariadbFrom, PASSWORD } from './remote-subject.ts'

let host: HostFixture
let port = 0
let mysql: RunAs
let server: ChildProcess | null = null
let restarts = 0
let broken = false
const pair = newPair()
const at = (name: string): string => `${host.directory}/system/${name}`

const start = async (): Promise<void> => {
  const { program, args } = asUser(mysql, '/usr/sbin/mariadbd', [`--defaults-file=${at('my.cnf')}`])
  const child = spawn(program, args, { stdio: 'ignore' })
  server = child
  while (child.exitCode === null) {
    const up = await withMariadb(at('run/m.sock'), ({ run }) => run('SELECT 1')).catch(() => null)
    if (up !== null) return
    await delay(50)
  }
  throw new Error('the unit failed')
}
const stop = async (): Promise<void> => {
  if (server === null || server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}
/** What systemd does. */
const restart = async (): Promise<void> => {
  restarts += 1
  await stop()
  if (broken && existsSync(at('conf.d/zz-berth-remote.cnf'))) throw new Error('the unit failed')
  await start()
}
const compose = (reached: boolean) => {
  const configuration = {
    ...{ mainFile: at('my.cnf'), directory: at('conf.d'), socket: at('run/m.sock'), restart },
  }
  const listener = reached
    ? remoteListener(port, `${host.stateDir}/databases/tls/mariadb`, mysql, () => pair)
    : null
  const engine = createMariadbEngine(
    systemMariadb(configuration, listener, host.log),
    '/usr/sbin/mariadbd',
  )
  const service = createDatabasesPort({
    ...{ registry: host.registry, lock: host.lock, engines: [engine], log: host.log },
  })
  return { engine, service }
}
const begun = async (reached: boolean) => {
  const one = compose(reached)
  one.service.start()
  await one.engine.whenReady()
  return one
}
const stateOf = async ({ engine }: ReturnType<typeof compose>) => engine.remote.serving()
const sql = (statement: string) => withMariadb(at('run/m.sock'), ({ run }) => run(statement))

beforeAll(async () => {
  host = await createHostFixture()
  ;[port = 0] = await freePorts(1)
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('mysql:'))
  const [, , uid, gid] = (row ?? '').split(':').map(Number)
  mysql = { uid: uid ?? 0, gid: gid ?? 0, groups: 'none' }
  for (const name of ['', 'run', 'conf.d']) {
    await mkdir(at(name))
    await chmod(at(name), 0o755)
  }
  await chown(at('run'), mysql.uid, mysql.gid)
  await chmod(host.directory, 0o755)
  await installMariadb(
    {
      ...{ binary: '/usr/sbin/mariadbd', installer: '/usr/bin/mariadb-install-db' },
      ...{ dataDir: at('data/m'), socket: at('run/m.sock'), logFile: at('log') },
      ...{ runAs: mysql, listener: null },
    },
    host.log,
  )
  // As Debian writes it, as far as it matters here.
  await writeFile(
    at('my.cnf'),
    `[mariadbd]\ndatadir=${at('data/m')}\nsocket=${at('run/m.sock')}\nport=${port}\nbind-address=127.0.0.1\nskip-symbolic-links\n!includedir ${at('conf.d')}/\n`,
  )
  await start()
})
afterAll(async () => {
  await stop()
  await host.dispose()
})

it('leaves a server alone that nobody is to reach', async () => {
  const { service, engine } = await begun(false)
  expect(await engine.remote.serving()).toEqual({ port: null, problem: null })
  await service.stop()
  expect(restarts).toBe(0)
})

it('listens by a file of its own, over TLS for our users alone, and takes it away again', async () => {
  const one = await begun(true)
  expect(restarts).toBe(1)
  expect(await stateOf(one)).toEqual({ port, problem: null })
  const username = randomAccountName()
  host.registry.records.reserve(
    { username, home: `${host.directory}/home/${username}`, diskQuotaMb: 0 },
    { isFree: () => true },
  )
  host.registry.records.setState(username, 'ready')
  const user = `${username}_shop`
  const names = { username, engine: 'mariadb' as const, database: user, user }
  await one.service.create({ ...names, operationId: randomUUID(), password: PASSWORD })
  await one.service.remote.setAddresses({
    ...{ operationId: randomUUID(), username, addresses: ['127.0.1.7'] },
  })
  const login = { user, password: PASSWORD, database: user }
  const place = { port } as Parameters<typeof openMariadbFrom>[0]
  const open = await openMariadbFrom(place, '127.0.1.7', login, { ca: pair.cert })
  expect(await open.run('SELECT 42 AS a')).toEqual([{ a: 42 }])
  await open.end()
  await expect(openMariadbFrom(place, '127.0.1.7', login, null)).rejects.toThrow()
  await one.service.stop()

  // The same again needs no new start.
  const again = await begun(true)
  expect(restarts).toBe(1)
  await again.service.stop()

  const { service } = await begun(false)
  expect(restarts).toBe(2)
  expect(existsSync(at('conf.d/zz-berth-remote.cnf'))).toBe(false)
  await expect
    .poll(() => sql("SELECT user FROM mysql.global_priv WHERE host LIKE '127.0.1%'"))
    .toEqual([])
  await service.stop()
  await expect(openMariadbFrom(place, '127.0.1.7', login, { ca: pair.cert })).rejects.toThrow()
})

it('opens nothing while somebody else’s user could come without TLS, and says who', async () => {
  await sql("CREATE USER 'old'@'%' IDENTIFIED BY 'x'")
  const one = await begun(true)
  expect(await stateOf(one)).toEqual({
    port: null,
    problem: expect.stringContaining('its user old@%, which Berth did not make'),
  })
  await one.service.stop()
  expect(existsSync(at('conf.d/zz-berth-remote.cnf'))).toBe(false)
  await sql("DROP USER 'old'@'%'")
})

it('leaves a configuration that says otherwise, and files of others, as they are', async () => {
  const before = restarts
  for (const [name, text, said] of [
    ['zzz.cnf', '[mariadbd]\nbind-address=127.0.0.1\n', 'says otherwise of bind-address'],
    ['50.cnf', '[mariadbd]\nssl_cert=/etc/other.pem\n', 'names a certificate, /etc/other.pem'],
    ['zz-berth-remote.cnf', '# mine\n', 'is there and not'],
  ] as const) {
    await writeFile(at(`conf.d/${name}`), text)
    const one = await begun(true)
    expect(await stateOf(one)).toEqual({ port: null, problem: expect.stringContaining(said) })
    await one.service.stop()
    expect(readFileSync(at(`conf.d/${name}`), 'utf8')).toBe(text)
    await rm(at(`conf.d/${name}`))
    expect(existsSync(at('conf.d/zz-berth-remote.cnf'))).toBe(false)
  }
  expect(restarts).toBe(before)
})

it('goes back to what was there when the server does not start with it', async () => {
  broken = true
  const one = await begun(true)
  broken = false
  expect(await stateOf(one)).toEqual({
    port: null,
    problem: 'it did not start with it: the unit failed',
  })
  expect(existsSync(at('conf.d/zz-berth-remote.cnf'))).toBe(false)
  expect(await sql('SELECT 42 AS a')).toEqual([{ a: 42 }])
  await one.service.stop()
})

it('who leaves takes the file along, and no file of another', async () => {
  const one = await begun(true)
  await one.service.stop()
  const before = restarts
  const place = { directory: at('conf.d'), restart }
  expect(await leaveDropIn(place)).toBe(true)
  expect(existsSync(at('conf.d/zz-berth-remote.cnf'))).toBe(false)
  expect(restarts).toBe(before + 1)
  await writeFile(at('conf.d/zz-berth-remote.cnf'), '[mariadbd]\n')
  expect(await leaveDropIn(place)).toBe(false)
  expect(restarts).toBe(before + 1)
  await rm(at('conf.d/zz-berth-remote.cnf'))
})
