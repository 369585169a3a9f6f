import { existsSync, readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { MAX_DIRECTORY_MASTERS } from '#adapters/node/agent/php/masters/directory-masters.ts'
import type { PhpService } from '#adapters/node/agent/php/php-port.ts'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import { createSiteFiles } from '#adapters/node/web-server/files/site-files.ts'
import { createRuleFiles } from '#adapters/node/web-server/files/rule-files.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import { createSite, vhostOf } from '#test/contract/sites/sites-harness.ts'
import { buildLsphp, NO_LSPHP } from '#test/support/lsphp/build-lsphp.ts'
import { hostSpec, putFile } from './host-fixture.ts'
import { createModeFixture, until } from './mode-fixture.ts'
import type { ModeFixture } from './mode-fixture.ts'
import { scriptBody } from './run-script.ts'

const SHOW = `<?php header('Content-Type: application/json');
echo json_encode(array_map('ini_get', array_combine($n = ['memory_limit', 'upload_max_filesize',
  'max_execution_time', 'display_errors', 'session.name', 'auto_prepend_file', 'open_basedir'], $n))
  + ['waf' => defined('WAF')]);`

const lsphp = await buildLsphp()
let fixture: ModeFixture
let a: RegisteredAccount
let show: string

beforeAll(async () => {
  fixture = await createModeFixture()
  a = await fixture.host.createAccount()
  show = await putFile(a, 'show.php', SHOW)
  await putFile(a, 'deep/show.php', SHOW)
  await putFile(a, 'waf.php', `<?php define('WAF', true);`)
})
afterEach(() => fixture.stopServices())
afterAll(() => fixture?.dispose())

const MODES: PhpMode[] = ['fpm', 'cgi', 'lsapi']
const serviceFor = (): Promise<PhpService> =>
  fixture.service({ places: { lswsDirectory: lsphp?.directory ?? '' } })

for (const mode of MODES) {
  it(`reach PHP in mode ${mode}, and nobody else`, async (context) => {
    context.skip(mode === 'lsapi' && !lsphp, NO_LSPHP)
    const version = mode === 'lsapi' ? (lsphp?.version ?? '') : fixture.version
    const domain = `${mode}.example.com`
    fixture.host.registry.changeVhosts([hostSpec(a, domain, { php: { version, mode } })], [])
    const service = await serviceFor()
    const origin = createPhpOrigin({
      ensure: (name, ini) => service.ensure(name, ini),
      log: fixture.host.log,
      requestTimeoutMs: 10_000,
      maxConnectionsPerBackend: 4,
    })
    const root = `${a.home}/public_html`
    const vhost = vhostOf({ domain, root, home: a.home, uid: a.uid })
    const site = createSite({
      vhosts: [{ ...vhost, htaccess: true }],
      files: createSiteFiles(),
      ruleFiles: createRuleFiles(),
      php: () => origin,
    })
    const ask = async (path: string): Promise<Record<string, unknown>> => {
      const answer = await site.visit(path, { host: domain })
      const text = await answer.text()
      expect(answer.status, text + fixture.host.logged.join()).toBe(200)
      return JSON.parse(text) as Record<string, unknown>
    }
    const rules = `php_value memory_limit 77M
php_value upload_max_filesize 33M
php_value max_execution_time 17
php_flag display_errors on
php_value session.name "wp; ession"
php_value auto_prepend_file '${root}/waf.php'
php_value open_basedir /
php_admin_value memory_limit 1G
`
    await putFile(a, `rules-${mode}/.htaccess`, rules)
    await putFile(a, `rules-${mode}/show.php`, SHOW)
    await putFile(a, `rules-${mode}/deep/.htaccess`, 'php_value upload_max_filesize 44M\n')
    await putFile(a, `rules-${mode}/deep/show.php`, SHOW)
    const plain = await ask('/show.php')
    expect(plain).toMatchObject({ memory_limit: '96M', display_errors: '0', waf: false })
    const expected = {
      memory_limit: '77M',
      upload_max_filesize: '33M',
      max_execution_time: '17',
      display_errors: '1',
      'session.name': 'wp; ession',
      auto_prepend_file: `${root}/waf.php`,
      waf: true,
      open_basedir: plain['open_basedir'],
    }
    for (let round = 0; round < 3; round++) {
      expect(await ask(`/rules-${mode}/show.php`)).toEqual(expected)
      const deeper = await ask(`/rules-${mode}/deep/show.php`)
      expect(deeper).toEqual({ ...expected, upload_max_filesize: '44M' })
      expect(await ask('/show.php')).toEqual(plain)
      expect(await ask('/deep/show.php')).toEqual(plain)
    }
  })
}

it('are refused where they would break what keeps accounts apart', async () => {
  fixture.addHost(a, 'refused.example.com', 'fpm')
  const service = await serviceFor()
  const attacks: Record<string, string> = {
    open_basedir: '/',
    disable_functions: '',
    sendmail_path: '/tmp/x',
    'user_ini.filename': 'x',
    extension: '/tmp/x.so',
    'opcache.preload': '/tmp/x',
    auto_prepend_file: '/etc/passwd',
    auto_append_file: `${a.home}/../x`,
    memory_limit: '1G\nphp_admin_value[open_basedir] = /',
    'session.name': 'x"\nphp_admin_value[open_basedir] = "/',
    'x]\nphp_admin_value[open_basedir': '/',
    include_path: '${HOME}',
  }
  for (const [name, value] of Object.entries(attacks)) {
    await expect(
      service.ensure('refused.example.com', { [name]: value }),
      name,
    ).rejects.toMatchObject({ status: 400 })
  }
  expect(fixture.mastersOf(a)).toHaveLength(0)
})

it('never start more than a few masters, and the host goes on without them', async () => {
  fixture.addHost(a, 'many.example.com', 'fpm')
  const service = await serviceFor()
  const own = await service.ensure('many.example.com')
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      service.ensure('many.example.com', { max_input_vars: String(1000 + n) }),
    ),
  )
  const sockets = new Set(answers.map(({ socket }) => socket))
  expect(sockets.size).toBe(MAX_DIRECTORY_MASTERS + 1)
  expect(sockets).toContain(own.socket)
  expect(fixture.mastersOf(a)).toHaveLength(MAX_DIRECTORY_MASTERS + 1)
  const complaints = fixture.host.logged.filter((line) => /too many others/.test(String(line)))
  expect(complaints).toHaveLength(1)
})

