import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import net from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { findProcesses } from '#adapters/node/agent/host/process-facts.ts'
import { isSameProcessAlive } from '#adapters/node/process/process-identity.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import { putFile } from './host-fixture.ts'
import { createModeFixture, greatestOverlap, PHP_CONFIG, until } from './mode-fixture.ts'
import type { ModeFixture } from './mode-fixture.ts'
import { runScript, scriptBody } from './run-script.ts'

let fixture: ModeFixture
let a: RegisteredAccount
let b: RegisteredAccount

beforeAll(async () => {
  fixture = await createModeFixture()
  a = await fixture.host.createAccount()
  b = await fixture.host.createAccount()
  fixture.addHost(a, 'a.example.com', 'cgi')
  fixture.addHost(b, 'b.example.com', 'cgi')
})
afterEach(() => fixture.stopServices())
afterAll(() => fixture?.dispose())

const scriptsOf = (account: RegisteredAccount) =>
  findProcesses(({ uid, exe }) => uid === account.uid && /php-cgi/.test(exe ?? ''))

describe('CGI launchers', () => {
  it('run each request in a process of its own, as the account', async () => {
    const service = await fixture.service()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service.ensure('a.example.com')),
    )
    const [{ socket, uid }] = answers as [(typeof answers)[number]]
    expect(new Set(answers.map((answer) => answer.socket)).size).toBe(1)
    expect(uid).toBe(a.uid)
    expect(fixture.mastersOf(a)).toHaveLength(1)
    const file = await putFile(a, 'who.php', '<?php echo posix_geteuid(), " ", getmypid();')
    const first = await scriptBody(socket, file)
    const second = await scriptBody(socket, file)
    expect(first).toMatch(new RegExp(`^${a.uid} \\d+$`))
    expect(second).toMatch(new RegExp(`^${a.uid} \\d+$`))
    expect(second).not.toBe(first)
    await until('no php-cgi is left', () => scriptsOf(a).length === 0)
  })

  it('hold no privileges, no descriptors and no environment of the agent', async () => {
    const service = await fixture.service()
    await service.ensure('a.example.com')
    const [launcher] = fixture.mastersOf(a)
    const proc = `/proc/${launcher?.pid}`
    const status = readFileSync(`${proc}/status`, 'utf8')
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Groups:\t *$/m)
    expect(readFileSync(`${proc}/limits`, 'utf8')).toMatch(/^Max processes +200 +200 /m)
    const names = readFileSync(`${proc}/environ`, 'utf8')
      .split('\0')
      .filter((pair) => pair !== '')
      .map((pair) => pair.split('=')[0])
    expect(names.sort()).toEqual(['LANG', 'LC_ALL', 'PATH', 'TZ', 'UV_THREADPOOL_SIZE'])
    const held = readdirSync(`${proc}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`${proc}/fd/${fd}`)]
      } catch (error) {
        // Closed since the list was read.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    })
    expect(held.length).toBeGreaterThan(2)
    for (const target of held)
      expect(target).toMatch(/^(\/dev\/null|pipe:|socket:|anon_inode:|.*\[eventfd|.*\[io_uring)/)
  })

  it('give scripts the request’s variables and nothing else', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(a, 'env.php', '<?php echo json_encode(getenv());')
    const env = JSON.parse(
      await scriptBody(socket, file, {
        HTTP_X_FINE: 'v',
        HTTP_PROXY: 'http://evil',
        LD_PRELOAD: '/tmp/x.so',
        PHP_INI_SCAN_DIR: '/tmp',
        PHPRC: '/tmp',
        PATH: '/tmp',
        PATH_INFO: '/p',
        'BAD-NAME': 'x',
      }),
    ) as Record<string, string>
    expect(Object.keys(env).sort()).toEqual(
      [
        'HTTP_X_FINE',
        'PATH_INFO',
        'REDIRECT_STATUS',
        'REQUEST_METHOD',
        'SCRIPT_FILENAME',
        'SCRIPT_NAME',
        'SERVER_PROTOCOL',
      ].sort(),
    )
  })

  it('run PHP files only', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const text = await putFile(a, 'note.txt', '<?php echo "executed";')
    expect(await runScript(socket, text)).toMatch(/Status: 403/)
    expect(await runScript(socket, `${text}/x.php`)).toMatch(/Status: 404/)
    expect(await runScript(socket, `${a.home}/public_html`)).toMatch(/Status: 403/)
    const theirs = await putFile(b, 'theirs.php', '<?php echo "executed";')
    expect(await runScript(socket, theirs)).not.toMatch(/executed/)
  })

  it('answer 431 to variables that no environment takes', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(a, 'fine.php', '<?php echo "fine";')
    expect(await runScript(socket, file, { HTTP_X: 'x'.repeat(200_000) })).toMatch(/Status: 431/)
    expect(await scriptBody(socket, file)).toBe('fine')
  })

  it('run no more than max_children at a time, and the rest afterwards', async () => {
    const config = { ...PHP_CONFIG, max_children: 2 }
    const service = await fixture.service({ config })
    const { socket } = await service.ensure('a.example.com')
    expect(await greatestOverlap(a, socket, 6)).toBe(2)
  })

  it('end a request whose body breaks off half-way', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(
      a,
      'half.php',
      '<?php file_put_contents(__DIR__ . "/../tmp/half", strlen(file_get_contents("php://input")));',
    )
    const pair = (name: string, value: string) =>
      Buffer.concat([Buffer.of(name.length, value.length), Buffer.from(name + value)])
    const record = (type: number, body: Buffer) =>
      Buffer.concat([Buffer.of(1, type, 0, 1, body.length >> 8, body.length & 255, 0, 0), body])
    const params = Buffer.concat([
      pair('SCRIPT_FILENAME', file),
      pair('REQUEST_METHOD', 'POST'),
      pair('CONTENT_TYPE', 'text/plain'),
      pair('CONTENT_LENGTH', '100'),
    ])
    const client = net.connect({ path: socket })
    client.write(
      Buffer.concat([
        record(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])),
        record(4, params),
        record(4, Buffer.alloc(0)),
        record(5, Buffer.from('only this')),
      ]),
    )
    await until('php-cgi runs', () => scriptsOf(a).length === 1)
    client.destroy()
    await until('php-cgi is gone', () => scriptsOf(a).length === 0)
    await expect(stat(`${a.home}/tmp/half`)).rejects.toThrow()
  })

  it('come back when they are killed, and leave no script behind', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(a, 'sleep.php', '<?php sleep(20);')
    const cut = runScript(socket, file).catch(() => 'cut')
    await until('php-cgi runs', () => scriptsOf(a).length === 1)
    const [launcher] = fixture.mastersOf(a)
    process.kill(launcher?.pid ?? 0, 'SIGKILL')
    await until('it is gone', () => launcher !== undefined && !isSameProcessAlive(launcher))
    expect(await cut).toBe('cut')
    const again = await service.ensure('a.example.com')
    const fine = await putFile(a, 'fine.php', '<?php echo "fine";')
    expect(await scriptBody(again.socket, fine)).toBe('fine')
    await until('its script is gone', () => scriptsOf(a).length === 0)
  })

  it('end with everything of a suspended account', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('b.example.com')
    const file = await putFile(b, 'sleep.php', '<?php sleep(20);')
    const cut = runScript(socket, file).catch(() => 'cut')
    await until('php-cgi runs', () => scriptsOf(b).length === 1)
    fixture.host.registry.records.setSuspended(b.username, true, null)
    await service.stopAccount(b.username)
    await cut
    expect(fixture.mastersOf(b)).toEqual([])
    await until('the script is gone', () => scriptsOf(b).length === 0)
    await expect(service.ensure('b.example.com')).rejects.toMatchObject({ status: 409 })
    await expect(stat(socket)).rejects.toThrow()
    expect(
      readdirSync(`${fixture.host.runDir}/php-conf`).filter((name) => name.startsWith(b.username)),
    ).toEqual([])
    fixture.host.registry.records.setSuspended(b.username, false, null)
  })

  it('stop when idle', async () => {
    const config = { ...PHP_CONFIG, idle_timeout: 1 }
    const service = await fixture.service({ config, minIdleMs: 1 })
    await service.ensure('a.example.com')
    expect(fixture.mastersOf(a)).toHaveLength(1)
    await until('it stopped', () => fixture.mastersOf(a).length === 0)
  })

  it('finish running requests when they are replaced, and are taken over by a new agent', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(a, 'slow.php', '<?php usleep(800000); echo "whole";')
    const slow = scriptBody(socket, file)
    await until('php-cgi runs', () => scriptsOf(a).length === 1)
    await service.configure({
      operationId: 'cgi-restart',
      username: a.username,
      version: fixture.version,
      mode: 'cgi',
    })
    expect(await slow).toBe('whole')
    await until('the first is gone', () => fixture.mastersOf(a).length === 1)
    const [running] = fixture.mastersOf(a)
    const next = await fixture.service()
    await next.ensure('a.example.com')
    expect(fixture.mastersOf(a).map(({ pid }) => pid)).toEqual([running?.pid])
  })

  it('listen where no account can enter', async () => {
    const service = await fixture.service()
    const { socket } = await service.ensure('a.example.com')
    for (const account of [a, b]) {
      const who = { uid: account.uid, gid: account.gid, groups: 'none' as const }
      const look = asUser(who, '/usr/bin/stat', ['--', socket])
      expect((await runCommand(look.program, look.args)).code).not.toBe(0)
    }
    const theirs = asUser({ uid: b.uid, gid: b.gid, groups: 'none' }, '/bin/cat', [
      '--',
      `${fixture.host.runDir}/php-conf/${a.username}-${fixture.version}-cgi.conf`,
    ])
    expect((await runCommand(theirs.program, theirs.args)).code).not.toBe(0)
  })
})
