import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { stat, utimes } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPhpPort } from '#adapters/node/agent/php/php-port.ts'
import type { PhpPortDeps, PhpService } from '#adapters/node/agent/php/php-port.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { findProcesses, withoutForks } from '#adapters/node/agent/host/process-facts.ts'
import { isSameProcessAlive } from '#adapters/node/process/process-identity.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { phpPortContract } from '#test/contract/php/php-port.ts'
import { createHostFixture, putFile, WEB_GID } from './host-fixture.ts'
import type { HostFixture } from './host-fixture.ts'
import { runScript, scriptBody } from './run-script.ts'

const SHARES = { memoryTotalMb: 0, cpuWeight: 100, cpuPercent: 0, ioWeight: 100 }

const phpConfig = {
  default_version: null,
  max_children: 4,
  memory_limit: '96M',
  idle_timeout: 60,
  request_timeout: 30,
  lsphp_directory: '/usr/local/lsws',
}

let host: HostFixture
let a: RegisteredAccount
let b: RegisteredAccount
let version = ''
const services: PhpService[] = []

const createService = async (change: Partial<PhpPortDeps> = {}): Promise<PhpService> => {
  const service = await createPhpPort({
    registry: host.registry,
    lock: host.lock,
    config: phpConfig,
    runDir: host.runDir,
    webGid: WEB_GID,
    databaseSocket: () => `${host.runDir}/mariadb/mariadb.sock`,
    ensureDirectory: host.ensureDirectory,
    log: host.log,
    ...change,
  })
  services.push(service)
  return service
}

const mastersOf = (account: RegisteredAccount): ProcessFacts[] =>
  withoutForks(
    findProcesses(
      ({ uid, commandLine }) => uid === account.uid && commandLine.startsWith('php-fpm: master'),
    ),
  )

/** Resolves once `done` holds; looked at again at every turn of a short timer. */
const until = async (done: () => boolean): Promise<void> => {
  const deadline = performance.now() + 30_000
  while (!done()) {
    if (performance.now() > deadline) throw new Error('it did not happen within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

beforeAll(async () => {
  host = await createHostFixture()
  a = await host.createAccount()
  b = await host.createAccount()
  const probe = await createService()
  version = (await probe.versions()).find((php) => php.default)?.version ?? ''
  host.addHost(a, 'a.example.com', version)
  host.addHost(b, 'b.example.com', version)
})
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()))
})
afterAll(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()))
  await host.dispose()
})

