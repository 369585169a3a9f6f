import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSftpPort } from '#adapters/node/agent/sftp/sftp-port.ts'
import { mountsBelow } from '#adapters/node/install/mounts-below.ts'
import { removeAllBut } from '#adapters/node/install/remove-all-but.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createSftpHost, type KeyPair, type SftpHost } from './sftp-host.ts'

const HOLDER = new URL('jail-holder.ts', import.meta.url).pathname

/** Whatever is removed by whomever, homes are not reached through the jails that show them. */
describe('jails of accounts, and what their homes hold', () => {
  let subject: SftpHost
  let user: OsUser
  let key: KeyPair
  let link = ''
  let stat = ''
  beforeAll(async () => {
    subject = await createSftpHost()
    await subject.sftp.start()
    user = await subject.host.account()
    key = await subject.newKey()
    link = dirname(subject.places.jails)
    const keys = [{ id: 7, publicKey: key.publicKey, expiresAt: null }]
    await subject.sftp.setLogins({
      shell: false,
      username: user.username,
      passwords: false,
      keys,
      users: [],
    })
    const file = join(user.home, 'public_html', 'precious.txt')
    await writeFile(file, 'precious')
    await mustRun('chown', [String(user.uid), '--', file])
    stat = (await mustRun('stat', ['-c', '%u %a', '--', file])).stdout
  })
  afterAll(() => subject?.dispose())
  const list = () => subject.batch(user.username, ['ls public_html'], { key })
  const sees = async (): Promise<boolean> => (await list()).stdout.includes('precious.txt')
  const isWhole = async (): Promise<void> => {
    const file = join(user.home, 'public_html', 'precious.txt')
    expect(await readFile(file, 'utf8')).toBe('precious')
    expect((await mustRun('stat', ['-c', '%u %a', '--', file])).stdout).toBe(stat)
  }
  const mounts = (): Promise<string> => readFile('/proc/self/mountinfo', 'utf8')

  it('are nowhere in the tree of the machine, only behind a link', async () => {
    expect(await sees()).toBe(true)
    expect(await mounts()).not.toContain(user.username)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(mountsBelow(dirname(link))).toEqual([])
  })
  it('lose nothing when a tree with jails in it is removed while somebody is in one', async () => {
    const session = await subject.openSession(user, key)
    const tools = [
      ['/bin/rm', '-rf', '--', link],
      ['/bin/rm', '-rf', '--', dirname(link)],
      ['/usr/bin/find', dirname(link), '-delete'],
      ['/bin/chmod', '-R', '755', dirname(link)],
      ['/bin/chown', '-R', '0:0', '--', dirname(link)],
    ]
    for (const [program = '', ...args] of tools) {
      await mustRun(program, args)
      await isWhole()
      await subject.sftp.start()
      expect(await sees()).toBe(true)
    }
    // As the uninstaller does.
    removeAllBut(dirname(link), [])
    await isWhole()
    expect((await list()).code).not.toBe(0)
    await subject.sftp.start()
    expect(await sees()).toBe(true)
    await subject.sftp.stop()
    expect((await session.ended).code).not.toBe(0)
  })
  it('are gone when the agent stops, and whoever was in one is out', async () => {
    await subject.sftp.start()
    const session = await subject.openSession(user, key)
    await subject.sftp.stop()
    expect((await session.ended).code).not.toBe(0)
    expect(await subject.hasSession(user.uid)).toBe(false)
    expect(existsSync(link)).toBe(false)
    expect((await list()).code).not.toBe(0)
    await isWhole()
    await subject.sftp.start()
    expect(await sees()).toBe(true)
  })
  it('are made anew after an agent that was killed, whose sessions end', async () => {
    await subject.sftp.stop()
    const facts = [link, user.username, String(user.uid), String(user.gid), user.home]
    const agent = spawn(process.execPath, [HOLDER, ...facts], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(agent.stdout, 'data')
    expect(await sees()).toBe(true)
    const session = await subject.openSession(user, key)
    const ended = once(agent, 'exit')
    agent.kill('SIGKILL')
    await ended
    // Nobody gets in, and nothing is left that could be removed.
    expect((await list()).code).not.toBe(0)
    expect(await mounts()).not.toContain(user.username)
    removeAllBut(link, [])
    await isWhole()
    const next = createSftpPort(subject.deps)
    await next.start()
    expect((await session.ended).code).not.toBe(0)
    expect(await sees()).toBe(true)
    await next.stop()
    await isWhole()
    await subject.sftp.start()
  })
  it('end with an account that is deleted while it is in, and only its own files go', async () => {
    const gone = await subject.host.account()
    const keys = [{ id: 7, publicKey: key.publicKey, expiresAt: null }]
    await subject.sftp.setLogins({
      shell: false,
      username: gone.username,
      passwords: false,
      keys,
      users: [],
    })
    const session = await subject.openSession(gone, key)
    await subject.host.users.remove({ operationId: 'op-gone', username: gone.username })
    expect((await session.ended).code).not.toBe(0)
    expect(existsSync(gone.home)).toBe(false)
    expect(existsSync(join(subject.places.jails, gone.username))).toBe(false)
    await isWhole()
    expect(await sees()).toBe(true)
  })
})

it('mounts below a directory are named, so that a purge stops before it removes them', async () => {
  const host = await createSftpHost()
  const at = join(host.directory, 'a place')
  await mkdir(at)
  await mustRun('mount', ['--bind', '--', host.host.homeBase, at])
  try {
    expect(mountsBelow(host.directory)).toEqual([at])
    expect(mountsBelow(at)).toEqual([])
    expect(mountsBelow(`${host.directory}/a`)).toEqual([])
  } finally {
    await mustRun('umount', ['--', at])
    await host.dispose()
  }
})
