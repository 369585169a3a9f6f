import { existsSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PhpService } from '#adapters/node/agent/php/php-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'
import { isSameProcessAlive } from '#adapters/node/process/process-identity.ts'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import { createSiteFiles } from '#adapters/node/web-server/files/site-files.ts'
import { createSite, vhostOf } from '#test/contract/sites/sites-harness.ts'
import type { Visit } from '#test/contract/sites/sites-harness.ts'
import { buildLsphp, NO_LSPHP } from '#test/support/lsphp/build-lsphp.ts'
import { hostSpec, putFile } from './host-fixture.ts'
import { createModeFixture, PHP_CONFIG, until } from './mode-fixture.ts'
import type { ModeFixture } from './mode-fixture.ts'

const lsphp = await buildLsphp()
let fixture: ModeFixture
let a: RegisteredAccount
let b: RegisteredAccount

const places = { lswsDirectory: lsphp?.directory ?? '' }
const idle = { ...PHP_CONFIG, idle_timeout: 1 }
const start = (): Promise<PhpService> => fixture.service({ places })

const processesOf = (account: RegisteredAccount): ProcessFacts[] =>
  findProcesses(({ uid, exe }) => uid === account.uid && exe === lsphp?.binary)

/** What a visitor of the account's site gets. */
const visitorOf = (service: PhpService, account: RegisteredAccount, domain: string): Visit =>
  createSite({
    vhosts: [
      vhostOf({
        domain: 'a.test',
        root: `${account.home}/public_html`,
        home: account.home,
        uid: account.uid,
      }),
    ],
    files: createSiteFiles(),
    php: () =>
      createPhpOrigin({
        ensure: () => service.ensure(domain),
        log: fixture.host.log,
        requestTimeoutMs: 10_000,
        maxConnectionsPerBackend: 4,
      }),
  }).visit

beforeAll(async () => {
  fixture = await createModeFixture()
  a = await fixture.host.createAccount()
  b = await fixture.host.createAccount()
  const php = { version: lsphp?.version ?? '', mode: 'lsapi' as const }
  fixture.host.registry.changeVhosts(
    [hostSpec(a, 'a.example.com', { php }), hostSpec(b, 'b.example.com', { php })],
    [],
  )
  await putFile(
    a,
    'facts.php',
    `<?php echo json_encode([
      'uid' => posix_getuid(), 'sapi' => PHP_SAPI, 'parent' => posix_getppid(),
      'ini' => array_map('ini_get', array_combine($n = ['open_basedir', 'memory_limit',
        'session.save_path', 'upload_tmp_dir', 'display_errors', 'opcache.revalidate_freq', 'enable_dl'], $n)),
      'opcache' => opcache_get_status()['opcache_enabled'], 'env' => getenv(), 'server' => array_keys($_SERVER),
      'ini_files' => [php_ini_loaded_file(), php_ini_scanned_files()], 'outside' => @file_get_contents('/etc/passwd'),
    ]);`,
  )
  await putFile(
    b,
    'scripts.php',
    `<?php echo json_encode(array_keys(opcache_get_status()['scripts']));`,
  )
  await putFile(a, 'long.php', '<?php touch("../tmp/begun"); sleep(20);')
  await putFile(a, 'changing.php', '<?php echo "one";')
})
afterEach(() => fixture.stopServices())
afterAll(() => fixture.dispose())