describe('PHP masters', () => {
  it('runs a script as the account, started on demand and once for parallel calls', async () => {
    const service = await createService()
    const file = await putFile(a, 'who.php', '<?php echo posix_geteuid();')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.ensure('a.example.com')),
    )
    expect(new Set(answers.map(({ socket }) => socket)).size).toBe(1)
    expect(answers[0]?.uid).toBe(a.uid)
    expect(mastersOf(a)).toHaveLength(1)
    expect(await scriptBody(answers[0]!.socket, file)).toBe(String(a.uid))
  })

  it('holds no privileges and takes no other descriptor with it', async () => {
    const service = await createService()
    await service.ensure('a.example.com')
    const [master] = mastersOf(a)
    const status = readFileSync(`/proc/${master!.pid}/status`, 'utf8')
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Groups:\t *$/m)
  })

  it('bounds what a fork loop can start', async () => {
    const service = await createService()
    const socket = (await service.ensure('a.example.com')).socket
    const file = await putFile(
      a,
      'fork.php',
      `<?php $made = []; for ($i = 0; $i < 300; $i++) {
        $one = @proc_open(['/bin/sleep', '5'], [], $pipes); if (!$one) break; $made[] = $one; }
      echo count($made); foreach ($made as $one) proc_terminate($one, 9);`,
    )
    const made = Number(await scriptBody(socket, file))
    expect(made).toBeGreaterThan(50)
    expect(made).toBeLessThan(200)
    expect(readFileSync(`/proc/${mastersOf(a)[0]!.pid}/limits`, 'utf8')).toMatch(
      /^Max core file size +0 +0 /m,
    )
  })

  it('keeps to the limits of the account, and to new ones with its next start', async () => {
    const service = await createService()
    const limitsOf = (): string => readFileSync(`/proc/${mastersOf(b)[0]!.pid}/limits`, 'utf8')
    const socket = async (): Promise<string> => (await service.ensure('b.example.com')).socket
    const file = await putFile(
      b,
      'limits.php',
      `<?php $made = []; for ($i = 0; $i < 100; $i++) {
        $one = @proc_open(['/bin/sleep', '5'], [], $pipes); if (!$one) break; $made[] = $one; }
      echo ini_get('memory_limit'), ' ', count($made) < 40 ? 'bounded' : 'free';
      foreach ($made as $one) { proc_terminate($one, 9); proc_close($one); }`,
    )
    host.registry.records.setLimits(b.username, { processes: 40, memoryMb: 64 }, SHARES)
    expect(await scriptBody(await socket(), file)).toBe('64M bounded')
    expect(limitsOf()).toMatch(/^Max processes +40 +40 /m)
    expect(limitsOf()).toMatch(/^Max data size +67108864 +67108864 /m)
    const greedy = await putFile(
      b,
      'greedy.php',
      `<?php ini_set('memory_limit', '-1'); $text = str_repeat('x', 80 * 1024 * 1024); echo 'had';`,
    )
    expect(await runScript(await socket(), greedy)).not.toContain('had')
    const [before] = mastersOf(b)
    host.registry.records.setLimits(b.username, { processes: 100, memoryMb: 128 }, SHARES)
    await service.renewAccount(b.username)
    await until(() => mastersOf(b).every(({ pid }) => pid !== before?.pid))
    expect(limitsOf()).toMatch(/^Max processes +100 +100 /m)
    expect(await scriptBody(await socket(), greedy)).toBe('had')
    expect(await scriptBody(await socket(), file)).toMatch(/^96M /)
  })

  it('applies the settings and passes PATH_INFO', async () => {
    const service = await createService()
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(
      a,
      'settings.php',
      `<?php echo json_encode(['basedir' => ini_get('open_basedir'), 'sessions' => session_save_path(),
        'temp' => sys_get_temp_dir(), 'upload' => ini_get('upload_tmp_dir'), 'memory' => ini_get('memory_limit'),
        'mysqli' => ini_get('mysqli.default_socket'), 'pdo' => ini_get('pdo_mysql.default_socket'),
        'fix' => ini_get('cgi.fix_pathinfo'), 'log' => ini_get('error_log'), 'dl' => ini_get('enable_dl'),
        'opcache' => ini_get('opcache.memory_consumption'), 'env' => getenv('HOME'), 'leak' => getenv('FPM_SOCKETS'),
        'info' => $_SERVER['PATH_INFO'] ?? null, 'self' => $_SERVER['SCRIPT_NAME']]);`,
    )
    const answer = await runScript(socket, file, { PATH_INFO: '/x/y' })
    expect(answer).not.toMatch(/x-powered-by/i)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      basedir: `${a.home}/:/usr/share/php/:/dev/urandom`,
      sessions: `${a.home}/sessions`,
      temp: `${a.home}/tmp`,
      upload: `${a.home}/tmp`,
      memory: '96M',
      mysqli: `${host.runDir}/mariadb/mariadb.sock`,
      pdo: `${host.runDir}/mariadb/mariadb.sock`,
      fix: '1',
      log: '',
      dl: '0',
      opcache: '96',
      env: a.home,
      leak: false,
      info: '/x/y',
      self: '/settings.php',
    })
    const text = await putFile(a, 'note.txt', '<?php echo "executed";')
    expect(await runScript(socket, text)).toMatch(/Access denied/)
    expect(await runScript(socket, `${text}/x.php`)).not.toMatch(/executed/)
  })

  it('runs a script as it stands, also right after it was edited', async () => {
    const service = await createService()
    const { socket } = await service.ensure('a.example.com')
    const part = await putFile(a, 'part.php', '<?php return 0;')
    const page = await putFile(
      a,
      'page.php',
      `<?php echo include '${part}', opcache_get_status() !== false;`,
    )
    // Scripts older than file_update_protection are the ones that the opcode cache keeps.
    const past = new Date(Date.now() - 60_000)
    for (let round = 1; round <= 5; round++) {
      await putFile(a, 'part.php', `<?php return ${round};`)
      await utimes(part, past, new Date(past.getTime() + round * 1000))
      expect(await scriptBody(socket, page)).toBe(`${round}1`)
      await utimes(page, past, past)
    }
  })

  it('brings back a master that was killed, and its children do not stay', async () => {
    const service = await createService()
    const file = await putFile(a, 'pid.php', '<?php echo getmypid();')
    const first = await service.ensure('a.example.com')
    const child = Number(await scriptBody(first.socket, file))
    const [master] = mastersOf(a)
    process.kill(master!.pid, 'SIGKILL')
    await until(() => !isSameProcessAlive(master!))
    const again = await service.ensure('a.example.com')
    expect(Number(await scriptBody(again.socket, file))).not.toBe(child)
    await until(() => findProcesses(({ pid }) => pid === child).length === 0)
    expect(mastersOf(a)).toHaveLength(1)
  })

  it('stops when idle and starts again', async () => {
    const service = await createService({ config: { ...phpConfig, idle_timeout: 1 }, minIdleMs: 1 })
    const { socket } = await service.ensure('a.example.com')
    await until(() => mastersOf(a).length === 0)
    await expect(stat(socket)).rejects.toThrow()
    const file = await putFile(a, 'again.php', '<?php echo "again";')
    expect(await scriptBody((await service.ensure('a.example.com')).socket, file)).toBe('again')
  })

  it('does not count as idle while a request runs', async () => {
    const service = await createService({ config: { ...phpConfig, idle_timeout: 1 }, minIdleMs: 1 })
    const { socket } = await service.ensure('a.example.com')
    const file = await putFile(a, 'long.php', '<?php usleep(3500000); echo getmypid();')
    const pending = scriptBody(socket, file)
    const [master] = mastersOf(a)
    expect(Number(await pending)).toBeGreaterThan(0)
    expect(isSameProcessAlive(master!)).toBe(true)
    await until(() => mastersOf(a).length === 0)
  })

  it('restarts with a new configuration without cutting off a request', async () => {
    const service = await createService()
    const { socket } = await service.ensure('a.example.com')
    const slow = await putFile(
      a,
      'slow.php',
      '<?php touch(__DIR__."/begun"); for ($i = 0; $i < 20; $i++) usleep(50000); echo "whole";',
    )
    const pending = scriptBody(socket, slow)
    await until(
      () => statSync(`${a.home}/public_html/begun`, { throwIfNoEntry: false }) !== undefined,
    )
    const [before] = mastersOf(a)
    await service.configure({ operationId: 'op-1', username: a.username, version, mode: 'fpm' })
    const quick = await putFile(a, 'quick.php', '<?php echo "quick";')
    expect(await scriptBody(socket, quick)).toBe('quick')
    expect(await pending).toBe('whole')
    await until(() => !isSameProcessAlive(before!))
    expect(await scriptBody(socket, quick)).toBe('quick')
  })

  it('ends all PHP of an account at once and refuses a suspended one', async () => {
    const service = await createService()
    const { socket } = await service.ensure('a.example.com')
    await service.ensure('b.example.com')
    const endless = await putFile(a, 'endless.php', '<?php while (true) usleep(1000);')
    const pending = runScript(socket, endless).catch(() => 'cut off')
    host.registry.records.setSuspended(a.username, true, null)
    try {
      await service.stopAccount(a.username)
      expect(await pending).toBe('cut off')
      expect(findProcesses(({ uid }) => uid === a.uid)).toEqual([])
      expect(mastersOf(b)).toHaveLength(1)
      const left = [...readdirSync(`${host.runDir}/php`), ...readdirSync(`${host.runDir}/php-conf`)]
      expect(left.filter((name) => name.includes(a.username))).toEqual([])
      await expect(service.ensure('a.example.com')).rejects.toMatchObject({ status: 409 })
    } finally {
      host.registry.records.setSuspended(a.username, false, null)
    }
    await expect(service.ensure('unknown.example.com')).rejects.toMatchObject({ status: 404 })
  })

  it('adopts the masters of an agent that was killed, and ends what it does not know', async () => {
    const script = new URL('./lost-agent.ts', import.meta.url).pathname
    const input = { runDir: host.runDir, webGid: WEB_GID, phpConfig, accounts: [a, b], version }
    const agent = spawn(process.execPath, [script, JSON.stringify(input)], { stdio: 'ignore' })
    expect(await once(agent, 'exit')).toEqual([null, 'SIGKILL'])
    const [left] = mastersOf(a)
    expect(left).toBeDefined()
    host.registry.records.setSuspended(b.username, true, null)
    const service = await createService()
    host.registry.records.setSuspended(b.username, false, null)
    expect(mastersOf(b)).toEqual([])
    const { socket } = await service.ensure('a.example.com')
    expect(mastersOf(a).map(({ pid }) => pid)).toEqual([left!.pid])
    const file = await putFile(a, 'adopted.php', '<?php echo "adopted";')
    expect(await scriptBody(socket, file)).toBe('adopted')
    await service.stop()
    expect(mastersOf(a)).toEqual([])
  })

  it('starts whatever the tenant put in the place of its log', async () => {
    const service = await createService()
    const pipe = `${a.home}/logs/php-fpm.log`
    await mustRun('rm', ['-rf', '--', `${a.home}/logs`])
    await mustRun('mkdir', ['--', `${a.home}/logs`])
    await mustRun('chown', [`${a.uid}:${a.gid}`, '--', `${a.home}/logs`])
    await mustRun('mkfifo', ['-m', '666', '--', pipe])
    await service.ensure('a.example.com')
    expect(mastersOf(a)).toHaveLength(1)
    const log = await stat(`${host.runDir}/php-log/${a.username}-${version}.log`)
    expect([log.uid, log.mode & 0o777]).toEqual([a.uid, 0o600])
    expect((await stat(`${host.runDir}/php-log`)).uid).toBe(0)
    await service.stopAccount(a.username)
    expect(readdirSync(`${host.runDir}/php-log`).join()).not.toContain(a.username)
    await mustRun('rm', ['--', pipe])
  })

  it('says what is wrong when PHP cannot start, and recovers', async () => {
    const service = await createService()
    await mustRun('rm', ['-rf', '--', `${a.home}/logs`])
    await mustRun('ln', ['-s', '--', '/proc/nowhere', `${a.home}/logs`])
    await expect(service.ensure('a.example.com')).rejects.toMatchObject({ status: 503 })
    await mustRun('rm', ['--', `${a.home}/logs`])
    const recovered = async (): Promise<boolean> =>
      service.ensure('a.example.com').then(
        () => true,
        () => false,
      )
    await expect.poll(recovered, { timeout: 10_000 }).toBe(true)
    expect((await stat(`${a.home}/logs`)).uid).toBe(a.uid)
  })
})

