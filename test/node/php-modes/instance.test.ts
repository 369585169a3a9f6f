import { appendFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { until } from '../agent-php/mode-fixture.ts'
import { switchMode } from './start-mode-site.ts'

let tenant: Tenant

shareInstance({
  settings: {
    server: 'workers = 1',
    databases: 'mariadb = "off"',
    php: 'max_children = 2',
  },
})
beforeAll(async () => {
  tenant = await Tenant.create(panel)
  await tenant.put(
    'public_html/sapi.php',
    '<?php header("Cache-Control: no-store"); echo PHP_SAPI;',
  )
  await tenant.put('public_html/sleep.php', '<?php sleep(30);')
  await tenant.put(
    'public_html/overlap.php',
    `<?php header("Cache-Control: no-store"); $file = __DIR__ . "/../tmp/overlap-" . key($_GET);
    if (isset($_GET["show"])) exit(file_get_contents($file));
    $note = fn($sign) => file_put_contents($file, $sign, FILE_APPEND | LOCK_EX);
    $note("+"); usleep(700000); $note("-");`,
  )
  await tenant.put(
    'public_html/ini.php',
    '<?php header("Cache-Control: no-store"); echo ini_get("memory_limit"), " ", ini_get("precision");',
  )
})

/** How many of five visits at once run at the same time. */
const overlap = async (host: string, log: string): Promise<number> => {
  const visits = Array.from({ length: 5 }, () => instance.site(host, `/overlap.php?${log}`))
  for (const { status } of await Promise.all(visits)) expect(status).toBe(200)
  const { text } = await instance.site(host, `/overlap.php?${log}&show`)
  let running = 0
  return Math.max(...Array.from(text, (sign) => (running += sign === '+' ? 1 : -1)))
}

const sapi = async (): Promise<string> => (await instance.site(tenant.domain, '/sapi.php')).text
const scripts = () =>
  findProcesses(({ uid, exe }) => uid === tenant.uid && /php-cgi/.test(exe ?? ''))
const launchers = () =>
  findProcesses(
    ({ uid, commandLine }) => uid === tenant.uid && commandLine.includes('cgi-launcher.ts'),
  )

it('a switch of the mode counts from the next request on', async () => {
  expect(await sapi()).toBe('fpm-fcgi')
  for (const [mode, name] of [
    ['cgi', 'cgi-fcgi'],
    ['fpm', 'fpm-fcgi'],
    ['cgi', 'cgi-fcgi'],
  ] as const) {
    await switchMode(panel, tenant, mode)
    expect(await sapi()).toBe(name)
    const config = await panel.data<{ mode: string }>('GET', `/api/php/config/${tenant.id}`)
    expect(config.mode).toBe(mode)
  }
})

it('a suspension ends the scripts of the account, and lifting it brings PHP back', async () => {
  const cut = instance.site(tenant.domain, '/sleep.php').then(
    ({ status }) => status,
    () => 0,
  )
  await until('the script runs', () => scripts().length === 1)
  await panel.data('POST', `/api/accounts/${tenant.id}/suspend`)
  expect(scripts()).toEqual([])
  expect(launchers()).toEqual([])
  expect(await cut).not.toBe(200)
  expect((await instance.site(tenant.domain, '/sapi.php')).status).toBe(503)
  await panel.data('POST', `/api/accounts/${tenant.id}/unsuspend`)
  expect(await sapi()).toBe('cgi-fcgi')
})

it('a killed agent leaves sites alone, and its successor takes the launcher over', async () => {
  const [before] = launchers()
  await instance.kill('agent')
  expect(await sapi()).toBe('cgi-fcgi')
  await instance.untilReady()
  expect(await sapi()).toBe('cgi-fcgi')
  expect(launchers().map(({ pid }) => pid)).toEqual([before?.pid])
})

it('a host of berth.toml has the PHP of its account, with settings of its own', async () => {
  await instance.stop({ keep: true })
  await appendFile(
    instance.config.file,
    `[[virtualhost]]
domain = "written.example.com"
root = "${tenant.path('public_html')}"
username = "${tenant.username}"

[virtualhost.php]
mode = "cgi"
memory_limit = "66M"
max_children = 5

[virtualhost.php.ini]
precision = 8
`,
  )
  await instance.startAgain()
  const own = await instance.site('written.example.com', '/ini.php')
  expect([own.status, own.text]).toEqual([200, '66M 8'])
  expect((await instance.site(tenant.domain, '/ini.php')).text).toBe('256M 14')
  expect(await overlap('written.example.com', 'w')).toBe(5)
  expect(await overlap(tenant.domain, 't')).toBe(2)
})

it('a deletion leaves no process of the account', async () => {
  await panel.data('DELETE', `/api/accounts/${tenant.id}`)
  expect(findProcesses(({ uid }) => uid === tenant.uid)).toEqual([])
})