describe('lsphp of an account', () => {
  beforeEach((context) => context.skip(!lsphp, NO_LSPHP))

  it('runs as the account, with its settings and nothing of another', async () => {
    const service = await start()
    expect(
      (await service.versions()).find(({ version }) => version === lsphp?.version)?.sapis,
    ).toContain('lsapi')
    const answer = await visitorOf(service, a, 'a.example.com')('/facts.php')
    const text = await answer.text()
    expect(answer.status, fixture.host.logged.join()).toBe(200)
    const facts = JSON.parse(text) as unknown
    expect(facts).toMatchObject({
      uid: a.uid,
      sapi: 'litespeed',
      ini: {
        open_basedir: expect.stringMatching(`^${a.home}/:`),
        memory_limit: '96M',
        'session.save_path': `${a.home}/sessions`,
        upload_tmp_dir: `${a.home}/tmp`,
        display_errors: '0',
        'opcache.revalidate_freq': '0',
        enable_dl: '0',
      },
      opcache: true,
      outside: false,
    })
    expect(JSON.stringify(facts)).not.toMatch(/LSAPI_|PHP_INI_SCAN_DIR|PHPRC/)
    const others = await visitorOf(service, b, 'b.example.com')('/scripts.php')
    expect(JSON.stringify(await others.json())).not.toContain(a.home)
    const { socket, protocol, uid } = await service.ensure('a.example.com')
    expect([protocol, uid]).toEqual(['lsapi', a.uid])
    expect([statSync(socket).mode & 0o777, statSync(socket).uid]).toEqual([0o660, 0])
  })

  it('shows a changed script at once', async () => {
    const visit = visitorOf(await start(), a, 'a.example.com')
    for (const word of ['one', 'two', 'three']) {
      await putFile(a, 'changing.php', `<?php echo "${word}";`)
      expect(await (await visit('/changing.php')).text()).toBe(word)
    }
  })

  it('ends at once with all its children, requests included', async () => {
    const service = await start()
    const visit = visitorOf(service, a, 'a.example.com')
    const running = visit('/long.php')
    await until('the script runs', () => existsSync(`${a.home}/tmp/begun`))
    expect(processesOf(a).length).toBeGreaterThan(1)
    await service.stopAccount(a.username)
    expect((await running).status).toBe(502)
    expect(processesOf(a)).toEqual([])
  })

  it('is taken over by the next agent, and by none after its account is gone', async () => {
    const first = await start()
    await visitorOf(first, a, 'a.example.com')('/changing.php')
    const parent = processesOf(a).find(({ parent }) => parent === process.pid)
    expect(parent).toBeDefined()
    const second = await start()
    const { socket } = await second.ensure('a.example.com')
    expect(existsSync(socket)).toBe(true)
    expect(parent && isSameProcessAlive(parent)).toBe(true)
    expect(fixture.host.logged.some((line) => line.startsWith('PHP master adopted'))).toBe(true)
    await second.stopAccount(a.username)
    expect(processesOf(a)).toEqual([])
  })

  it('is replaced without losing a request, and stopped when idle', async () => {
    const service = await fixture.service({ places, minIdleMs: 300, config: idle })
    const visit = visitorOf(service, a, 'a.example.com')
    await putFile(a, 'half.php', '<?php usleep(500000); echo "whole";')
    const running = visit('/half.php')
    await until('a child has it', () => processesOf(a).length > 1)
    await service.configure({
      operationId: 'op-lsphp-restart',
      username: a.username,
      version: lsphp?.version ?? '',
      mode: 'lsapi',
    })
    expect(await (await visit('/changing.php')).text()).toBe('three')
    expect(await (await running).text()).toBe('whole')
    await until('all are gone', () => processesOf(a).length === 0)
  })

  it('says why it does not start', async () => {
    const broken = path.join(fixture.host.directory, 'lsws/lsphp99/bin/lsphp')
    await mkdir(path.dirname(broken), { recursive: true })
    await writeFile(broken, '#!/bin/sh\necho this lsphp is broken >&2\n', { mode: 0o755 })
    const php = { version: '9.9', mode: 'lsapi' as const }
    fixture.host.registry.changeVhosts([hostSpec(b, 'bad.example.com', { php })], [])
    const service = await fixture.service({
      places: { lswsDirectory: path.join(fixture.host.directory, 'lsws') },
    })
    await expect(service.ensure('bad.example.com')).rejects.toThrow('did not start')
    expect(fixture.host.logged.join()).toContain('this lsphp is broken')
  })
})
