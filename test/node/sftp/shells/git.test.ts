import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import type { Caller } from '#adapters/node/agent/sftp/sessions/session-logs.ts'
import { createReleases } from '#adapters/node/agent/applications/git/releases.ts'
import type { RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { createSftpHost, type KeyPair, type SftpHost } from '../sftp-host.ts'

/** git(1) and ssh(1) against a real sshd: repositories of accounts, and what else somebody might try. */
describe('an account without a shell', () => {
  let subject: SftpHost
  let account: RegisteredAccount
  let other: RegisteredAccount
  let key: KeyPair
  let work: string
  const give = (one: RegisteredAccount, how: { shell?: boolean; git?: boolean }) =>
    subject.sftp.setLogins({
      ...{ username: one.username, passwords: false, users: [], shell: false, ...how },
      keys: one === account ? [{ id: 7, publicKey: key.publicKey, expiresAt: null }] : [],
    })
  const repository = (one: RegisteredAccount, name: string): string =>
    join(one.home, `.berth/apps/${name}/repository.git`)
  const url = (path: string, name = account.username): string =>
    `ssh://${name}@127.0.0.1:${subject.port}/${path}`
  const push = (to: string, ...more: string[]) =>
    subject.git(key, ['-C', work, 'push', to, 'HEAD:refs/heads/main', ...more])
  const ssh = (...words: string[]) =>
    subject.client('ssh', [`${account.username}@127.0.0.1`, ...words], { key })
  const commit = async (text: string): Promise<void> => {
    writeFileSync(join(work, 'page.html'), text)
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com']
    await mustRun('git', ['-C', work, 'add', '-A'])
    await mustRun('git', ['-C', work, ...who, 'commit', '-qm', text])
  }

  beforeAll(async () => {
    subject = await createSftpHost()
    await subject.sftp.start()
    key = await subject.newKey()
    const accounts: RegisteredAccount[] = []
    for (let count = 0; count < 2; count += 1) {
      const { username } = await subject.host.account()
      const one = subject.host.registry.account(username)
      if (one === null) throw new Error('the account was not registered')
      await createReleases(true).repository(one, 'shop', 'main')
      accounts.push(one)
    }
    ;[account, other] = accounts as [RegisteredAccount, RegisteredAccount]
    await give(account, { git: true })
    await give(other, { git: true })
    work = join(subject.directory, 'work')
    mkdirSync(work)
    await mustRun('git', ['init', '-q', '-b', 'main', '--', work])
    await commit('one')
    expect(subject.logged.filter((line) => line.includes('no shell'))).toEqual([])
  })
  afterAll(async () => {
    await subject?.dispose()
  })

  it('pushes to a repository and fetches from it, and a push is told', async () => {
    const pushed = await push(url('shop.git'))
    expect([pushed.code, pushed.stderr]).toEqual([
      0,
      expect.stringContaining('remote: shop is deployed from main'),
    ])
    await waitFor(() => expect(subject.pushed).toEqual([`${account.username} shop main`]))
    const copy = join(subject.directory, 'copy')
    const cloned = await subject.git(key, ['clone', '-q', url('~/shop.git'), copy])
    expect([cloned.code, existsSync(join(copy, 'page.html'))]).toEqual([0, true])
    const owner = await runCommand('stat', [
      '-c',
      '%u',
      '--',
      join(repository(account, 'shop'), 'refs/heads/main'),
    ])
    expect(owner.stdout.trim()).toBe(String(account.uid))
    // Another branch is kept, and deploys nothing.
    const branch = await subject.git(key, [
      '-C',
      work,
      'push',
      url('shop.git'),
      'HEAD:refs/heads/try',
    ])
    expect(branch.stderr).toContain('nothing is deployed')
    expect(subject.pushed).toHaveLength(1)
  })

  it('shows who pushes what the deployment writes, as it comes, and ends with it', async () => {
    const callers: Caller[] = []
    let left = 0
    subject.answers.push = (caller) => {
      caller.hold(() => void (left += 1))
      callers.push(caller)
    }
    const pushing = async (text: string) => {
      await commit(text)
      const client = subject.openGit(key, ['-C', work, 'push', url('shop.git'), 'HEAD:main'])
      let shown = ''
      client.stderr.setEncoding('utf8').on('data', (chunk: string) => void (shown += chunk))
      const count = callers.length
      await waitFor(() => expect(callers.length).toBe(count + 1), { timeout: 10_000 })
      const told = (line: string) =>
        waitFor(() => expect(shown).toContain(`remote: ${line}`), { timeout: 10_000 })
      return { client, told, caller: callers[count] as Caller, ended: once(client, 'exit') }
    }
    const first = await pushing('built')
    await first.told('shop is deployed from main')
    first.caller.write('$ npm ci\n')
    await first.told('$ npm ci')
    expect(first.client.exitCode).toBeNull()
    // Its branch has what was pushed while the deployment goes on.
    const head = ['-C', repository(account, 'shop'), 'rev-parse', 'main']
    const asAccount = ['-u', account.username, '--', 'git', ...head]
    expect((await mustRun('runuser', asAccount)).stdout).toMatch(/^[0-9a-f]{40}\n$/)
    first.caller.write('The build failed with exit code 1.\n')
    first.caller.end()
    // A deployment that fails is no push that does.
    expect(await first.ended).toEqual([0, null])
    await first.told('The build failed')
    await waitFor(() => expect(left).toBe(1))
    // Who goes while it is built is forgotten, and leaves nothing behind.
    const second = await pushing('left')
    second.caller.write('$ npm ci\n')
    await second.told('$ npm ci')
    process.kill(-(second.client.pid ?? 0), 'SIGINT')
    await second.ended
    await waitFor(() => expect(left).toBe(2), { timeout: 10_000 })
    subject.answers.push = (caller) => caller.end()
    subject.pushed.splice(1)
  })

  it('runs nothing else', async () => {
    const marks = join(subject.directory, 'marks')
    for (const words of [
      ['id'],
      ['touch', marks],
      ['git-receive-pack', `'shop.git'; touch ${marks}`],
      [`git-receive-pack 'shop.git' 'x'`],
      [`git-upload-pack --upload-pack='touch ${marks}' 'shop.git'`],
      [`git-upload-pack '--exec=touch.git'`],
      [`git-receive-pack '$(touch ${marks}).git'`],
      [`git receive-pack 'shop.git'`],
      [`git-shell -c id`],
      ['scp', '-t', '.'],
      ['rsync', '--server', '.'],
    ]) {
      const { code, stdout } = await ssh(...words)
      expect([words, code === 0, stdout]).toEqual([words, false, ''])
    }
    expect((await ssh()).code).toBe(128)
    expect(existsSync(marks)).toBe(false)
    // Files are reached as before.
    expect((await subject.batch(account.username, ['ls'], { key })).code).toBe(0)
  })

  it('reaches no place but its own repositories', async () => {
    for (const path of [
      'nothing.git',
      '../shop.git',
      `..${repository(other, 'shop')}`,
      repository(other, 'shop').slice(1),
      repository(account, 'shop').slice(1),
      'shop.git/../../shop',
      '%2e%2e/shop.git',
      '-shop.git',
      'etc',
    ])
      expect([path, (await push(url(path))).code === 0]).toEqual([path, false])
    // Another account's, with this key.
    expect((await push(url('shop.git', other.username))).code).not.toBe(0)
    expect(existsSync(join(repository(other, 'shop'), 'refs/heads/main'))).toBe(false)
  })

  it('has no forwarding and no terminal', async () => {
    const { port } = subject
    const to = `${account.username}@127.0.0.1`
    const forward = await subject.client('ssh', ['-W', `127.0.0.1:${port}`, to], { key })
    expect([forward.code === 0, forward.stdout]).toEqual([false, ''])
    const back = ['-o', 'ExitOnForwardFailure=yes', '-N', '-R', '0:127.0.0.1:1', to]
    expect((await subject.client('ssh', back, { key })).code).not.toBe(0)
    expect((await subject.client('ssh', ['-tt', to], { key })).code).not.toBe(0)
  })

  it('has no hook run but ours, and no settings of the repository run anything', async () => {
    const touched = join(account.home, 'touched')
    const place = repository(account, 'shop')
    const as = ['-u', account.username, '--']
    const script = `mkdir -p hooks && for name in pre-receive update post-receive post-update; do
      printf '#!/bin/sh\ntouch ${touched}\n' > hooks/$name; chmod 755 hooks/$name; done
      git config core.hooksPath hooks; git config core.alternateRefsCommand 'touch ${touched}'
      git config uploadpack.packObjectsHook 'touch ${touched}'; git config core.fsmonitor 'touch ${touched}'`
    await mustRun('runuser', [...as, '/bin/sh', '-c', `cd '${place}' && ${script}`])
    await commit('two')
    expect((await push(url('shop.git'))).code).toBe(0)
    const again = join(subject.directory, 'again')
    expect((await subject.git(key, ['clone', '-q', url('shop.git'), again])).code).toBe(0)
    expect(existsSync(touched)).toBe(false)
    await waitFor(() => expect(subject.pushed).toHaveLength(2))
  })

  it('has keys that open one repository alone, to pull or to push, and nothing beside it', async () => {
    await createReleases(true).repository(account, 'blog', 'main')
    const [pull, pushing] = [await subject.newKey(), await subject.newKey()]
    const bound = (id: number, one: KeyPair, access: 'pull' | 'push') => ({
      ...{ id, publicKey: one.publicKey, expiresAt: null },
      repository: { name: 'shop', access },
    })
    const open = { id: 7, publicKey: key.publicKey, expiresAt: null }
    const logins = (shell: boolean, git: boolean) => ({
      ...{ username: account.username, passwords: true, users: [], shell, git },
      keys: [open],
      repositoryKeys: [bound(8, pull, 'pull'), bound(9, pushing, 'push')],
    })
    const to = `${account.username}@127.0.0.1`
    const run = (how: { key?: KeyPair; password?: string }, ...words: string[]) =>
      subject.client('ssh', words, how)
    const pushBy = (one: KeyPair, path: string) =>
      subject.git(one, ['-C', work, 'push', url(path), 'HEAD:refs/heads/by-key'])
    const reads = (one: KeyPair, path: string) => subject.git(one, ['ls-remote', url(path)])
    const password = 'a password'
    // What the account could write down for sshd to take in.
    const ssh = join(account.home, '.ssh')
    const lines = 'SSH_ORIGINAL_COMMAND=id\nPERL5OPT=-Mnothing\n'
    const write = `mkdir -p '${ssh}' && printf '${lines}' > '${ssh}/environment'`
    await mustRun('runuser', ['-u', account.username, '--', '/bin/sh', '-c', write])
    for (const [shell, one, access] of [
      [false, pushing, 'push'],
      [true, pull, 'pull'],
    ] as const) {
      await subject.sftp.setLogins(logins(shell, true))
      expect(await subject.sftp.loginDifferences(logins(shell, true))).toEqual([])
      const refusal = `This key is for the repository shop.git alone, to ${access}.`
      for (const words of [
        [],
        ['id'],
        ['berth-session'],
        ['berth-session push blog'],
        [`git-upload-archive 'shop.git'`],
        [`git-upload-pack 'blog.git'`],
        [`git-receive-pack 'blog.git'`],
        ['/usr/lib/openssh/sftp-server'],
      ]) {
        const { code, stdout, stderr } = await run({ key: one }, to, ...words)
        expect([words, code, stdout, stderr]).toEqual([words, 128, '', `${refusal}\n`])
      }
      for (const options of [
        ['-s', to, 'sftp'],
        ['-o', 'SetEnv=SSH_ORIGINAL_COMMAND=id', to],
        ['-W', `127.0.0.1:${subject.port}`, to],
        ['-o', 'ExitOnForwardFailure=yes', '-N', '-R', '0:127.0.0.1:1', to],
        ['-o', 'ExitOnForwardFailure=yes', '-N', '-w', 'any', to],
        ['-tt', to],
      ]) {
        const { code, stdout } = await run({ key: one }, ...options)
        expect([options, code === 0, stdout.replaceAll('\r\n', '')]).toEqual([
          options,
          false,
          options[0] === '-tt' ? expect.stringMatching(/^(?:|This key is for .*)$/) : '',
        ])
      }
      expect((await reads(one, 'shop.git')).code).toBe(0)
      expect((await pushBy(pull, 'shop.git')).stderr).toContain('alone, to pull.')
      expect((await pushBy(pushing, 'shop.git')).code).toBe(0)
      // Others of the account, and its password, are as they were.
      expect((await reads(key, 'blog.git')).code).toBe(0)
      for (const how of [{ key }, { password }]) {
        const { code, stdout } = await run(how, to, 'id', '-un')
        expect([code, stdout.trim()]).toEqual(shell ? [0, account.username] : [128, ''])
        expect((await subject.batch(account.username, ['ls'], how)).code).toBe(0)
      }
    }
    const listed = ['ls']
    await subject.sftp.hooks.close(account)
    for (const one of [pull, pushing]) expect((await reads(one, 'shop.git')).code).toBe(128)
    await subject.sftp.hooks.open(account)
    expect((await reads(pull, 'shop.git')).code).toBe(0)
    // Without a room only a jail would wait for them, which knows no repositories.
    await subject.sftp.setLogins(logins(false, false))
    for (const one of [pull, pushing])
      expect((await subject.batch(account.username, listed, { key: one })).code).not.toBe(0)
    expect((await subject.batch(account.username, listed, { key })).code).toBe(0)
    // Once there are none, sshd forces the command again.
    await subject.sftp.setLogins({ ...logins(true, true), repositoryKeys: [] })
    expect((await reads(pull, 'shop.git')).code).toBe(128)
    expect((await run({ key }, to, 'id', '-un')).stdout.trim()).toBe(account.username)
  })

  it('gets nowhere once it has no repository, and with a shell keeps what it can', async () => {
    await give(account, { git: false })
    expect((await push(url('shop.git'))).code).not.toBe(0)
    expect((await subject.batch(account.username, ['ls'], { key })).code).toBe(0)
    await give(account, { git: true, shell: true })
    expect((await ssh('id', '-un')).stdout.trim()).toBe(account.username)
    await commit('three')
    expect((await push(url('shop.git'))).code).toBe(0)
    await give(account, { git: true })
    expect((await ssh('id', '-un')).code).toBe(128)
  })
})
