import { randomBytes } from 'node:crypto'
import { chmod, link, lstat, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { createAgentFixture, runAs } from './agent-fixture.ts'
import type { AgentFixture } from './agent-fixture.ts'

/** What a tenant tries on its own file operations, with the real helper and real users. */
describe('file operations of a hostile account', () => {
  let host: AgentFixture
  let mallory: OsUser
  let victim: OsUser
  beforeAll(async () => {
    host = await createAgentFixture()
    ;[mallory, victim] = await Promise.all([host.account(), host.account()])
    await host.files.write({
      username: victim.username,
      path: 'public_html/secret.txt',
      content: 'secret of the victim',
      encoding: 'utf8',
    })
  })
  afterAll(async () => {
    await host.dispose()
  })

  const at = (path: string) => ({ username: mallory.username, path })
  const operations = (path: string): [string, () => Promise<unknown>][] => [
    ['list', () => host.files.list(at(path))],
    ['read', () => host.files.read({ ...at(path), maxBytes: 100_000 })],
    ['write', () => host.files.write({ ...at(path), content: 'owned', encoding: 'utf8' })],
    ['mkdir', () => host.files.mkdir(at(path))],
    ['chmod', () => host.files.chmod({ ...at(path), mode: '777' })],
    ['delete', () => host.files.delete(at(path))],
  ]
  const refuses = async (path: string, except: string[] = []): Promise<void> => {
    for (const [name, run] of operations(path).filter(([name]) => !except.includes(name))) {
      const outcome = await run().then(
        () => 'allowed',
        (error: unknown) => error,
      )
      expect(outcome, `${name} ${JSON.stringify(path)}`).toHaveProperty('status')
      expect((outcome as { status: number }).status).toBeLessThan(500)
    }
  }

  it.each([
    '../',
    '/etc/passwd',
    '//etc/passwd',
    '..',
    'public_html/../../etc/passwd',
    'public_html/..',
    'a\0b',
    'a\\..\\b',
    'a\nb',
    `${'x'.repeat(256)}`,
    `${'d/'.repeat(3000)}x`,
    '\ud800',
  ])('refuses the path %j', async (path) => {
    await refuses(path)
  })

  it('takes percent signs as what they are', async () => {
    await expect(
      host.files.read({ ...at('%2e%2e/%2e%2e/etc/passwd'), maxBytes: 1000 }),
    ).rejects.toMatchObject({ status: 404 })
    await expect(host.files.list(at('%252e%252e'))).rejects.toMatchObject({ status: 404 })
  })

  it('follows no link out of the home, as last part or on the way', async () => {
    const links: [string, string][] = [
      ['shadow', '/etc/shadow'],
      ['passwd', '/etc/passwd'],
      ['etc', '/etc'],
      ['root', '/'],
      ['up', '..'],
      ['far', 'public_html/../../../../../../etc'],
      ['other', victim.home],
      ['proc', '/proc/self'],
      ['loop', 'loop'],
      ['twin', `${mallory.home}x/../${mallory.username}/../${victim.username}`],
    ]
    for (const [name, target] of links) await runAs(mallory, '/bin/ln', '-s', '--', target, name)
    for (const [name] of links) {
      await refuses(name, ['delete', 'mkdir'])
      await refuses(`${name}/passwd`)
      await refuses(`${name}/public_html/secret.txt`)
      await refuses(`${name}/fd/0`)
    }
    const listed = await host.files.list(at(''))
    for (const [name] of links)
      expect(listed.find((entry) => entry.name === name)?.type, name).toBe('symlink')
    for (const [name] of links) await host.files.delete(at(name))
    expect(await readFile(join(victim.home, 'public_html/secret.txt'), 'utf8')).toContain('secret')
    expect((await stat('/etc/passwd')).mode & 0o777).toBe(0o644)
  })

  it('follows links that stay inside', async () => {
    await host.files.mkdir(at('releases/5'))
    await runAs(mallory, '/bin/ln', '-s', '--', 'releases/5', 'current')
    await runAs(mallory, '/bin/ln', '-s', '--', `${mallory.home}/releases`, 'absolute')
    await host.files.write({ ...at('current/x'), content: 'in 5', encoding: 'utf8' })
    const found = await host.files
      .read({ ...at('absolute/5/../5/x'.replace('/..', '/.')), maxBytes: 100 })
      .catch(() => null)
    expect(found).toBeNull()
    expect(await host.files.read({ ...at('absolute/5/x'), maxBytes: 100 })).toMatchObject({
      content: 'in 5',
    })
    await host.files.delete(at('current'))
    expect(await host.files.list(at('releases/5'))).toHaveLength(1)
  })

  it('deletes a tree with links without touching their targets', async () => {
    await host.files.mkdir(at('tree/sub'))
    await runAs(mallory, '/bin/ln', '-s', '--', '/etc', 'tree/etc')
    await runAs(mallory, '/bin/ln', '-s', '--', `${mallory.home}/public_html`, 'tree/sub/site')
    await host.files.delete(at('tree'))
    expect((await readdir('/etc')).length).toBeGreaterThan(10)
    expect(await host.files.list(at('public_html'))).not.toHaveLength(0)
  })

  it('stays inside while directories and links are swapped in a loop', async () => {
    const canary = join(victim.home, 'public_html', 'canary')
    await writeFile(canary, 'untouched', { mode: 0o666 })
    await chmod(victim.home, 0o777) // even where the kernel would let the account in
    const script = `
      const fs = require('node:fs')
      fs.mkdirSync('real', { recursive: true })
      process.send?.('up'); process.stdout.write('up\\n')
      for (;;) {
        try { fs.symlinkSync(${JSON.stringify(`${victim.home}/public_html`)}, 'swap') } catch {}
        try { fs.unlinkSync('swap') } catch {}
        try { fs.renameSync('real', 'swap') } catch {}
        try { fs.renameSync('swap', 'real') } catch {}
        try { fs.rmSync('swap', { recursive: true }) } catch {}
        fs.mkdirSync('real', { recursive: true })
      }`
    const as = asUser(
      { uid: mallory.uid, gid: mallory.gid, groups: 'none' },
      process.execPath,
      ['-e', script],
      { dieWithParent: true },
    )
    const swapper = spawn(as.program, as.args, {
      cwd: mallory.home,
      env: {},
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(swapper.stdout, 'data')
    const seen = new Set<string>()
    const deadlineMs = Date.now() + 2500
    while (Date.now() < deadlineMs) {
      for (const [, run] of operations('swap/canary')) {
        const outcome = await run().then(
          (value) => JSON.stringify(value ?? null),
          (error: { status?: number; message: string }) =>
            error.status === undefined ? `fault ${error.message}` : `status ${error.status}`,
        )
        seen.add(outcome.replace(/"modified_at":"[^"]*"/, ''))
      }
      await host.files.delete(at('swap')).catch(() => undefined)
    }
    swapper.kill('SIGKILL')
    await once(swapper, 'exit')
    await chmod(victim.home, 0o710)
    expect([...seen].join('\n')).not.toContain('untouched')
    expect([...seen].join('\n')).not.toContain('fault')
    expect(await readFile(canary, 'utf8')).toBe('untouched')
    expect((await stat(canary)).mode & 0o777).toBe(0o644)
  })

  it('neither reads nor changes a foreign file through a hard link', async () => {
    const foreign = join(host.homeBase, 'root-file')
    await writeFile(foreign, 'of root', { mode: 0o644 })
    await link(foreign, join(mallory.home, 'hard'))
    await expect(host.files.read({ ...at('hard'), maxBytes: 100 })).rejects.toMatchObject({
      status: 403,
    })
    await expect(host.files.chmod({ ...at('hard'), mode: '666' })).rejects.toMatchObject({
      status: 403,
    })
    await host.files.write({ ...at('hard'), content: 'mine now', encoding: 'utf8' })
    expect(await readFile(foreign, 'utf8')).toBe('of root')
    expect((await stat(foreign)).uid).toBe(0)
    expect((await stat(join(mallory.home, 'hard'))).uid).toBe(mallory.uid)
  })

  it('does not wait on a FIFO, open a device or swallow a sparse file', async () => {
    await runAs(mallory, '/usr/bin/mkfifo', 'fifo')
    await mustRun('/bin/mknod', ['-m', '666', '--', join(mallory.home, 'zero'), 'c', '1', '5'])
    await runAs(mallory, '/usr/bin/truncate', '-s', '1T', 'sparse')
    for (const name of ['fifo', 'zero']) {
      await expect(host.files.read({ ...at(name), maxBytes: 1000 })).rejects.toMatchObject({
        status: 409,
      })
      await expect(
        host.files.write({ ...at(name), content: 'x', encoding: 'utf8' }),
      ).rejects.toMatchObject({ status: 409 })
      await host.files.delete(at(name))
    }
    await expect(host.files.read({ ...at('sparse'), maxBytes: 2 ** 40 + 1 })).rejects.toMatchObject(
      { status: 413 },
    )
    expect(await host.users.diskUsedMb(mallory)).toBeLessThan(10)
    await host.files.delete(at('sparse'))
  })

  it('keeps names that would be script or shell elsewhere as they are', async () => {
    for (const name of ['<img src=x onerror=alert(1)>', '-rf', '$(id)', '`id`', "a'b;c|d&e", '*']) {
      const entry = await host.files.write({ ...at(name), content: name, encoding: 'utf8' })
      expect(entry.name).toBe(name)
      expect(await host.files.read({ ...at(name), maxBytes: 100 })).toMatchObject({ content: name })
      await host.files.delete(at(name))
    }
  })

  it('deletes trees deeper than any path can be, and closed directories', async () => {
    const script = `
      const fs = require('node:fs')
      fs.mkdirSync('abyss'); process.chdir('abyss')
      for (let i = 0; i < 3000; i++) { fs.mkdirSync('${'d'.repeat(20)}'); process.chdir('${'d'.repeat(20)}') }`
    await runAs(mallory, process.execPath, '-e', script)
    await host.files.delete(at('abyss'))
    await host.files.mkdir(at('closed/inner'))
    await runAs(mallory, '/bin/chmod', '000', 'closed/inner', 'closed')
    await host.files.delete(at('closed'))
    const names = (await host.files.list(at(''))).map((entry) => entry.name)
    expect(names).not.toContain('abyss')
    expect(names).not.toContain('closed')
  })

  it('leaves no process, secret or descriptor in reach of the helper', async () => {
    await host.files.list(at(''))
    const helper = (await mustRun('/usr/bin/pgrep', ['-u', mallory.username, '-f', 'files-helper']))
      .stdout
    const pid = helper.trim().split('\n')[0]
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
    expect(
      environment
        .split('\0')
        .map((entry) => entry.split('=')[0])
        .sort(),
    ).toEqual(['', 'HOME', 'LANG', 'LC_ALL', 'PATH', 'TZ'].sort())
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(
      new RegExp(`^Uid:\\s+${mallory.uid}\\s+${mallory.uid}\\s+${mallory.uid}`, 'm'),
    )
    expect(status).toMatch(/^Groups:\s*$/m)
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect(status).toMatch(/^CapBnd:\s+0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    const descriptors = await mustRun('/bin/ls', ['-l', '--', `/proc/${pid}/fd`])
    expect(descriptors.stdout).not.toContain('registry')
  })

  it('is not impressed by a helper that its tenant killed or stopped', async () => {
    await host.files.list(at(''))
    const pids = async () =>
      (await mustRun('/usr/bin/pgrep', ['-u', mallory.username, '-f', 'files-helper'])).stdout
        .trim()
        .split('\n')
        .map(Number)
    const [first] = await pids()
    await runAs(mallory, '/bin/kill', '-KILL', String(first))
    const outcomes = []
    for (let i = 0; i < 3; i += 1)
      outcomes.push(
        await host.files.list(at('')).then(
          () => 'listed',
          (error: { status?: number }) => error.status,
        ),
      )
    expect(outcomes.at(-1)).toBe('listed')
    expect(outcomes.filter((outcome) => outcome !== 'listed' && outcome !== 503)).toEqual([])
  })

  it('keeps an account inside its quota, with the old content intact', async () => {
    const small = await host.account(2)
    const put = (path: string, sizeBytes: number) =>
      host.files.write({
        username: small.username,
        path,
        content: randomBytes(sizeBytes).toString('base64'),
        encoding: 'base64',
      })
    await put('kept', 1_000_000)
    const before = await readFile(join(small.home, 'kept'))
    await expect(put('kept', 3_000_000)).rejects.toMatchObject({ status: 413 })
    await expect(put('second', 1_500_000)).rejects.toMatchObject({ status: 413 })
    expect((await readFile(join(small.home, 'kept'))).equals(before)).toBe(true)
    expect(await readdir(small.home)).not.toContain('second')
    expect((await readdir(small.home)).filter((name) => name.startsWith('.berth'))).toEqual([])
    const both = await Promise.allSettled([put('one', 600_000), put('two', 600_000)])
    expect(both.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    await host.files.delete({ username: small.username, path: 'kept' })
    await put('after', 1_000_000)
  })

  it('makes directories as the account, and only in its home', async () => {
    await host.ensureDirectory(mallory.username, `${mallory.home}/sites/one`)
    await host.ensureDirectory(mallory.username, `${mallory.home}/sites/one`)
    expect((await lstat(join(mallory.home, 'sites/one'))).uid).toBe(mallory.uid)
    for (const path of [victim.home, '/', '/etc', `${mallory.home}x`, `${mallory.home}/../x`])
      await expect(host.ensureDirectory(mallory.username, path)).rejects.toMatchObject({
        status: 400,
      })
    await symlink('/etc', join(mallory.home, 'out'))
    await expect(
      host.ensureDirectory(mallory.username, `${mallory.home}/out/x`),
    ).rejects.toMatchObject({ status: 403 })
  })
})
