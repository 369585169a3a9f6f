import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#handlers/errors.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processesOf } from '#adapters/node/agent/accounts/end-processes.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { WEB_GID, createAgentFixture, lineOf, newName, runAs } from './agent-fixture.ts'
import type { AgentFixture } from './agent-fixture.ts'

/** What an account has where an administrator gave it nothing else. */
const SHELL = existsSync('/usr/lib/openssh/sftp-server')
  ? '/usr/lib/openssh/sftp-server'
  : '/usr/sbin/nologin'
const FILES = ['/etc/passwd', '/etc/group', '/etc/shadow', '/etc/gshadow']

/** Starts a program of the account that stays until it is killed. */
const startAs = async (user: OsUser, script: string) => {
  const as = asUser({ uid: user.uid, gid: user.gid, groups: 'none' }, process.execPath, [
    '-e',
    `process.stdout.write('up'); ${script}`,
  ])
  const child = spawn(as.program, as.args, {
    cwd: user.home,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

describe('OS users of accounts', () => {
  let host: AgentFixture
  beforeAll(async () => {
    host = await createAgentFixture()
  })
  afterAll(async () => {
    await host.dispose()
  })

  const traces = async (user: OsUser): Promise<string[]> => {
    const found: string[] = []
    for (const file of [...FILES, '/etc/subuid', '/etc/subgid'])
      if ((await lineOf(file, user.username).catch(() => null)) !== null) found.push(file)
    if (await lstat(user.home).catch(() => null)) found.push(user.home)
    if ((await processesOf(user.uid)).length > 0) found.push('processes')
    found.push(...(await readdir(host.homeBase)).filter((name) => name.includes('trash')))
    for (const path of Object.values(host.spool)) found.push(...(await readdir(path)))
    return found
  }

  /** Every line about users and groups that are not of some test. */
  const systemUsers = async (): Promise<string[]> => {
    const texts = await Promise.all(FILES.map((file) => readFile(file, 'utf8')))
    return texts.flatMap((text) => text.split('\n').filter((line) => !line.startsWith('bt')))
  }

  it('makes a home that only its owner and the web server enter', async () => {
    const user = await host.account()
    const facts = async (path: string) => {
      const stat = await lstat(join(user.home, path))
      return [stat.uid, stat.gid, (stat.mode & 0o7777).toString(8)]
    }
    expect(await facts('.')).toEqual([user.uid, WEB_GID, '710'])
    expect(await facts('public_html')).toEqual([user.uid, user.gid, '755'])
    expect(await facts('public_html/index.html')).toEqual([user.uid, user.gid, '644'])
    expect(await facts('tmp')).toEqual([user.uid, user.gid, '700'])
    expect(await facts('sessions')).toEqual([user.uid, user.gid, '700'])
    expect(await facts('logs')).toEqual([user.uid, user.gid, '750'])
    const passwd = await lineOf('/etc/passwd', user.username)
    expect(passwd).toBe(`${user.username}:x:${user.uid}:${user.gid}::${user.home}:${SHELL}`)
    expect(user.uid).toBeGreaterThanOrEqual(20_000)
    expect(await lineOf('/etc/shadow', user.username)).toMatch(/^\w+:\$/)
    expect(await lineOf('/etc/subuid', user.username)).toBeNull()
    await host.users.remove({ operationId: host.operationId(), username: user.username })
    expect(await traces(user)).toEqual([])
  })

  it.each(['suspended', 'removed'])(
    'ends a process whose first thread has ended already when its account is %s',
    async (change) => {
      const user = await host.account()
      // exit(2) of the kernel ends the calling thread alone; the process is then listed as a zombie.
      const script = `use threads; $| = 1; threads->create(sub { print 'up'; sleep 600 }); require 'syscall.ph'; syscall(SYS_exit(), 0)`
      const as = asUser({ uid: user.uid, gid: user.gid, groups: 'none' }, '/usr/bin/perl', [
        '-e',
        script,
      ])
      const child = spawn(as.program, as.args, {
        env: {},
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      const state = async () =>
        /^State:\s+(\w)/m.exec(
          await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8').catch(() => ''),
        )?.[1]
      await expect.poll(state).toBe('Z')
      const ended = once(child, 'exit')
      const input = { operationId: host.operationId(), username: user.username }
      await (change === 'suspended' ? host.users.suspend(input) : host.users.remove(input))
      expect(await processesOf(user.uid)).toEqual([])
      await ended
    },
  )

  it('takes shared memory and files in shared directories along', async () => {
    const user = await host.account()
    const own = [`/tmp/bt-left-${user.username}`, `/dev/shm/bt-left-${user.username}`]
    for (const path of own) {
      await runAs(user, 'mkdir', '-p', '--', `${path}/deep`)
      await runAs(user, 'ln', '-s', '--', '/etc', `${path}/deep/link`)
    }
    await runAs(user, 'ipcmk', '--shmem', '4096', '--semaphore', '1', '--queue')
    const ipc = async () =>
      (
        await Promise.all(
          ['shm', 'sem', 'msg'].map((kind) => readFile(`/proc/sysvipc/${kind}`, 'utf8')),
        )
      )
        .join('\n')
        .split('\n')
        .filter((line) => line.split(/\s+/).includes(String(user.uid))).length
    expect(await ipc()).toBe(3)
    await host.users.remove({ operationId: host.operationId(), username: user.username })
    expect(await ipc()).toBe(0)
    for (const path of own) expect(await lstat(path).catch(() => null)).toBeNull()
    expect((await lstat('/etc/passwd')).isFile()).toBe(true)
  })

  it('escapes the domain in the placeholder page', async () => {
    const username = newName()
    const primaryDomain = '<script>alert(1)</script>&".example'
    await host.users.create({
      operationId: host.operationId(),
      username,
      password: 'x',
      primaryDomain,
      diskQuotaMb: 0,
    })
    const page = await host.files.read({
      username,
      path: 'public_html/index.html',
      maxBytes: 100_000,
    })
    expect(page.content).not.toContain('<script>')
    expect(page.content).toContain('&lt;script&gt;')
  })

  it('never hands out a uid twice', async () => {
    const first = await host.account()
    await host.users.remove({ operationId: host.operationId(), username: first.username })
    const second = await host.account(0, first.username)
    expect(second.uid).toBeGreaterThan(first.uid)
  })

  it('keeps those apart that are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => host.account()))
    expect(new Set(made.map(({ uid }) => uid)).size).toBe(5)
    for (const { username, uid } of made) {
      expect((await lineOf('/etc/passwd', username))?.split(':')[2]).toBe(String(uid))
      expect(await lineOf('/etc/group', username)).not.toBeNull()
    }
  })

  it.each([
    'root',
    'mysql',
    'www-data',
    'wwwdata',
    '12345',
    '-x',
    '--help',
    'sudo',
    'cdrom',
    'nogroup',
    'Root',
    'BTCASE99',
    'bоb',
    'ab',
    'a'.repeat(17),
    'a b',
    'a;id',
    '$(id)',
    'a\nroot:x',
    'a:b',
    '../a',
    'a\0b',
    '',
  ])('refuses the username %j', async (username) => {
    const before = await systemUsers()
    await expect(host.account(0, username)).rejects.toHaveProperty('status')
    await expect(
      host.users.remove({ operationId: host.operationId(), username }),
    ).rejects.toHaveProperty('status')
    expect(await systemUsers()).toEqual(before)
    expect((await readdir(host.homeBase)).includes(username)).toBe(false)
  })

  it('refuses the names of existing groups and directories', async () => {
    const group = newName()
    await mustRun('/usr/sbin/groupadd', ['--', group])
    try {
      await expect(host.account(0, group)).rejects.toMatchObject({ status: 409, field: 'username' })
    } finally {
      await mustRun('/usr/sbin/groupdel', ['--', group])
    }
    const taken = newName()
    await mkdir(join(host.homeBase, taken))
    await writeFile(join(host.homeBase, taken, 'kept'), 'x')
    await expect(host.account(0, taken)).rejects.toMatchObject({ status: 409, field: 'username' })
    expect(await readdir(join(host.homeBase, taken))).toEqual(['kept'])
  })

  it('refuses passwords of several lines and shows none in the process list', async () => {
    const username = newName()
    const attempt = (password: string) =>
      host.users.create({
        operationId: host.operationId(),
        username,
        password,
        primaryDomain: 'a.example',
        diskQuotaMb: 0,
      })
    for (const password of ['', 'a\nroot:b', 'a\rb', 'a\0b'])
      await expect(attempt(password)).rejects.toMatchObject({ status: 400, field: 'password' })
    const secret = `secret-${newName()}`
    let watching = true
    const seen: string[] = []
    const watch = (async () => {
      while (watching) {
        for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
          for (const file of ['cmdline', 'environ']) {
            const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
            if (text.includes(secret)) seen.push(text)
          }
        }
      }
    })()
    await attempt(secret)
    await host.users.setPassword({ operationId: host.operationId(), username, password: secret })
    watching = false
    await watch
    expect(seen).toEqual([])
    const registry = await readFile(join(host.directory, 'agent', 'registry.db-wal'), 'latin1')
    expect(registry).not.toContain(secret)
  })

  it('leaves nothing of a creation that fails, and repeats the failure', async () => {
    const username = newName()
    const broken = host.helpers.ask
    host.helpers.ask = async () => Promise.reject(new Error('no helper today'))
    const input = {
      operationId: host.operationId(),
      username,
      password: 'x',
      primaryDomain: 'a.example',
      diskQuotaMb: 0,
    }
    await expect(host.users.create(input)).rejects.toThrow('no helper today')
    host.helpers.ask = broken
    expect(host.registry.records.find(username)).toBeNull()
    for (const file of FILES) expect(await lineOf(file, username)).toBeNull()
    expect(await readdir(host.homeBase)).not.toContain(username)
    expect(await host.users.operation(input)).toEqual({ state: 'undone' })
    await expect(host.users.create(input)).rejects.toMatchObject({ status: 409 })
  })

  it('does not create for a caller who was told that the operation never came', async () => {
    const username = newName()
    const operationId = host.operationId()
    expect(await host.users.operation({ operationId })).toBeNull()
    await expect(
      host.users.create({
        operationId,
        username,
        password: 'x',
        primaryDomain: 'a.example',
        diskQuotaMb: 0,
      }),
    ).rejects.toMatchObject({ status: 409 })
    expect(await lineOf('/etc/passwd', username)).toBeNull()
  })

  it('nor while it looks whether the name is free', async () => {
    const username = newName()
    const operationId = host.operationId()
    const created = host.users
      .create({
        ...{ operationId, username, password: 'x', primaryDomain: 'a.example', diskQuotaMb: 0 },
      })
      .then(
        () => 200,
        (error: unknown) => (error instanceof AppError ? error.status : error),
      )
    // Until then it has asked a program of the system, and recorded nothing.
    await new Promise((resolve) => setImmediate(resolve))
    expect(await host.users.operation({ operationId })).toBeNull()
    expect(await created).toBe(409)
    expect(await lineOf('/etc/passwd', username)).toBeNull()
  })

  it('tells PHP of new limits, and of nothing that was so before', async () => {
    const { username } = await host.account()
    const set = (processes: number): Promise<void> =>
      host.users.setLimits({
        ...{ operationId: host.operationId(), username, processes, memoryMb: 256 },
        ...{ memoryTotalMb: 0, cpuWeight: 100, cpuPercent: 0, ioWeight: 100 },
      })
    expect(host.registry.account(username)?.limits).toBeNull()
    await set(30)
    await set(30)
    expect(host.registry.account(username)?.limits).toEqual({ processes: 30, memoryMb: 256 })
    expect(host.phpRenewed.filter((name) => name === username)).toHaveLength(1)
    await host.users.suspend({ operationId: host.operationId(), username })
    await set(40)
    expect(host.registry.account(username)?.limits?.processes).toBe(40)
    expect(host.phpRenewed.filter((name) => name === username)).toHaveLength(1)
    await host.users.remove({ operationId: host.operationId(), username })
  })

  it('closes an account on suspension and gives back exactly what it took', async () => {
    const user = await host.account()
    const { username } = user
    await mustRun('/usr/sbin/usermod', ['--shell', '/bin/sh', '--', username])
    await writeFile(join(host.spool.crontabs, username), '* * * * * echo 50% done\n')
    await chown(join(host.spool.crontabs, username), user.uid, user.gid)
    await chmod(join(host.spool.crontabs, username), 0o600)
    await writeFile(join(host.spool.atJobs, 'a0000101'), 'at job')
    await chown(join(host.spool.atJobs, 'a0000101'), user.uid, user.gid)
    await writeFile(join(host.spool.atJobs, 'a0000102'), 'of root')
    const before = await Promise.all(FILES.map((file) => lineOf(file, username)))
    const child = await startAs(user, 'setInterval(() => undefined, 1000)')
    const exit = once(child, 'exit')

    await host.users.suspend({ operationId: host.operationId(), username })
    expect(await exit).toEqual([null, 'SIGKILL'])
    expect(host.phpStopped).toContain(username)
    expect(host.registry.account(username)?.suspended).toBe(true)
    expect(await lineOf('/etc/passwd', username)).toMatch(/:\/usr\/sbin\/nologin$/)
    expect(await lineOf('/etc/shadow', username)).toMatch(/^\w+:!\$.*:1:$/)
    expect(await readdir(host.spool.crontabs)).toEqual([])
    expect(await readdir(host.spool.atJobs)).toEqual(['a0000102'])
    // Twice must not remember the closed state as the one to return to.
    await host.users.suspend({ operationId: host.operationId(), username })

    await host.users.unsuspend({ operationId: host.operationId(), username })
    expect(await Promise.all(FILES.map((file) => lineOf(file, username)))).toEqual(before)
    const crontab = join(host.spool.crontabs, username)
    expect(await readFile(crontab, 'utf8')).toBe('* * * * * echo 50% done\n')
    const stat = await lstat(crontab)
    expect([stat.uid, stat.gid, stat.mode & 0o7777]).toEqual([user.uid, user.gid, 0o600])
    expect((await readdir(host.spool.atJobs)).sort()).toEqual(['a0000101', 'a0000102'])
    await host.users.remove({ operationId: host.operationId(), username })
    await mustRun('/bin/rm', ['--', join(host.spool.atJobs, 'a0000102')])
    expect(await traces(user)).toEqual([])
  })

  it('keeps a suspended account closed when its password changes', async () => {
    const { username } = await host.account()
    await host.users.suspend({ operationId: host.operationId(), username })
    await host.users.setPassword({ operationId: host.operationId(), username, password: 'new one' })
    expect(await lineOf('/etc/shadow', username)).toMatch(/^\w+:!\$.*:1:$/)
    await host.users.unsuspend({ operationId: host.operationId(), username })
    expect(await lineOf('/etc/shadow', username)).toMatch(/^\w+:\$.*:$/)
  })

  it('leaves a password locked that was locked before', async () => {
    const { username } = await host.account()
    await mustRun('/usr/sbin/usermod', ['--lock', '--', username])
    await host.users.suspend({ operationId: host.operationId(), username })
    await host.users.unsuspend({ operationId: host.operationId(), username })
    expect(await lineOf('/etc/shadow', username)).toMatch(/^\w+:!/)
  })

  it('removes an account that keeps forking, with a home full of traps', async () => {
    const user = await host.account()
    await startAs(
      user,
      `const { spawn } = require('node:child_process')
       const fork = () => spawn('/bin/sh', ['-c', 'while :; do (sleep 0.01 & sleep 0.01) & sleep 0.01; done'],
         { detached: true, stdio: 'ignore' }).unref()
       for (let i = 0; i < 4; i++) fork()
       setInterval(() => undefined, 1000)`,
    )
    await runAs(user, '/bin/ln', '-s', '--', '/', 'root')
    await runAs(user, '/bin/ln', '-s', '--', '/etc/passwd', 'public_html/passwd')
    await mkdir(join(user.home, 'of-root/deep'), { recursive: true })
    await writeFile(join(user.home, 'of-root/deep/file'), 'x')
    await mkdir(join(host.directory, 'outside'))
    await writeFile(join(host.directory, 'outside', 'kept'), 'x')
    await symlink(join(host.directory, 'outside'), join(user.home, 'of-root/link'))
    await host.users.remove({ operationId: host.operationId(), username: user.username })
    expect(await traces(user)).toEqual([])
    expect(await readdir(join(host.directory, 'outside'))).toEqual(['kept'])
    expect(await lineOf('/etc/passwd', 'root')).not.toBeNull()
  })

  it('does not touch a user that took the name over', async () => {
    const user = await host.account()
    await host.helpers.end(user.username)
    await mustRun('/usr/sbin/usermod', ['--home', '/nonexistent', '--', user.username])
    await expect(
      host.users.setPassword({
        operationId: host.operationId(),
        username: user.username,
        password: 'x',
      }),
    ).rejects.toMatchObject({ status: 409 })
    await mustRun('/usr/sbin/usermod', ['--home', user.home, '--', user.username])
  })

  it('shares the machine with another installation, under creations at the same time', async () => {
    const neighbour = await createAgentFixture()
    try {
      const all = await Promise.all(
        [host, neighbour, host, neighbour, host, neighbour, host, neighbour].map((one) =>
          one.account(),
        ),
      )
      expect(new Set(all.map((user) => user.uid)).size).toBe(8)
      const theirs = all[1] as OsUser
      const child = await startAs(theirs, 'setInterval(() => undefined, 1000)')
      await expect(
        host.users.remove({ operationId: host.operationId(), username: theirs.username }),
      ).rejects.toMatchObject({ status: 409 })
      // Another installation's record of the same uid must not reach this one's processes.
      const username = newName()
      host.registry.openOperation({ id: 'clash', kind: 'users.create', subject: username }, {})
      host.registry.records.reserve(
        { username, home: join(host.homeBase, username), diskQuotaMb: 0 },
        { uid: theirs.uid, gid: theirs.gid },
      )
      await host.users.settle()
      expect(await host.users.operation({ operationId: 'clash' })).toEqual({ state: 'undone' })
      expect(host.registry.records.find(username)).toBeNull()
      expect(child.exitCode ?? child.signalCode).toBeNull()
      expect(await lineOf('/etc/passwd', theirs.username)).not.toBeNull()
    } finally {
      await neighbour.dispose()
    }
  })

  it('counts disk use by blocks, links once', async () => {
    const user = await host.account()
    await host.files.write({
      username: user.username,
      path: 'big',
      content: 'x'.repeat(3 * 2 ** 20),
      encoding: 'utf8',
    })
    await runAs(user, '/bin/ln', '--', 'big', 'again')
    await runAs(user, '/bin/ln', '-s', '--', '/usr', 'usr')
    expect(await host.users.diskUsedMb(user)).toBe(3)
  })
})
