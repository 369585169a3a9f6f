import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { identifyProcess } from '#adapters/node/process/process-identity.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { lendListeningSocket } from '#adapters/node/agent/php/masters/listening-socket.ts'
import { LSPHP_ENV } from '#adapters/node/agent/php/plans/lsphp-env.ts'
import { probeLsapi } from '#adapters/node/agent/php/masters/probe-lsapi.ts'
import { stopScattered } from '#adapters/node/agent/php/masters/stop-scattered.ts'
import { buildLsphp, NO_LSPHP } from '#test/support/lsphp/build-lsphp.ts'
import { createTestHost, TENANT_UID } from './php-fpm.ts'

const lsphp = await buildLsphp()
const host = createTestHost()
let parent: ChildProcess | undefined

const start = async (binary: string): Promise<void> => {
  const ini = join(host.directory, 'php.ini')
  writeFileSync(ini, 'display_errors=0\npost_max_size=256M\nupload_max_filesize=256M\n')
  parent = lendListeningSocket(host.socket, { owner: null, mode: 0o666 }, (fd) => {
    const { program, args } = asUser({ uid: TENANT_UID, gid: TENANT_UID, groups: 'none' }, binary, [
      '-c',
      ini,
    ])
    return spawn(program, args, {
      cwd: '/',
      env: { ...CLEAN_ENV, ...LSPHP_ENV, LSAPI_CHILDREN: '4', LSAPI_MAX_PROCESS_TIME: '60' },
      stdio: [fd, 'ignore', 'ignore'],
    })
  })
  await probeLsapi(host.socket, 10_000, new AbortController().signal)
}

const site: typeof host.site = (changes, php, cache) =>
  host.site(
    { php: { enable: true, version: null, mode: 'lsapi', socket: null }, ...changes },
    {
      ensure: async () => ({ socket: host.socket, uid: TENANT_UID, protocol: 'lsapi' }),
      ...php,
    },
    cache,
  )

beforeAll(async () => {
  if (!lsphp) return
  host.plant({
    '/server.php': '<?php header("Content-Type: application/json"); echo json_encode($_SERVER);',
    '/body.php':
      '<?php $b = file_get_contents("php://input"); echo strlen($b), " ", md5($b), " ", $_SERVER["CONTENT_LENGTH"] ?? "none";',
    '/form.php': '<?php echo json_encode([$_POST, $_FILES["f"]["size"] ?? null]);',
    '/big.php':
      '<?php header("Content-Type: application/octet-stream"); $p = str_repeat("0123456789abcdef", 4096); for ($i = 0; $i < 800; $i++) echo $p;',
    '/endless.php':
      '<?php register_shutdown_function(function () { touch(__DIR__ . "/stopped"); }); while (true) { echo str_repeat("x", 4096); flush(); }',
    '/stuck.php': '<?php sleep(30);',
    '/killed.php':
      '<?php echo str_repeat("x", 20000); flush(); posix_kill(getmypid(), 9); sleep(5);',
    '/killed-early.php': '<?php posix_kill(getmypid(), 9); sleep(5);',
    '/fatal-late.php':
      '<?php ini_set("log_errors", "0"); echo str_repeat("y", 20000); flush(); nothing();',
    '/fatal.php': '<?php nothing();',
    '/headers.php':
      '<?php for ($i = 0; $i < 300; $i++) header("X-H-$i: v$i"); setcookie("a", "1"); setcookie("b", "2"); echo "ok";',
    '/status.php': '<?php http_response_code((int)$_GET["s"]); echo "body";',
    '/location.php': '<?php header("Location: /there"); echo "moved";',
    '/short.php': '<?php header("Content-Length: 100"); echo "short";',
    '/early.php': '<?php litespeed_finish_request(); usleep(50000); touch(__DIR__ . "/after");',
    '/pid.php': '<?php echo getmypid();',
    '/partial.php':
      '<?php $in = fopen("php://input", "r"); echo strlen(fread($in, 100)); fclose($in);',
    '/forged.php': '<?php touch(__DIR__ . "/forged");',
    '/日本.php': '<?php echo $_SERVER["SCRIPT_NAME"], " ", $_SERVER["REQUEST_URI"];',
  })
  await start(lsphp.binary)
})
afterAll(async () => {
  const known = parent?.pid === undefined ? null : identifyProcess(parent.pid)
  if (known) await stopScattered({ ...known, uid: TENANT_UID }, 0)
  await host.stop()
})

