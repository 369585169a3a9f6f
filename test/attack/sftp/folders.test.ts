import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { createSftpPort } from '#adapters/node/agent/sftp/sftp-port.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { runAs } from '#test/node/agent/agent-fixture.ts'
import { createSftpHost, type KeyPair, type SftpHost } from '#test/node/sftp/sftp-host.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

/** Users of an account for one folder, with the real client at the real server. */
describe('a user for one folder', () => {
  let subject: SftpHost
  let user: OsUser
  let other: OsUser
  let key: KeyPair
  let web = ''
  const shell = (text: string) => runAs(user, '/bin/sh', '-c', text)
  const tell = (change: object = {}, more: object[] = []) =>
    subject.sftp.setLogins({
      shell: false,
      ...{ username: user.username, passwords: true, keys: [] },
      users: [
        {
          ...{ name: web, folder: 'public_html/shop', passwords: true, readOnly: false },
          keys: [{ id: 9, publicKey: key.publicKey, expiresAt: null }],
          ...change,
        },
        ...(more as []),
      ],
    })
  const batch = (...lines: string[]) => subject.batch(web, lines, { key })
  const problem = async () =>
    (await subject.sftp.userProblems({ username: user.username })).find(({ name }) => name === web)
      ?.problem
  beforeAll(async () => {
    subject = await createSftpHost()
    await subject.sftp.start()
    user = await subject.host.account()
    other = await subject.host.account()
    key = await subject.newKey()
    web = `${user.username}_web`
    await shell('mkdir -p public_html/shop && echo shop > public_html/shop/a && echo no > secret')
    await runAs(other, '/bin/sh', '-c', 'mkdir -p public_html && echo theirs > public_html/b')
    await tell()
  })
  afterAll(() => subject?.dispose())

  it('sees its folder and nothing else, and writes there as the account', async () => {
    const file = join(subject.directory, 'up.txt')
    await writeFile(file, 'up')
    const { stdout, code } = await batch('pwd', 'ls -a', `put ${file} up.txt`, 'ls -a /')
    expect(code).toBe(0)
    expect(stdout).toContain('Remote working directory: /files')
    expect(stdout).not.toMatch(/secret|public_html/)
    const stat = await mustRun('stat', ['-c', '%u', '--', `${user.home}/public_html/shop/up.txt`])
    expect(stat.stdout.trim()).toBe(String(user.uid))
    // The uid is that of the account for everybody who asks.
    expect((await mustRun('id', ['-un', String(user.uid)])).stdout.trim()).toBe(user.username)
    const seen = (await subject.sftp.seenLogins({ after: 0 })).at(-1)
    expect(seen).toMatchObject({ account: user.username, username: web, way: 'key', keyId: 9 })
  })
  it('comes in by its own password, and by nobody else’s', async () => {
    const wanted = { username: user.username, name: web, password: 'a further secret' }
    await subject.sftp.setUserPassword(wanted)
    const by = async (username: string, password: string) =>
      (await subject.batch(username, ['ls'], { password })).code
    expect(await by(web, 'a further secret')).toBe(0)
    expect(await by(web, 'a password')).not.toBe(0)
    expect(await by(user.username, 'a further secret')).not.toBe(0)
    await tell({ passwords: false })
    expect(await by(web, 'a further secret')).not.toBe(0)
    expect((await subject.batch(user.username, ['ls'], { key })).code).not.toBe(0)
    const foreign = { ...wanted, name: other.username }
    await expect(subject.sftp.setUserPassword(foreign)).rejects.toMatchObject({ status: 404 })
    await tell()
  })
  it('leads nowhere by links and dots, and runs nothing', async () => {
    await shell(`ln -s ${user.home}/secret public_html/shop/l1; ln -s / public_html/shop/l2`)
    await shell(`ln -s ${other.home} public_html/shop/l3; ln -s ../../secret public_html/shop/l4`)
    const got = join(subject.directory, 'got')
    await batch(
      ...['l1', 'l2/etc/passwd', 'l3/public_html/b', 'l4', '../secret', '/../secret'].map(
        (path) => `-get ${path} ${got}`,
      ),
    )
    expect(existsSync(got)).toBe(false)
    const ssh = await subject.client('ssh', [`${web}@127.0.0.1`, 'id'], { key })
    expect(ssh.stdout).not.toContain('uid')
    const copy = ['-O', '--', '/etc/hostname', `${web}@127.0.0.1:by-scp`]
    expect((await subject.client('scp', copy, { key })).code).not.toBe(0)
    expect((await batch('mkdir /etc', 'put /etc/hostname /x')).code).not.toBe(0)
  })
  it('reads and changes nothing where that is all that it may', async () => {
    await tell({ readOnly: true })
    expect((await batch(`get a ${join(subject.directory, 'a')}`)).code).toBe(0)
    for (const line of ['put /etc/hostname b', 'rm a', 'mkdir c', 'rename a d', 'chmod 600 a'])
      expect([line, (await batch(line)).code]).toEqual([line, 1])
    await tell()
    expect((await batch('mkdir c', 'rmdir c')).code).toBe(0)
  })
  it('gets nowhere by a link in place of the folder, or above it', async () => {
    for (const place of ['/etc', `${other.home}/public_html`, `${user.home}/logs`, '/']) {
      await shell(`rm -rf linked up; ln -s ${place} linked; mkdir -p up; ln -s ${place} up/in`)
      for (const folder of ['linked', 'up/in', 'linked/x']) {
        await tell({ folder })
        expect([folder, await problem()]).toEqual([folder, expect.stringContaining(folder)])
        expect((await batch('ls')).code).not.toBe(0)
      }
    }
    for (const folder of ['', '.', '..', '../x', '/etc', 'a/../b', 'a//b', 'a\nb'])
      await expect(tell({ folder })).rejects.toMatchObject({ status: 400 })
    await tell()
    expect(await problem()).toBeNull()
    expect((await batch('ls')).code).toBe(0)
  })
  it('is put out when the folder is moved, and never led on by what takes its place', async () => {
    await shell('mv public_html/shop moved; ln -s /etc public_html/shop')
    await waitFor(async () => expect(await problem()).toContain('link'))
    expect((await batch('ls')).code).not.toBe(0)
    // A swap while it is made anew, again and again.
    const swap = shell(
      'i=0; while [ $i -lt 120 ]; do rm -f public_html/shop; mv moved public_html/shop 2>/dev/null; mv public_html/shop moved; ln -s /etc public_html/shop; i=$((i+1)); done; rm -f public_html/shop; mv moved public_html/shop',
    )
    let isDone = false
    void swap.then(() => (isDone = true))
    while (!isDone) {
      await tell()
      const { stdout } = await batch('ls')
      expect(stdout).not.toMatch(/passwd|hostname/)
    }
    await swap
    await tell()
    expect((await batch('ls')).stdout).toMatch(/^a\s/m)
  }, 60_000)
  it('takes no names and keys that would open more', async () => {
    for (const name of [
      ...['root', other.username, `${other.username}_x`, user.username, `${user.username}_`],
      ...[`${user.username}_a b`, `${user.username}_a\nroot:x`, `${user.username}_../x`],
    ])
      await expect(tell({ name })).rejects.toMatchObject({ status: 400 })
    for (const publicKey of [`command="id" ${key.publicKey}`, `${key.publicKey}\n${key.publicKey}`])
      await expect(tell({ keys: [{ id: 1, publicKey, expiresAt: null }] })).rejects.toMatchObject({
        status: 400,
      })
    await tell()
    const line = await readFile(join(subject.places.keys, web), 'utf8')
    expect(line).toBe(`restrict,tunnel="9" ${key.publicKey}\n`)
  })
  it('is closed by a suspension while somebody is in, opened after it, and gone with its account', async () => {
    const { ended } = await subject.openSession({ ...user, username: web }, key)
    await subject.host.users.suspend({ operationId: 'op-s', username: user.username })
    expect((await ended).code).not.toBe(0)
    expect((await batch('ls')).code).not.toBe(0)
    await tell()
    expect((await batch('ls')).code).not.toBe(0)
    await subject.host.users.unsuspend({ operationId: 'op-u', username: user.username })
    expect((await batch('ls')).code).toBe(0)
    // Made again by what the agent remembers.
    await subject.sftp.stop()
    expect((await batch('ls')).code).not.toBe(0)
    await subject.sftp.start()
    expect((await batch('ls')).code).toBe(0)
    await subject.sftp.setLogins({
      shell: false,
      ...{ username: user.username, passwords: true, keys: [], users: [] },
    })
    expect((await batch('ls')).code).not.toBe(0)
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(web)
    await tell()
    await subject.host.users.remove({ operationId: 'op-r', username: user.username })
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(user.username)
    for (const place of [subject.places.jails, subject.places.keys])
      expect(existsSync(join(place, web))).toBe(false)
  })
  it('is closed and removed with its account though SFTP is switched off, or cannot be reached', async () => {
    const owner = await subject.host.account()
    const name = `${owner.username}_web`
    const keys = [{ id: 9, publicKey: key.publicKey, expiresAt: null }]
    await runAs(owner, '/bin/sh', '-c', 'mkdir -p shop')
    await subject.sftp.setLogins({
      shell: false,
      ...{ username: owner.username, passwords: true, keys },
      users: [{ name, folder: 'shop', passwords: true, readOnly: false, keys }],
    })
    const { host, places } = subject
    const expiry = async () => (await mustRun('getent', ['shadow', name])).stdout.split(':')[7]
    const suspend = (operationId: string) =>
      host.users.suspend({ operationId, username: owner.username })
    const unsuspend = (operationId: string) =>
      host.users.unsuspend({ operationId, username: owner.username })
    expect(await expiry()).toBe('')
    // What closes log-ins goes on where it fails: the system's users are closed all the same.
    Object.assign(host.logins, { close: async () => undefined })
    await suspend('op-1')
    expect(await expiry()).toBe('1')
    Object.assign(host.logins, subject.sftp.hooks)
    await unsuspend('op-2')
    expect(await expiry()).toBe('')

    const off = createSftpPort({ ...subject.deps, dropIn: null, keys: places.keys, off: 'off' })
    Object.assign(host.logins, off.hooks)
    await suspend('op-3')
    expect(await expiry()).toBe('1')
    expect(existsSync(join(places.keys, name))).toBe(false)
    await host.users.remove({ operationId: 'op-4', username: owner.username })
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(owner.username)
    for (const one of [owner.username, name])
      for (const place of [places.keys, `${places.keys}-held`])
        expect([one, existsSync(join(place, one))]).toEqual([one, false])
    Object.assign(host.logins, subject.sftp.hooks)
  })
})
