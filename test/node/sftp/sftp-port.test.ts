import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { sftpPortContract } from '#test/contract/sftp/sftp-port.ts'
import { newName } from '#test/node/agent/agent-fixture.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { createSftpHost, type KeyPair, type SftpHost } from './sftp-host.ts'

sftpPortContract('agent with a real sshd', async () => {
  const subject = await createSftpHost()
  await subject.sftp.start()
  const { username } = await subject.host.account()
  return { sftp: subject.sftp, username, dispose: subject.dispose }
})

describe('an account at the sshd of its host', () => {
  let subject: SftpHost
  let user: OsUser
  let key: KeyPair
  beforeAll(async () => {
    subject = await createSftpHost({ ownPort: true })
    await subject.sftp.start()
    expect(subject.logged.filter((line) => line.includes('no SFTP'))).toEqual([])
    user = await subject.host.account()
    key = await subject.newKey()
    await letIn([key])
  })
  afterAll(async () => {
    await subject?.dispose()
  })
  const letIn = (keys: KeyPair[], passwords = true, expiresAt: string | null = null) =>
    subject.sftp.setLogins({
      username: user.username,
      passwords,
      users: [],
      shell: false,
      keys: keys.map(({ publicKey }, id) => ({ id, publicKey, expiresAt })),
    })
  const list = (how: { key?: KeyPair; password?: string; to?: number }) =>
    subject.batch(user.username, ['pwd', 'ls -a'], how)

  it('sees its home under its usual path, and writes there as itself', async () => {
    const file = join(subject.directory, 'upload.txt')
    await writeFile(file, 'by SFTP')
    const lines = ['pwd', `put ${file} public_html/upload.txt`, 'ls /', 'ls /etc']
    const ran = await subject.batch(user.username, lines, { key })
    expect(ran.stdout).toContain(`Remote working directory: ${user.home}`)
    expect(ran.stderr).toContain('/etc')
    const stat = await mustRun('stat', ['-c', '%u %a', '--', `${user.home}/public_html/upload.txt`])
    expect(stat.stdout.trim()).toBe(`${user.uid} 644`)
    expect(await readFile(`${user.home}/public_html/upload.txt`, 'utf8')).toBe('by SFTP')
  })
  it('comes in by its keys and its password, as it was said last', async () => {
    expect((await list({ key })).code).toBe(0)
    expect((await list({ password: 'a password' })).stdout).toContain('public_html')
    expect((await list({ password: 'another one' })).code).not.toBe(0)
    await letIn([key], false)
    expect((await list({ password: 'a password' })).code).not.toBe(0)
    const other = await subject.newKey()
    expect((await list({ key: other })).code).not.toBe(0)
    await letIn([other], false)
    expect((await list({ key: other })).code).toBe(0)
    expect((await list({ key })).code).not.toBe(0)
    await letIn([key])
  })
  it('comes in no more when a key has expired', async () => {
    await letIn([key], false, timestamp(Date.now() + 3_600_000))
    expect((await list({ key })).code).toBe(0)
    await letIn([key], false, timestamp(Date.now() - 60_000))
    expect((await list({ key })).code).not.toBe(0)
    await letIn([key])
  })
  it('reads no keys that lie in its home', async () => {
    const own = await subject.newKey()
    const ssh = join(user.home, '.ssh')
    await mustRun('install', ['-d', '-m', '700', '-o', String(user.uid), '--', ssh])
    await writeFile(join(ssh, 'authorized_keys'), `${own.publicKey}\n`, { mode: 0o644 })
    expect((await list({ key: own })).code).not.toBe(0)
  })
  it('is reached at the port of its own as well, and told of it first', async () => {
    const { ports, silentPorts, hostKeys } = await subject.sftp.details()
    expect(ports).toEqual([subject.ownPort, subject.port])
    expect(silentPorts).toEqual([])
    const shown = await mustRun('ssh-keygen', ['-lf', join(subject.directory, 'ssh/host_key.pub')])
    expect(hostKeys).toEqual([{ type: 'ssh-ed25519', fingerprint: shown.stdout.split(' ')[1] }])
    expect((await list({ key, to: subject.ownPort })).code).toBe(0)
    expect((await list({ key, to: subject.port })).code).toBe(0)
  })
  it('tells who logged in, from where, when and by which key', async () => {
    const second = await subject.newKey()
    await letIn([key, second])
    const last = async () => (await subject.sftp.seenLogins({ after: 0 })).at(-1)
    const before = (await subject.sftp.seenLogins({ after: 0 })).map(({ id }) => id)
    const file = join(subject.directory, 'seven.txt')
    await writeFile(file, 'seven b')
    const lines = [`put ${file} seven.txt`, `get seven.txt ${file}`, 'rm seven.txt']
    expect((await subject.batch(user.username, lines, { key: second })).code).toBe(0)
    expect((await list({ password: 'a password' })).code).toBe(0)
    for (const password of ['another one', 'a third one'])
      expect((await list({ password })).code).not.toBe(0)
    // A name that says it were another is nobody's.
    const forged = `x ${user.username} from 192.0.2.1 port 1 ssh2`
    const attempt = ['-l', forged, '127.0.0.1', 'true']
    expect((await subject.client('ssh', attempt, { password: 'no' })).code).not.toBe(0)
    await waitFor(async () => {
      const all = await subject.sftp.seenLogins({ after: 0 })
      const seen = all.filter(({ id }) => !before.includes(id))
      expect(seen.map(({ endedAt }) => endedAt === null)).toEqual([false, false, false])
      const own = { account: user.username, username: user.username, address: '127.0.0.1' }
      const wrong = seen.splice(
        seen.findIndex(({ failures }) => failures > 0),
        1,
      )
      expect(wrong).toMatchObject([
        { ...own, way: 'password', keyId: null, kind: null, failures: 2, changes: 0 },
      ])
      expect(seen).toMatchObject([
        { ...own, way: 'key', kind: 'sftp', keyId: 1, changes: 2, receivedBytes: 7, sentBytes: 7 },
        { ...own, way: 'password', kind: 'sftp', failures: 0, keyId: null, changes: 0 },
      ])
    })
    // One that goes on, until it is cut off.
    const { ended } = await subject.openSession(user, second)
    await waitFor(async () =>
      expect(await last()).toMatchObject({ keyId: 1, endedAt: null, address: '127.0.0.1' }),
    )
    await mustRun('pkill', ['-KILL', '-u', String(user.uid), 'sshd'])
    await ended
    await waitFor(async () => expect((await last())?.endedAt).not.toBeNull())
    await letIn([key])
  })
  it('makes the pages of its sites new that it changes, and of no others', async () => {
    const { host, purged } = subject
    const other = await host.account()
    const site = (domain: string, root: string, username = user.username) => ({
      ...{ domain, root, username, aliases: [], suspended: false, overBandwidth: false },
      ...{ php: null, ssl: null, redirectHttps: false },
      cache: { enable: true, ttl: 60, exclude: [] },
    })
    host.registry.replaceVhosts([
      site('one.example', `${user.home}/public_html`),
      site('two.example', `${user.home}/two/public`),
      site('foreign.example', `${other.home}/public_html`, other.username),
    ])
    const file = join(subject.directory, 'page.html')
    await writeFile(file, 'new')
    const after = async (...lines: string[]): Promise<string[]> => {
      purged.length = 0
      expect((await subject.batch(user.username, lines, { key })).code).toBe(0)
      // A session says that it is over before its client is told.
      await waitFor(() => expect(purged.length + Number(lines[0]?.startsWith('ls'))).not.toBe(0))
      return [...new Set(purged)].sort()
    }
    expect(await after(`put ${file} ${user.home}/public_html/page.html`)).toEqual(['one.example'])
    expect(await after(`mkdir ${user.home}/two`, `mkdir ${user.home}/two/public`)).toEqual([
      'two.example',
    ])
    expect(
      await after(`rename ${user.home}/public_html/page.html ${user.home}/two/public/page`),
    ).toEqual(['one.example', 'two.example'])
    // By a name whose place is not told plainly: all of its own.
    expect(await after(`put ${file} "${user.home}/a\\"b"`)).toEqual(['one.example', 'two.example'])
    expect(await after('ls -la', `get ${user.home}/two/public/page ${file}`)).toEqual([])
  })
  it('is put out by a suspension while it is in, and let in again after it', async () => {
    const { ended } = await subject.openSession(user, key)
    const hasSession = (): Promise<boolean> => subject.hasSession(user.uid)
    await subject.host.users.suspend({ operationId: 'op-sus', username: user.username })
    expect(await hasSession()).toBe(false)
    expect((await list({ key })).code).not.toBe(0)
    expect((await list({ password: 'a password' })).code).not.toBe(0)
    expect(existsSync(join(subject.places.jails, user.username))).toBe(false)
    // A key that comes meanwhile counts later.
    const later = await subject.newKey()
    await letIn([key, later])
    expect((await list({ key: later })).code).not.toBe(0)
    await subject.sftp.start()
    expect((await list({ key })).code).not.toBe(0)
    await subject.host.users.unsuspend({ operationId: 'op-uns', username: user.username })
    expect((await list({ key: later })).code).toBe(0)
    expect((await list({ password: 'a password' })).code).toBe(0)
    expect((await ended).code).not.toBe(0)
  })
  it('leaves nothing when it is deleted', async () => {
    const gone = await subject.host.account()
    const { username } = gone
    await subject.sftp.setLogins({
      username,
      passwords: true,
      users: [],
      shell: false,
      keys: [{ id: 7, publicKey: key.publicKey, expiresAt: null }],
    })
    expect((await subject.batch(username, ['ls'], { key })).code).toBe(0)
    await subject.host.users.remove({ operationId: 'op-rem', username })
    for (const place of Object.values(subject.places))
      expect(existsSync(join(place, username))).toBe(false)
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(username)
    expect(await readFile('/etc/group', 'utf8')).not.toContain(username)
  })
  it('tells at which of its ports nobody listens any more', async () => {
    await subject.endSshd()
    const { available, silentPorts } = await subject.sftp.details()
    expect([available, silentPorts]).toEqual([true, [subject.ownPort, subject.port]])
  })
})

