import { utimes } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import type { PhpService } from '#adapters/node/agent/php/php-port.ts'
import { checkSpec } from '#adapters/node/agent/domains/check-spec.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import { hostSpec, putFile } from '../agent-php/host-fixture.ts'
import { createModeFixture, greatestOverlap } from '../agent-php/mode-fixture.ts'
import type { ModeFixture } from '../agent-php/mode-fixture.ts'
import { scriptBody } from '../agent-php/run-script.ts'

let fixture: ModeFixture
let account: RegisteredAccount
let other: RegisteredAccount

beforeAll(async () => {
  fixture = await createModeFixture()
  account = await fixture.host.createAccount()
  other = await fixture.host.createAccount()
})
afterEach(() => fixture.stopServices())
afterAll(() => fixture?.dispose())

const iniOf = async (service: PhpService, domain: string): Promise<Record<string, string>> => {
  const { socket } = await service.ensure(domain)
  const file = await putFile(
    account,
    'ini.php',
    '<?php echo json_encode(ini_get_all(null, false));',
  )
  return JSON.parse(await scriptBody(socket, file)) as Record<string, string>
}

const MODES: readonly PhpMode[] = ['fpm', 'cgi']

describe.each(MODES)('settings of virtual hosts, mode %s', (mode) => {
  it('reach the host that has them, and no other of the account', async () => {
    const odd = `a b;c#d'e=f&g|h~(i)!{j}<k>ü`
    fixture.addHost(account, 'plain.example.com', mode)
    fixture.addHost(account, 'own.example.com', mode, {
      maxChildren: null,
      memoryLimit: '77M',
      ini: {
        'date.timezone': 'Europe/Vienna',
        upload_max_filesize: '7M',
        display_errors: '1',
        error_prepend_string: odd,
        user_agent: '',
      },
    })
    const service = await fixture.service()
    expect(await iniOf(service, 'own.example.com')).toMatchObject({
      memory_limit: '77M',
      'date.timezone': 'Europe/Vienna',
      upload_max_filesize: '7M',
      display_errors: '1',
      error_prepend_string: odd,
      open_basedir: `${account.home}/:/usr/share/php/:/dev/urandom`,
      log_errors: '1',
    })
    expect(await iniOf(service, 'plain.example.com')).toMatchObject({
      memory_limit: '96M',
      upload_max_filesize: '256M',
      display_errors: '0',
    })
    expect(fixture.mastersOf(account)).toHaveLength(2)
  })

  it('are shared by hosts that say the same, and changed at once', async () => {
    const pool = (memoryLimit: string) => ({ maxChildren: 3, memoryLimit, ini: { a: '1', b: '2' } })
    fixture.addHost(account, 'one.example.com', mode, pool('50M'))
    fixture.addHost(account, 'two.example.com', mode, { ...pool('50M'), ini: { b: '2', a: '1' } })
    const service = await fixture.service()
    const [one, two] = await Promise.all([
      service.ensure('one.example.com'),
      service.ensure('two.example.com'),
    ])
    expect(two.socket).toBe(one.socket)
    fixture.addHost(account, 'two.example.com', mode, pool('51M'))
    expect((await iniOf(service, 'two.example.com'))['memory_limit']).toBe('51M')
    expect((await iniOf(service, 'one.example.com'))['memory_limit']).toBe('50M')
  })

  it('limit the processes of the host', async () => {
    fixture.addHost(account, 'single.example.com', mode, {
      maxChildren: 1,
      memoryLimit: null,
      ini: {},
    })
    fixture.addHost(account, 'wide.example.com', mode)
    const service = await fixture.service()
    const single = await service.ensure('single.example.com')
    expect(await greatestOverlap(account, single.socket, 3)).toBe(1)
    const wide = await service.ensure('wide.example.com')
    expect(await greatestOverlap(account, wide.socket, 3)).toBe(3)
  })

  it('survive the agent', async () => {
    fixture.addHost(account, 'kept.example.com', mode, {
      maxChildren: 2,
      memoryLimit: '60M',
      ini: { precision: '9' },
    })
    const first = await fixture.service()
    const before = await first.ensure('kept.example.com')
    const [master] = fixture.mastersOf(account)
    const second = await fixture.service()
    expect(await second.ensure('kept.example.com')).toEqual(before)
    expect(fixture.mastersOf(account).map(({ pid }) => pid)).toEqual([master?.pid])
  })

  it('work for a host of berth.toml that names its account', async () => {
    const { hosts, problems } = parseIncludedFile(
      '/etc/berth/site.toml',
      `[[virtualhost]]
domain = "written.example.com"
root = "${account.home}/public_html"
username = "${account.username}"
[virtualhost.php]
mode = "${mode}"
memory_limit = "66M"
[virtualhost.php.ini]
precision = 8
display_errors = true
`,
    )
    expect(problems).toEqual([])
    let configured: VirtualHostConfig[] = []
    const service = await fixture.service({ virtualHosts: () => configured })
    await expect(service.ensure('written.example.com')).rejects.toThrow('username of an account')
    // The configuration was read again.
    configured = hosts.map(({ host }) => host)
    expect(await iniOf(service, 'written.example.com')).toMatchObject({
      memory_limit: '66M',
      precision: '8',
      display_errors: '1',
    })
  })
})