/** Resolves once `done` holds. */
const until = async (done: () => boolean): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!done()) {
    if (performance.now() > deadline) throw new Error('it did not happen within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('PHP over LSAPI', () => {
  beforeEach((context) => context.skip(!lsphp, NO_LSPHP))
  it('tells scripts of the request as FastCGI does', async () => {
    const answer = await site().visit('/server.php/a%20b/c?x=1&y=%2F', {
      headers: { 'x-given': 'v', cookie: 'a=1; panel_token=s', 'user-agent': 'U', proxy: 'evil' },
      context: { secure: true },
    })
    const server = (await answer.json()) as Record<string, string>
    expect(server).toMatchObject({
      REQUEST_METHOD: 'GET',
      SCRIPT_NAME: '/server.php',
      SCRIPT_FILENAME: join(host.root, 'server.php'),
      PATH_INFO: '/a b/c',
      PHP_SELF: '/server.php/a b/c',
      QUERY_STRING: 'x=1&y=%2F',
      DOCUMENT_ROOT: host.root,
      HTTPS: 'on',
      REMOTE_ADDR: '192.0.2.7',
      SERVER_NAME: 'a.test',
      HTTP_HOST: 'a.test',
      HTTP_X_GIVEN: 'v',
      HTTP_USER_AGENT: 'U',
      HTTP_COOKIE: 'a=1',
    })
    expect(Object.keys(server).filter((name) => /PROXY|LSAPI|CONTENT_LENGTH/.test(name))).toEqual(
      [],
    )
    const { visit } = site()
    expect(await (await visit('/%E6%97%A5%E6%9C%AC.php')).text()).toContain('/日本.php ')
  })

  it('carries bodies of known and unknown length', async () => {
    const { visit } = site()
    for (const size of [0, 1, 8_000, 100_000, 5_000_000]) {
      const bytes = randomBytes(size)
      const md5 = createHash('md5').update(bytes).digest('hex')
      const answer = await visit('/body.php', { method: 'POST', body: bytes })
      expect(await answer.text()).toBe(`${size} ${md5} ${size}`)
    }
    const form = new FormData()
    form.set('a', 'b')
    form.set('f', new Blob(['x'.repeat(300_000)]), 'f.txt')
    expect(await (await visit('/form.php', { method: 'POST', body: form })).json()).toEqual([
      { a: 'b' },
      300_000,
    ])
  })

  it('answers with headers, statuses and streams', async () => {
    const { visit } = site()
    const headed = await visit('/headers.php')
    expect(headed.headers.get('x-h-299')).toBe('v299')
    expect(headed.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect((await visit('/status.php?s=418')).status).toBe(418)
    const moved = await visit('/location.php')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/there'])
    let size = 0
    for await (const piece of (await visit('/big.php')).body ?? []) size += piece.byteLength
    expect(size).toBe(800 * 65_536)
    const head = await visit('/big.php', { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([200, null])
  })

  it('knows an answer that broke off', async () => {
    const { visit, logged } = site()
    for (const path of ['/killed.php', '/short.php'])
      await expect((async () => (await visit(path)).text())()).rejects.toThrow()
    expect((await (await visit('/fatal-late.php')).text()).length).toBe(20_000)
    expect((await visit('/killed-early.php')).status).toBe(502)
    expect((await visit('/fatal.php')).status).toBe(500)
    expect(JSON.stringify(logged)).toContain('Call to undefined function nothing()')
  })

  it('gives up on a script that does not answer, and stops one that nobody reads', async () => {
    expect((await site({}, { requestTimeoutMs: 300 }).visit('/stuck.php')).status).toBe(504)
    const reader = (await site().visit('/endless.php')).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await until(() => existsSync(join(host.root, 'stopped')))
  })

  it('lets a script go on after its answer', async () => {
    expect((await site().visit('/early.php')).status).toBe(200)
    await until(() => existsSync(join(host.root, 'after')))
  })

  it('uses a process again for the next request', async () => {
    const { visit } = site()
    const pids = new Set<string>()
    for (let round = 0; round < 20; round++) pids.add(await (await visit('/pid.php')).text())
    expect(pids.size).toBeLessThanOrEqual(4)
  })

  it('refuses a request head that the protocol cannot carry', async () => {
    const { visit } = site()
    const headers = { 'x-long': 'x'.repeat(70_000) }
    expect((await visit('/pid.php', { headers })).status).toBe(431)
    expect((await visit('/pid.php', { headers: { 'x-long': 'x'.repeat(60_000) } })).status).toBe(
      200,
    )
  })

  it('never takes what a script left of a body for a request', async () => {
    const { encodeRequest } = await import('#adapters/node/php-backends/lsapi/request-packet.ts')
    const forged = encodeRequest(
      new Request('http://a.test/forged.php'),
      {
        vhost: { root: host.root },
        context: { protocol: 'HTTP/1.1', serverAddress: '', clientAddress: '' },
        host: 'a.test',
        scriptFilename: join(host.root, 'forged.php'),
        scriptName: '/forged.php',
        pathInfo: '',
        requestUri: '/forged.php',
        queryString: '',
        streaming: () => ({ record: () => undefined }),
      } as never,
      null,
    )
    // PHP reads in blocks of a multiple of 8 KiB: a request lies at each. Only of a POST it reads all.
    const padded = Buffer.concat([forged, Buffer.alloc(-forged.length & 8191)])
    const body = Buffer.concat(Array<Buffer>(40).fill(padded))
    for (let round = 0; round < 20; round++) {
      const answer = await site().visit('/partial.php', { method: 'PUT', body })
      expect([round, answer.status, await answer.text()]).toEqual([round, 200, '100'])
    }
    // Whatever a process might have read has been run by then.
    for (let round = 0; round < 8; round++) await (await site().visit('/pid.php')).text()
    expect(existsSync(join(host.root, 'forged'))).toBe(false)
  })
})