describe('PHP isolation', () => {
  it('keeps sockets and configurations from other accounts', async () => {
    const service = await createService()
    const { socket } = await service.ensure('a.example.com')
    const directory = await stat(`${host.runDir}/php`)
    expect([directory.uid, directory.gid, directory.mode & 0o7777]).toEqual([0, WEB_GID, 0o750])
    const file = await stat(socket)
    expect([file.uid, file.gid, file.mode & 0o7777]).toEqual([0, WEB_GID, 0o660])
    const config = `${host.runDir}/php-conf/${a.username}-${version}.conf`
    const owned = await stat(config)
    expect([owned.uid, owned.gid, owned.mode & 0o7777]).toEqual([0, a.gid, 0o640])

    const asB = (program: string, args: string[]): ReturnType<typeof runCommand> => {
      const wrapped = asUser({ uid: b.uid, gid: b.gid, groups: 'none' }, program, args)
      return runCommand(wrapped.program, wrapped.args)
    }
    expect((await asB('/bin/cat', ['--', config])).code).not.toBe(0)
    expect((await asB('/bin/ls', ['--', `${host.runDir}/php`])).code).not.toBe(0)
    const connect = `$s = @stream_socket_client('unix://${socket}'); exit($s ? 0 : 1);`
    expect((await asB(`/usr/bin/php${version}`, ['-n', '-r', connect])).code).toBe(1)
    // Neither can the account itself put another socket in its place.
    const asA = asUser({ uid: a.uid, gid: a.gid, groups: 'none' }, '/bin/rm', ['-f', '--', socket])
    expect((await runCommand(asA.program, asA.args)).code).not.toBe(0)
  })

  it('shares no opcode cache and reads no file of another account', async () => {
    const service = await createService()
    const secret = await putFile(a, 'secret.php', '<?php return "secret of a";')
    const use = `<?php echo json_encode([@include '${secret}', @file_get_contents('${secret}'),
      function_exists('opcache_is_script_cached') ? opcache_is_script_cached('${secret}') : null]);`
    const inA = await putFile(a, 'use.php', use)
    const inB = await putFile(b, 'use.php', use)
    const first = await service.ensure('a.example.com')
    const [included] = JSON.parse(await scriptBody(first.socket, inA)) as unknown[]
    expect(included).toBe('secret of a')
    const second = await service.ensure('b.example.com')
    expect(JSON.parse(await scriptBody(second.socket, inB))).toEqual([false, false, false])
  })
})

phpPortContract('the agent', async () => {
  const service = await createService()
  services.splice(services.indexOf(service), 1)
  return {
    php: service,
    username: a.username,
    recorded: async (username) => {
      const account = host.registry.account(username)
      return { version: account?.phpVersion ?? null, mode: account?.phpMode ?? '' }
    },
    dispose: () => service.stop(),
  }
})