describe('the sshd of the host', () => {
  let subject: SftpHost
  const admin = newName()
  let key: KeyPair
  beforeAll(async () => {
    subject = await createSftpHost()
    key = await subject.newKey()
    await mustRun('useradd', ['--create-home', '--shell', '/bin/sh', '--', admin])
    const ssh = `/home/${admin}/.ssh`
    await mustRun('install', ['-d', '-m', '700', '-o', admin, '--', ssh])
    await writeFile(`${ssh}/authorized_keys`, `${key.publicKey}\n`, { mode: 0o644 })
  })
  afterAll(async () => {
    await subject?.dispose()
    await runCommand('userdel', ['--force', '--remove', '--', admin])
  })
  const settings = async (): Promise<string> =>
    (
      await mustRun('/usr/sbin/sshd', [
        ...['-T', '-f', subject.configFile, '-C', `user=${admin},host=h,addr=127.0.0.1`],
      ])
    ).stdout
  const runs = () => subject.client('ssh', [`${admin}@127.0.0.1`, 'id', '-un'], { key })

  it('lets its own users in as before, and serves them what it did', async () => {
    const before = await settings()
    expect((await runs()).stdout.trim()).toBe(admin)
    await subject.sftp.start()
    expect((await subject.sftp.details()).reason).toBeNull()
    expect(await settings()).toBe(before)
    expect((await runs()).stdout.trim()).toBe(admin)
    const text = await readFile(subject.dropInFile, 'utf8')
    await subject.sftp.start()
    expect(await readFile(subject.dropInFile, 'utf8')).toBe(text)
  })
  it('stays as it is where it does not take the drop-in, or that belongs to others', async () => {
    const { configFile, dropInFile } = subject
    const text = await readFile(configFile, 'utf8')
    const ours = await readFile(dropInFile, 'utf8')
    for (const [config, why] of [
      [`${text}NoSuchKeyword yes\n`, /NoSuchKeyword/],
      [`Match User ${admin},root\n${text.split('\n')[0]}\nMatch all\n`, /change how others/],
    ] as const) {
      await writeFile(configFile, config)
      await subject.sftp.start()
      if (why.source === 'NoSuchKeyword') expect((await subject.sftp.details()).reason).toMatch(why)
      expect(await readFile(dropInFile, 'utf8')).toBe(ours)
    }
    await writeFile(configFile, text)
    const foreign = ours.replace('state', 'other')
    await writeFile(dropInFile, foreign)
    await subject.sftp.start()
    expect(await subject.sftp.details()).toMatchObject({
      available: false,
      reason: expect.stringContaining('another installation'),
      ports: [],
    })
    expect(await readFile(dropInFile, 'utf8')).toBe(foreign)
    await writeFile(dropInFile, ours)
    await subject.sftp.start()
    expect((await subject.sftp.details()).available).toBe(true)
  })
  it('gives nobody a jail when its configuration does not include ours', async () => {
    const other = await createSftpHost({ include: '' })
    try {
      await other.sftp.start()
      const { username } = await other.host.account()
      await expect(
        other.sftp.setLogins({ username, passwords: true, keys: [], users: [], shell: false }),
      ).rejects.toMatchObject({ status: 503, message: expect.stringContaining('Include') })
    } finally {
      await other.dispose()
    }
  })
  it('trusts no place that others may write to', async () => {
    await mustRun('chmod', ['777', '--', subject.directory])
    await subject.sftp.start()
    expect((await subject.sftp.details()).reason).toContain('writable by root alone')
    await mustRun('chmod', ['755', '--', subject.directory])
    await subject.sftp.start()
    expect((await subject.sftp.details()).available).toBe(true)
  })
})
