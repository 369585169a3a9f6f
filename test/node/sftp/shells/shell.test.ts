import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createSftpHost, type KeyPair, type SftpHost } from '../sftp-host.ts'

describe('an account with a shell', () => {
  let subject: SftpHost
  let user: OsUser
  let key: KeyPair
  beforeAll(async () => {
    subject = await createSftpHost()
    await mkdir(join(subject.directory, 'sockets'))
    await subject.sftp.start()
    user = await subject.host.account()
    key = await subject.newKey()
    await give(true)
    expect(subject.logged.filter((line) => line.includes('no shell'))).toEqual([])
  })
  afterAll(async () => {
    await subject?.dispose()
  })
  const give = (shell: boolean) =>
    subject.sftp.setLogins({
      username: user.username,
      passwords: true,
      users: [],
      shell,
      keys: [{ id: 7, publicKey: key.publicKey, expiresAt: null }],
    })
  const to = (): string => `${user.username}@127.0.0.1`
  const ssh = (...words: string[]) => subject.client('ssh', [to(), ...words], { key })
  const file = (name: string): string => join(subject.directory, name)
  const site = (domain: string, root: string) => ({
    ...{ domain, root, username: user.username, aliases: [], suspended: false },
    ...{ overBandwidth: false, php: null, ssl: null, redirectHttps: false },
    cache: { enable: true, ttl: 60, exclude: [] },
  })

  it('runs commands in its home as itself, and ends as they do', async () => {
    const ran = await ssh(
      'id -un; pwd; umask; echo "$HOME $SHELL $USER"; php of-the-account; exit 7',
    )
    expect(ran.stdout.split('\n')).toEqual([
      ...[user.username, user.home, '0022', `${user.home} /bin/bash ${user.username}`],
      ...['of-the-account', ''],
    ])
    expect(ran.code).toBe(7)
    const read = await subject.client('ssh', [to(), 'cat'], { key, input: 'by its input' })
    expect(read.stdout).toBe('by its input')
  })
  it('is a login shell at a terminal, and without one', async () => {
    const input = 'tty -s && echo at a terminal\nshopt -q login_shell && echo login\nexit\n'
    const typed = await subject.client('ssh', ['-tt', to()], { key, input })
    expect(typed.stdout).toMatch(/^at a terminal\r?$/m)
    expect(typed.stdout).toMatch(/^login\r?$/m)
    expect(typed.stdout).toContain(`${user.username}@`)
    const piped = await subject.client('ssh', ['-T', to()], { key, input })
    expect(piped.stdout.split('\n')).toEqual(['login', ''])
  })
  it('comes in by its password, and over SFTP as before', async () => {
    const words = [to(), 'id', '-un']
    const ran = await subject.client('ssh', words, { password: 'a password' })
    expect(ran.stdout.trim()).toBe(user.username)
    await writeFile(file('upload.txt'), 'by SFTP')
    const lines = ['pwd', `put ${file('upload.txt')} upload.txt`]
    const batch = await subject.batch(user.username, lines, { key })
    expect(batch.stdout).toContain(`Remote working directory: ${user.home}`)
    const { stdout } = await mustRun('stat', ['-c', '%u %a', '--', `${user.home}/upload.txt`])
    expect(stdout.trim()).toBe(`${user.uid} 644`)
  })
  it('copies with rsync and with scp of both kinds', async () => {
    await mkdir(file('tree/sub'), { recursive: true })
    await writeFile(file('tree/sub/page.html'), 'by rsync')
    const sent = await subject.rsync(user.username, key, ['-a', `${file('tree')}/`, ':copied/'])
    expect([sent.code, sent.stderr]).toEqual([0, ''])
    expect(await readFile(`${user.home}/copied/sub/page.html`, 'utf8')).toBe('by rsync')
    await subject.rsync(user.username, key, ['-a', ':copied/', `${file('back')}/`])
    expect(await readFile(file('back/sub/page.html'), 'utf8')).toBe('by rsync')
    for (const [name, flags] of [
      ['old', ['-O']],
      ['new', []],
    ] as const) {
      const words = [...flags, '--', file('tree/sub/page.html'), `${to()}:by-${name}`]
      expect((await subject.client('scp', words, { key })).code).toBe(0)
      expect(await readFile(`${user.home}/by-${name}`, 'utf8')).toBe('by rsync')
    }
  })
  it('tells who logged in, from where and by which key', async () => {
    // Of all that came in above.
    const before = await subject.sftp.seenLogins({ after: 0 })
    const kinds = new Set(before.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['command', 'rsync', 'scp', 'sftp', 'shell'])
    const after = before.at(-1)?.version ?? 0
    await ssh('true')
    await waitFor(async () => {
      const seen = await subject.sftp.seenLogins({ after })
      expect(seen.at(-1)).toMatchObject({
        way: 'key',
        keyId: 7,
        kind: 'command',
        address: '127.0.0.1',
      })
      expect(seen.at(-1)?.endedAt).not.toBeNull()
    })
  })
  it('makes the pages of its sites new that it changes, and of no others', async () => {
    const { host, purged } = subject
    await ssh('mkdir -p two/public')
    host.registry.replaceVhosts([
      site('one.example', `${user.home}/public_html`),
      site('two.example', `${user.home}/two/public`),
    ])
    // What was made just now is long ago.
    await mustRun('sleep', ['3'])
    const after = async (work: () => Promise<unknown>, wanted: string[]): Promise<void> => {
      await mustRun('sleep', ['2.5'])
      purged.length = 0
      await work()
      await waitFor(() => expect([...new Set(purged)].sort()).toEqual(wanted))
    }
    await after(() => ssh('echo new > public_html/new.html'), ['one.example'])
    await after(() => ssh('rm public_html/new.html'), ['one.example'])
    await after(
      () => subject.rsync(user.username, key, ['-a', `${file('tree')}/`, ':two/public/']),
      ['two.example'],
    )
    await after(() => ssh('cat public_html/* > /dev/null; ls -la two > seen'), [])
    // In a session that goes on.
    const long = ssh('sleep 4; echo new > two/public/more; sleep 30')
    await after(async () => undefined, ['two.example'])
    await runCommand('pkill', ['-KILL', '-u', String(user.uid), 'sleep'])
    await long
  })
  it('has its own limits, new ones in its next session', async () => {
    const { users } = subject.host
    await users.setLimits({
      ...{ operationId: 'op-limits', username: user.username },
      ...{ processes: 60, memoryMb: 300, memoryTotalMb: 0 },
      ...{ cpuWeight: 100, cpuPercent: 0, ioWeight: 100 },
    })
    await waitFor(
      async () => {
        const { stdout } = await ssh('ulimit -Hu; ulimit -Hd; ulimit -Hc')
        expect(stdout.split('\n')).toEqual(['60', String(300 * 1024), '0', ''])
      },
      { timeout: 15_000, interval: 500 },
    )
  })
  it('reaches the sockets of database servers, also of one that was started again', async () => {
    const place = file('sockets')
    await writeFile(join(place, 'first'), '')
    expect((await ssh(`ls ${place}`)).stdout.trim()).toBe('first')
    await mustRun('rm', ['-r', '--', place])
    await mkdir(place)
    await writeFile(join(place, 'second'), '')
    await waitFor(async () => expect((await ssh(`ls ${place}`)).stdout.trim()).toBe('second'), {
      timeout: 15_000,
      interval: 500,
    })
  })
  it('is put out by a suspension, and let in again after it', async () => {
    const long = ssh('setsid nohup sleep 1000 > /dev/null 2>&1 & sleep 1000')
    await waitFor(async () =>
      expect((await runCommand('pgrep', ['-u', String(user.uid), '-x', 'sleep'])).code).toBe(0),
    )
    const { users } = subject.host
    await users.suspend({ operationId: 'op-sus', username: user.username })
    expect((await long).code).not.toBe(0)
    expect((await runCommand('pgrep', ['-r', 'R,S,D', '-u', String(user.uid)])).code).toBe(1)
    expect((await ssh('true')).code).not.toBe(0)
    expect(existsSync(join(subject.places.rooms, user.username))).toBe(false)
    await users.unsuspend({ operationId: 'op-uns', username: user.username })
    expect((await ssh('echo back')).stdout.trim()).toBe('back')
  })
  it('has its shell again after a start of the agent, without the panel', async () => {
    await subject.sftp.stop()
    expect((await ssh('true')).code).not.toBe(0)
    await subject.sftp.start()
    expect((await ssh('echo back')).stdout.trim()).toBe('back')
  })
  it('keeps nothing of it when it is deleted', async () => {
    const gone = await subject.host.account()
    await subject.sftp.setLogins({
      ...{ username: gone.username, passwords: true, users: [], keys: [], shell: true },
    })
    const { rooms, keys } = subject.places
    expect(existsSync(join(rooms, gone.username))).toBe(true)
    await subject.host.users.remove({ operationId: 'op-rem', username: gone.username })
    expect(existsSync(join(rooms, gone.username))).toBe(false)
    expect(existsSync(join(keys, '../shells', gone.username))).toBe(false)
    expect(await readFile('/etc/group', 'utf8')).not.toContain(gone.username)
  })
})