describe('settings that would undo isolation', () => {
  const spec = (ini: Record<string, string>, memoryLimit: string | null = null) =>
    hostSpec(account, 'checked.example.com', {
      php: { version: fixture.version, mode: 'fpm', pool: { maxChildren: 2, memoryLimit, ini } },
    })
  const check = (...given: Parameters<typeof spec>) =>
    checkSpec(spec(...given), fixture.host.registry, '/nowhere')

  it('are refused by the agent', () => {
    const home = account.home
    for (const [name, value] of [
      ['open_basedir', '/'],
      ['disable_functions', ''],
      ['extension', 'x.so'],
      ['zend_extension', 'x.so'],
      ['sendmail_path', '/bin/sh'],
      ['error_log', '/etc/x'],
      ['log_errors', '0'],
      ['session.save_path', '/tmp'],
      ['opcache.file_cache', '/tmp'],
      ['opcache.preload', '/tmp/x.php'],
      ['opcache.lockfile_path', '/tmp'],
      ['cgi.fix_pathinfo', '0'],
      ['ffi.enable', '1'],
      ['memory_limit', '9G'],
      ['auto_prepend_file', '/etc/passwd'],
      ['auto_prepend_file', `${home}/../x.php`],
      ['auto_append_file', `${other.home}/x.php`],
      ['precision', '1"\nopen_basedir="/'],
      ['precision', '${HOME}'],
      ['precision', 'a\\'],
      ['precision', 'a\u0001'],
      ['Bad Name', '1'],
      ['a]=1\n[x', '1'],
      ['a=b', '1'],
    ] as const)
      expect(() => check({ [name]: value }), `${name}=${value}`).toThrow()
    expect(() => check({}, '1M\nx=1')).toThrow()
  })

  it('others come back from the generated file as they went in', () => {
    const ini = {
      include_path: '.:/usr/share/php',
      auto_prepend_file: `${account.home}/pre.php`,
      'date.timezone': 'UTC',
      error_prepend_string: `'=#;ü`,
    }
    expect(check(ini, '1G').spec.php?.pool).toEqual({ maxChildren: 2, memoryLimit: '1G', ini })
  })
})

describe('the opcode cache', () => {
  it('shows an account its own scripts alone', async () => {
    fixture.addHost(account, 'cached-a.example.com', 'fpm')
    fixture.addHost(other, 'cached-b.example.com', 'fpm')
    const service = await fixture.service()
    const script = '<?php echo json_encode(array_keys(opcache_get_status()["scripts"] ?? []));'
    const mine = await putFile(account, 'cached.php', script)
    const theirs = await putFile(other, 'cached.php', script)
    const a = await service.ensure('cached-a.example.com')
    const b = await service.ensure('cached-b.example.com')
    // The second visit finds what the first one stored.
    const scriptsIn = async (socket: string, file: string): Promise<string[]> => {
      await scriptBody(socket, file)
      return JSON.parse(await scriptBody(socket, file)) as string[]
    }
    const old = new Date(Date.now() - 60_000)
    await Promise.all([utimes(mine, old, old), utimes(theirs, old, old)])
    expect(await scriptsIn(a.socket, mine)).toEqual([mine])
    expect(await scriptsIn(b.socket, theirs)).toEqual([theirs])
  })
})
