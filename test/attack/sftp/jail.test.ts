import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { runAs } from '#test/node/agent/agent-fixture.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { createSftpHost, type KeyPair, type SftpHost } from '#test/node/sftp/sftp-host.ts'

/** What a tenant tries with the real client at the real server. */
describe('the jail of an account over SFTP', () => {
  let subject: SftpHost
  let user: OsUser
  let other: OsUser
  let key: KeyPair
  let secret: Server
  let secretPort = 0
  let asked = 0
  beforeAll(async () => {
    subject = await createSftpHost()
    await subject.sftp.start()
    user = await subject.host.account()
    other = await subject.host.account()
    await runAs(other, '/bin/sh', '-c', 'echo "of another" > public_html/theirs.txt')
    key = await subject.newKey()
    await subject.sftp.setLogins({
      username: user.username,
      passwords: true,
      users: [],
      shell: false,
      keys: [{ id: 7, publicKey: key.publicKey, expiresAt: null }],
    })
    secret = createServer((socket) => {
      asked += 1
      socket.end('secret of this machine')
    }).listen(0, '127.0.0.1')
    await once(secret, 'listening')
    const address = secret.address()
    secretPort = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterAll(async () => {
    secret?.close()
    await subject?.dispose()
  })
  const to = (): string => `${user.username}@127.0.0.1`
  const ssh = (...args: string[]) => subject.client('ssh', args, { key, input: 'id\ntouch made\n' })
  const batch = (...lines: string[]) => subject.batch(user.username, lines, { key })

  it('leads nowhere by links, however they are made', async () => {
    const outside = ['/etc', '/', other.home, '/proc/self/root', `${user.home}/../../..`]
    const names = outside.map((target, index) => [target, `link${index}`] as const)
    // By the client, and by the account itself behind the server's back.
    await batch(...names.map(([target, name]) => `-ln -s ${target} by-client-${name}`))
    for (const [target, name] of names)
      await runAs(user, '/bin/ln', '-s', '--', target, `${user.home}/by-itself-${name}`)
    const places = names.flatMap(([, name]) =>
      ['by-client', 'by-itself'].map((by) => `${user.home}/${by}-${name}`),
    )
    const got = join(subject.directory, 'got')
    await batch(
      ...places.flatMap((place) => [
        ...['passwd', 'etc/passwd', 'public_html/theirs.txt'].map(
          (file) => `-get ${place}/${file} ${got}`,
        ),
        `-put /etc/hostname ${place}/written-by-sftp`,
      ]),
    )
    expect(existsSync(got)).toBe(false)
    for (const place of places)
      expect((await mustRun('stat', ['-c', '%F', '--', place])).stdout).toContain('symbolic link')
    for (const place of ['/', '/etc', other.home])
      expect(existsSync(join(place, 'written-by-sftp'))).toBe(false)
    const up = await batch(...Array.from({ length: 20 }, () => 'cd ..'), 'pwd', 'ls -a')
    expect(up.stdout).toContain('Remote working directory: /\n')
    expect(up.stdout).not.toMatch(/etc|proc|usr/)
  })
  it('cannot be changed by who is in it', async () => {
    for (const line of [
      'mkdir /etc',
      'put /etc/hostname /x',
      `rename ${user.home} /y`,
      'chmod 777 /',
    ])
      expect([line, (await batch(line)).code]).toEqual([line, 1])
    expect((await batch('ln /etc/passwd passwd')).code).toBe(1)
  })
  it('holds when a link takes the place of the home, before the jail is made', async () => {
    const victim = await subject.host.account()
    const aside = `${victim.home}-aside`
    const login = {
      username: victim.username,
      passwords: false,
      users: [],
      shell: false,
      keys: [{ id: 7, publicKey: key.publicKey, expiresAt: null }],
    }
    await subject.host.users.suspend({ operationId: 'op-s1', username: victim.username })
    await mustRun('mv', ['--', victim.home, aside])
    await mustRun('ln', ['-s', '--', other.home, victim.home])
    await subject.host.users.unsuspend({ operationId: 'op-u1', username: victim.username })
    await expect(subject.sftp.setLogins(login)).rejects.toThrow(/is not the home/)
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(victim.username)
    await mustRun('rm', ['--', victim.home])
    // Nor does a directory of somebody else's.
    await mkdir(victim.home)
    await expect(subject.sftp.setLogins(login)).rejects.toThrow(/is not the home/)
    await mustRun('rmdir', ['--', victim.home])
    await mustRun('mv', ['--', aside, victim.home])
    await subject.sftp.setLogins(login)
  })
  it('gives no shell, runs no command and no other subsystem', async () => {
    const words = [
      [],
      ['id'],
      ['sh', '-c', 'id > made'],
      ['-tt'],
      ['-s', 'netconf'],
      ['-s', 'sftp;id'],
    ]
    for (const more of words) {
      const flags = more.filter((one) => /^-(tt|s)$/.test(one))
      const ran = await ssh(...flags, to(), ...more.filter((one) => !flags.includes(one)))
      expect([more, ran.stdout.includes(`uid=${user.uid}`)]).toEqual([more, false])
      expect(ran.stderr).not.toMatch(/permission denied|timed out/i)
    }
    expect(existsSync(join(user.home, 'made'))).toBe(false)
  })
  it('takes neither scp -O nor rsync', async () => {
    const file = join(subject.directory, 'file')
    await writeFile(file, 'content')
    expect(
      (await subject.client('scp', ['-O', '--', file, `${to()}:by-scp`], { key })).code,
    ).not.toBe(0)
    const old = ['-O', '--', `${to()}:public_html/index.html`, join(subject.directory, 'fetched')]
    expect((await subject.client('scp', old, { key })).code).not.toBe(0)
    const remote = `ssh -i ${key.file} -p ${subject.port} -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=${subject.directory}/known`
    if (existsSync('/usr/bin/rsync')) {
      const rsync = ['-e', remote, '--', file, `${to()}:by-rsync`]
      expect((await runCommand('/usr/bin/rsync', rsync, { timeoutMs: 20_000 })).code).not.toBe(0)
    }
    for (const name of ['by-scp', 'by-rsync']) expect(existsSync(join(user.home, name))).toBe(false)
    // scp of today speaks SFTP, and that is what is given.
    expect((await subject.client('scp', ['--', file, `${to()}:by-sftp`], { key })).code).toBe(0)
  })
  it('forwards no ports, no sockets, no agent and no windows', async () => {
    const through = await ssh('-W', `127.0.0.1:${secretPort}`, to())
    expect(through.stdout).toBe('')
    expect(through.code).not.toBe(0)
    const [local = 0, remote = 0] = await freePorts(2)
    const failing = ['-o', 'ExitOnForwardFailure=yes', '-N']
    const back = await ssh(...failing, '-R', `127.0.0.1:${remote}:127.0.0.1:${secretPort}`, to())
    expect(back.stderr).toMatch(/forwarding failed/)
    const socket = await ssh(...failing, '-R', `/tmp/berth-sock:127.0.0.1:${secretPort}`, to())
    expect(socket.stderr).toMatch(/forwarding failed/)
    for (const how of [
      ['-L', `127.0.0.1:${local}:127.0.0.1:${secretPort}`],
      ['-D', `127.0.0.1:${local}`],
    ]) {
      // The client listens by itself: it is what comes out at the other end that counts.
      const running = subject.client('ssh', ['-N', ...how, to()], { key, timeoutMs: 6000 })
      const proxy = how[0] === '-D' ? ['--socks5', `127.0.0.1:${local}`] : []
      const port = how[0] === '-D' ? secretPort : local
      const retry = ['--retry', '4', '--retry-connrefused', '--retry-delay', '1']
      const { stdout } = await runCommand('/usr/bin/curl', [
        ...['--silent', '--max-time', '3', '--http0.9', ...retry, ...proxy, '--'],
        `http://127.0.0.1:${port}/`,
      ])
      expect(stdout).not.toContain('secret')
      await running.catch(() => undefined)
    }
    expect(asked).toBe(0)
    for (const flag of ['-A', '-X', '-Y']) {
      const { stdout } = await ssh(flag, to(), 'env')
      expect(stdout).not.toMatch(/SSH_AUTH_SOCK|DISPLAY/)
    }
    // The number of a key is written as that of a tunnel, which nobody gets.
    await ssh('-w', '7:any', to())
    expect(await readFile('/proc/net/dev', 'utf8')).not.toMatch(/tun7/)
    const settings = ['-T', '-f', subject.configFile, '-C', `user=${user.username},host=h,addr=::1`]
    const { stdout } = await mustRun('/usr/sbin/sshd', settings)
    expect(stdout).toMatch(/^permittunnel no$/m)
  })
  it('does not read files of the account that would change its log-in', async () => {
    await runAs(
      user,
      '/bin/sh',
      '-c',
      'mkdir -p .ssh && printf "touch %s/made-by-rc\n" "$HOME" > .ssh/rc && printf "PATH=/x\n" > .ssh/environment && printf "127.0.0.1 root\n" > .shosts',
    )
    expect((await batch('ls')).code).toBe(0)
    expect(existsSync(join(user.home, 'made-by-rc'))).toBe(false)
  })
  it('reads keys that nobody but root can write', async () => {
    const file = join(subject.places.keys, user.username)
    const stat = await mustRun('stat', ['-c', '%u %a', '--', file])
    expect(stat.stdout.trim()).toBe('0 640')
    await expect(runAs(user, '/bin/sh', '-c', `echo x >> ${file}`)).rejects.toThrow(/denied/i)
    await expect(runAs(other, '/bin/cat', file)).rejects.toThrow(/denied/i)
    const line = (await readFile(file, 'utf8')).trimEnd()
    expect(line).toBe(`restrict,tunnel="7" ${key.publicKey}`)
  })
  it('is not entered by other accounts', async () => {
    const jail = join(subject.places.jails, user.username)
    await expect(runAs(other, '/bin/ls', jail)).rejects.toThrow(/denied/i)
    const theirs = await subject.batch(other.username, ['ls'], { key })
    expect(theirs.code).not.toBe(0)
  })
})