it('make room for others when they are no longer used', async () => {
  fixture.addHost(a, 'room.example.com', 'fpm')
  const service = await fixture.service({ minIdleMs: 200 })
  const ask = async (vars: number): Promise<unknown> => {
    const { socket } = await service.ensure('room.example.com', { max_input_vars: String(vars) })
    return scriptBody(socket, await putFile(a, 'vars.php', `<?php echo ini_get('max_input_vars');`))
  }
  for (let vars = 1; vars <= MAX_DIRECTORY_MASTERS; vars++) expect(await ask(vars)).toBe(`${vars}`)
  let found: unknown = null
  for (const endMs = performance.now() + 30_000; performance.now() < endMs && found !== '99';) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    found = await ask(99)
  }
  expect(found).toBe('99')
  await until(
    'the one in its place ends',
    () => fixture.mastersOf(a).length <= MAX_DIRECTORY_MASTERS + 1,
  )
})

it('survive an agent that ends, and leave no files with the account', async () => {
  fixture.addHost(a, 'kept.example.com', 'cgi')
  const ini = { upload_max_filesize: '9M' }
  const directory = `${fixture.host.runDir}/php-conf`
  const service = await serviceFor()
  const { socket } = await service.ensure('kept.example.com', ini)
  const before = fixture.mastersOf(a).map(({ pid }) => pid)
  const successor = await serviceFor()
  expect((await successor.ensure('kept.example.com', ini)).socket).toBe(socket)
  expect(fixture.mastersOf(a).map(({ pid }) => pid)).toEqual(before)
  expect(existsSync(socket)).toBe(true)
  await successor.stopAccount(a.username)
  expect(readdirSync(directory).filter((name) => name.startsWith(a.username))).toEqual([])
  expect(show).toBeTruthy()
})
