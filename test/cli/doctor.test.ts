import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { runLauncher, type Outcome } from './support/run-berth.ts'

const berth = (...args: string[]): Promise<Outcome> => runLauncher(args)

test('without a running panel it says what to do', async () => {
  const dir = temporaryDirectory('bcli-')
  const file = join(dir, 'berth.toml')
  writeFileSync(file, '[paths]\nrun_dir = "run"\nstate_dir = "state"\n')
  const { code, stdout, stderr } = await berth('doctor', '--config', file)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('Start Berth (berth service start')
})

describe('with a running instance', () => {
  let alice: Tenant
  const doctor = (...args: string[]): Promise<Outcome> =>
    berth('doctor', ...args, '--config', instance.config.file)
  const socket = (): string => join(instance.config.paths.run_dir, 'panel-cli.sock')

  shareInstance()
  beforeAll(async () => {
    alice = await Tenant.create(panel)
    await panel.data('POST', '/api/databases', {
      account_id: alice.id,
      db_name: 'shop',
      db_password: 'long enough 1',
      engine: 'mariadb',
    })
  })

  test('a sound host: exit code 0', async () => {
    const first = await doctor()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    // What the machine is warned of is the machine's.
    expect(first.stdout).toMatch(/(?:^|\n)Records and host agree\.\n$/)
    expect(first.stdout).toContain('not looked at  backup: ')
    const { code, stdout } = await doctor('--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ clean: true })
  })

  test('drift of every kind that can be put right: found with exit code 1, gone after --fix', async () => {
    const { paths, ssl } = instance.config
    const bob = await Tenant.create(panel)
    const carl = await Tenant.create(panel)
    const vhost = join(paths.vhosts_dir, `${alice.domain}.toml`)
    const before = readFileSync(vhost, 'utf8')
    const jwt = join(paths.secrets_dir, 'panel-jwt.key')
    const owner = statSync(jwt)

    rmSync(vhost)
    writeFileSync(join(paths.vhosts_dir, 'left.example.toml'), '# left behind\n')
    chmodSync(alice.home, 0o755)
    chownSync(alice.home, alice.uid, alice.uid)
    chmodSync(jwt, 0o644)
    chmodSync(join(paths.state_dir, 'panel'), 0o755)
    chmodSync(ssl.directory, 0o777)
    const store = new Database(join(paths.state_dir, 'panel', 'panel.db'), { timeout: 5000 })
    try {
      store.pragma('foreign_keys = ON')
      store.prepare('delete from databases where account_id = ?').run(alice.id)
      store.prepare('delete from domains where account_id = ?').run(bob.id)
      store.prepare('delete from accounts where id = ?').run(bob.id)
      store.prepare(`update accounts set status = 'suspended' where id = ?`).run(carl.id)
      store
        .prepare(
          `insert into operations (id, kind, subject, state, steps, data, created_at)
           values ('old', 'account.create', 'nobody', 'open', '[]', '{"domain":"nobody.example"}', '2020-01-01 00:00:00')`,
        )
        .run()
    } finally {
      store.close()
    }

    const found = await doctor()
    expect([found.code, found.stderr]).toEqual([1, ''])
    for (const line of [
      `virtual-host  ${alice.domain} has no file any more`,
      'virtual-host  left.example.toml lies among the generated files and is of no site',
      `home  ${alice.home} has group ${alice.uid}`,
      `path  ${jwt} has mode 0644 instead of 0600`,
      `path  ${join(paths.state_dir, 'panel')} has mode 0755 instead of 0700`,
      `path  ${ssl.directory} has mode 0777 instead of 0750`,
      `database  ${alice.username}_shop was made by this installation`,
      `account  ${bob.username} was made by this installation, but the panel has no account`,
      `suspension  ${carl.username} is suspended in the panel and open on the host`,
      'operation  nobody account.create is open since 2020-01-01 00:00:00',
    ])
      expect(found.stdout).toContain(line)
    // Looking changes nothing.
    expect(existsSync(vhost)).toBe(false)
    expect(existsSync(bob.home)).toBe(true)

    const fixed = await doctor('--fix')
    expect(fixed.stdout).not.toContain('not repaired')
    expect(fixed.stdout).toContain('Records and host agree.')
    expect([fixed.code, fixed.stderr]).toEqual([0, ''])
    expect(readFileSync(vhost, 'utf8')).toBe(before)
    expect(existsSync(join(paths.vhosts_dir, 'left.example.toml'))).toBe(false)
    expect(statSync(alice.home).mode & 0o7777).toBe(0o710)
    const after = statSync(jwt)
    expect([after.mode & 0o7777, after.uid, after.gid]).toEqual([0o600, owner.uid, owner.gid])
    expect(existsSync(bob.home)).toBe(false)
    expect((await runCommand('getent', ['passwd', '--', bob.username])).code).toBe(2)
    expect((await runCommand('getent', ['passwd', '--', alice.username])).code).toBe(0)
    expect((await runCommand('passwd', ['-S', carl.username])).stdout).toMatch(/ L /)
    expect((await instance.site(carl.domain, '/')).status).toBe(503)
    expect((await instance.site(alice.domain, '/')).status).toBe(200)
    const databases = await panel.data<{ database: string }[]>('GET', `/api/databases/${alice.id}`)
    expect(databases.map(({ database }) => database)).toEqual([`${alice.username}_shop`])
    expect((await doctor()).code).toBe(0)
  })

  test('what a person must decide stays, with exit code 1', async () => {
    const dora = await Tenant.create(panel)
    const aside = `${dora.home}.aside`
    renameSync(dora.home, aside)
    const socketPath = join(instance.config.paths.run_dir, 'mariadb', 'mariadb.sock')
    const dropped = await runCommand('mariadb', [
      `--socket=${socketPath}`,
      '-e',
      `DROP DATABASE ${alice.username}_shop`,
    ])
    expect(dropped.code, dropped.stderr).toBe(0)
    const { code, stdout } = await doctor('--fix')
    renameSync(aside, dora.home)
    expect(code).toBe(1)
    expect(stdout).toContain(`home  ${dora.home} is missing\n    why: `)
    expect(stdout).toContain(`database  ${alice.username}_shop is not in its database server`)
    await panel.data('DELETE', `/api/databases/${alice.id}/${alice.username}_shop`)
    expect((await doctor()).stdout).toMatch(/(?:^|\n)Records and host agree\.\n$/)
  })

  test('the audit log names root@local', async () => {
    const entries = await panel.data<{ actor: string; action: string; address: string }[]>(
      'GET',
      '/api/audit',
    )
    expect(entries).toContainEqual(
      expect.objectContaining({
        actor: 'root@local',
        action: 'POST /api/doctor/fix',
        address: 'local',
      }),
    )
  })

  test('nobody but root may connect: not tenants, not the web server, not the panel itself', async () => {
    const stat = statSync(socket())
    expect([stat.mode & 0o7777, stat.uid, stat.gid]).toEqual([0o600, 0, 0])
    const ids = await Promise.all(
      ['berth', 'berth-web', 'www-data'].map(async (name) =>
        Number((await runCommand('id', ['-u', '--', name])).stdout),
      ),
    )
    for (const uid of [alice.uid, ...ids]) {
      expect(uid).toBeGreaterThan(0)
      const { program, args } = asUser({ uid, gid: uid, groups: 'none' }, '/usr/bin/php', [
        '-r',
        `echo @stream_socket_client($argv[1], $e, $m, 2) ? 'open' : "closed $e";`,
        '--',
        `unix://${socket()}`,
      ])
      expect((await runCommand(program, args)).stdout).toBe('closed 13')
    }
  })

  const local = (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      const outgoing = request({ socketPath: socket(), method, path, headers }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
        incoming.on('end', () => done({ status: incoming.statusCode ?? 0, text }))
      })
      outgoing.on('error', fail).end()
    })

  test('the socket speaks the API and nothing else', async () => {
    expect((await local('GET', '/api/accounts')).status).toBe(200)
    expect((await local('GET', '/api/accounts', { authorization: 'Bearer x' })).status).toBe(200)
    expect((await local('GET', '/login')).status).toBe(404)
    expect((await local('POST', '/api/nothing')).status).toBe(404)
    expect((await local('POST', '/api/auth/password')).status).toBe(403)
  })

  test('over the network the same request needs a token, whatever it claims', async () => {
    for (const headers of [{}, { 'x-forwarded-for': 'local' }, { host: 'localhost' }]) {
      const response = await fetch(`${instance.panelUrl}/api/doctor`, { headers })
      expect(response.status).toBe(401)
    }
  })

  test('after the panel was killed the socket answers again', async () => {
    await instance.kill('panel')
    await instance.untilReady()
    const { code, stdout } = await doctor()
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/process {2}warning: panel ended once within a day, .* SIGKILL/),
    ])
  })
})
