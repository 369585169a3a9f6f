import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { beginResident, Berth, endResident } from '../support/run-berth.ts'

// Outside of /tmp: sshd trusts nothing there.
const directory = mkdtempSync('/run/bssh-')
chmodSync(directory, 0o755)
const at = (name: string): string => join(directory, name)
let port = 0
let stop = (): Promise<unknown> => Promise.resolve()
let alice: Tenant
let berth: Berth

beforeAll(beginResident)
afterAll(endResident)
beforeAll(async () => {
  ;[port = 0] = await freePorts(1)
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  for (const name of ['host', 'laptop'])
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'my box', '-f', at(name)])
  writeFileSync(at('known'), '')
  writeFileSync(
    at('sshd_config'),
    `Include ${at('sshd_config.d')}/*.conf
Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
PidFile ${at('sshd.pid')}
UsePAM yes
Subsystem sftp /usr/lib/openssh/sftp-server
`,
  )
  const child = spawn('/usr/sbin/sshd', ['-D', '-f', at('sshd_config')], { stdio: 'ignore' })
  stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  await untilListening(port, 30_000)
})
shareInstance({
  parent: '/run',
  append: `[ssh]\nsftp = true\nhost = "sftp.example.com"\nconfig_file = "${at('sshd_config')}"`,
})

beforeAll(async () => {
  alice = await Tenant.create(panel)
  berth = new Berth('--config', instance.config.file)
})
afterAll(async () => {
  berth?.remove()
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

const transfer = (lines: string[], username = alice.username) =>
  runCommand(
    '/usr/bin/sftp',
    [
      ...['BatchMode=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR', 'IdentitiesOnly=yes'],
      `UserKnownHostsFile=${at('known')}`,
    ]
      .flatMap((one) => ['-o', one])
      .concat(['-i', at('laptop'), '-P', String(port), '-b', '-', `${username}@127.0.0.1`]),
    { input: lines.map((line) => `${line}\n`).join(''), timeoutMs: 20_000 },
  )
const list = () => transfer(['pwd', 'ls'])

describe('sftp and ssh-keys', () => {
  test('a key is added, opens the account, and does no more when it is removed', async () => {
    expect((await list()).code).not.toBe(0)
    const file = ['--file', at('laptop.pub')]
    const made = await berth.json('ssh-keys add', [alice.username, 'laptop', ...file])
    const shown = await mustRun('ssh-keygen', ['-lf', at('laptop.pub')])
    const fingerprint = shown.stdout.split(' ')[1] ?? ''
    expect(made).toMatchObject({ name: 'laptop', type: 'ssh-ed25519', fingerprint })
    const { code, stdout } = await list()
    expect([code, stdout]).toEqual([0, expect.stringContaining('public_html')])
    expect(await berth.ok('ssh-keys list', [alice.username])).toContain(fingerprint)
    const key = ['--key', (await readFile(at('laptop.pub'), 'utf8')).trim()]
    await waitFor(async () => {
      const [login] = (await berth.json('sftp logins', [alice.username])) as unknown[]
      const seen = {
        login: alice.username,
        address: '127.0.0.1',
        way: 'key',
        key_name: 'laptop',
        kind: 'sftp',
      }
      expect(login).toMatchObject({ ...seen, fingerprint, ended_at: expect.any(String) })
    })
    expect(await berth.ok('sftp logins', ['--q', '127.0.0.1'])).toContain('key laptop')
    expect(await berth.ok('ssh-keys list', [alice.username])).toMatch(/LAST USED/)
    const again = await berth.run('ssh-keys add', [alice.username, 'again', ...key])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')])

    const to = [alice.username, 'laptop']
    await berth.ok('ssh-keys update', [...to, '--name', 'desk', '--expires', '2040-01-31'])
    expect(await berth.ok('ssh-keys list')).toMatch(/desk +ssh-ed25519 .* 2040-01-31 00:00:00/)
    const never = await berth.json('ssh-keys update', [alice.username, 'desk', '--no-expiry'])
    expect(never).toMatchObject({ name: 'desk', expires_at: null })
    await berth.ok('ssh-keys delete', [alice.username, fingerprint, '--yes'])
    expect((await list()).code).not.toBe(0)
    expect((await berth.run('ssh-keys delete', [...to, '--yes'])).stderr).toContain('no SSH key')
  })

  test('a user for one folder reaches that folder, by a key or a password of its own', async () => {
    const { username } = alice
    const made = ['web', 'public_html', '--password', 'a further secret']
    await berth.ok('sftp-users create', [username, ...made])
    expect(await berth.ok('sftp-users list', [username])).toMatch(/_web +public_html/)
    const file = ['--file', at('laptop.pub'), '--user', 'web']
    await berth.ok('ssh-keys add', [username, 'agency', ...file])
    const { code, stdout } = await transfer(['pwd', 'ls -a /'], `${username}_web`)
    expect([code, stdout]).toEqual([0, expect.stringContaining('/files')])
    expect((await list()).code).not.toBe(0)
    const nowhere = ['--folder', 'nowhere', '--no-password', '--read-only', 'on']
    await berth.ok('sftp-users update', [username, 'web', ...nowhere])
    expect(await berth.ok('sftp-users list')).toContain('is not there')
    expect((await transfer(['ls'], `${username}_web`)).code).not.toBe(0)
    await berth.ok('sftp-users delete', [username, 'web', '--yes'])
    expect((await berth.run('sftp-users delete', [username, 'web', '--yes'])).stderr).toContain(
      'no SFTP user',
    )
  })

  test('a key for the repository of an application opens that alone, as long as there is one', async () => {
    const { username } = alice
    const shop = ['--runtime', 'none', '--git', 'push', '--start', 'none']
    const build = ['--build', 'echo built; sleep 3; echo further']
    await berth.ok('app create', [username, 'shop', ...shop, ...build])
    const file = ['--file', at('laptop.pub'), '--application', 'shop']
    const made = await berth.json('ssh-keys add', [username, 'ci', ...file])
    expect(made).toMatchObject({ access: 'read', application_id: expect.any(Number) })
    expect(await berth.ok('ssh-keys list', [username])).toContain('shop.git to read')
    const ssh = [
      'BatchMode=yes',
      'StrictHostKeyChecking=no',
      'LogLevel=ERROR',
      'IdentitiesOnly=yes',
    ]
      .concat(`UserKnownHostsFile=${at('known')}`)
      .flatMap((one) => ['-o', one])
    const git = (...words: string[]) =>
      runCommand('/usr/bin/git', words, {
        env: {
          ...{ HOME: directory, PATH: '/usr/bin:/bin' },
          GIT_SSH_COMMAND: ['/usr/bin/ssh', ...ssh, '-i', at('laptop')].join(' '),
        },
        timeoutMs: 20_000,
      })
    const url = `ssh://${username}@127.0.0.1:${port}/shop.git`
    const work = at('work')
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com']
    await mustRun('git', ['init', '-q', '-b', 'try', '--', work])
    await mustRun('git', ['-C', work, ...who, 'commit', '-q', '--allow-empty', '-m', 'one'])
    const push = () => git('-C', work, 'push', url, 'HEAD:refs/heads/try')
    expect((await git('ls-remote', url)).code).toBe(0)
    expect((await push()).stderr).toContain('shop.git alone, to pull')
    expect((await list()).code).not.toBe(0)
    await berth.ok('ssh-keys update', [username, 'ci', '--access', 'write'])
    expect((await push()).code).toBe(0)
    // Who pushes to its branch is shown how it is built.
    const deployed = await git('-C', work, 'push', url, 'HEAD:refs/heads/main')
    expect([deployed.code, deployed.stderr]).toEqual([
      0,
      expect.stringMatching(
        /remote: \$ echo built[^]*remote: built *\n[^]*remote: further *\n[^]*remote: shop is live\./,
      ),
    ])
    await berth.ok('app delete', [username, 'shop', '--yes'])
    expect((await git('ls-remote', url)).code).not.toBe(0)
    expect((await berth.run('ssh-keys delete', [username, 'ci', '--yes'])).stderr).toContain(
      'no SSH key',
    )
  })

  test('a shell is given where the plan allows it, runs commands, and is taken again', async () => {
    const { username } = alice
    await berth.ok('ssh-keys add', [username, 'shell', '--file', at('laptop.pub')])
    const run = (...words: string[]) =>
      runCommand(
        '/usr/bin/ssh',
        [
          ...['BatchMode=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR', 'IdentitiesOnly=yes'],
          `UserKnownHostsFile=${at('known')}`,
        ]
          .flatMap((one) => ['-o', one])
          .concat(['-i', at('laptop'), '-p', String(port), `${username}@127.0.0.1`, ...words]),
        { timeoutMs: 20_000 },
      )
    expect((await run('id', '-un')).stdout).not.toContain(username)
    const refused = await berth.run('sftp shell', [username, 'on'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no shell')])
    expect((await berth.run('sftp shell', [username, 'maybe'])).code).toBe(2)
    const { plan } = (await berth.json('accounts show', [username])) as { plan: string }
    await berth.ok('plans update', [plan, '--shells', '1'])
    expect(await berth.ok('sftp shell', [username, 'on'])).toContain('yes, with rsync and scp')
    expect((await run('id', '-un')).stdout.trim()).toBe(username)
    expect((await run('php', '-r', "'echo 6 * 7;'")).stdout).toBe('42')
    expect(await berth.ok('sftp show', [username])).toContain(`ssh -p ${port} ${username}@`)
    // Its pages are made new, and with the agent it comes back.
    expect((await run('echo new > public_html/by-shell.html')).code).toBe(0)
    await instance.kill('agent')
    await instance.untilReady()
    await waitFor(async () => expect((await run('id', '-un')).stdout.trim()).toBe(username), {
      timeout: 20_000,
      interval: 500,
    })
    // The plan takes it, with what runs.
    const running = run('sleep', '300')
    await waitFor(async () => expect((await run('pgrep', '-x', 'sleep')).code).toBe(0), {
      timeout: 20_000,
      interval: 500,
    })
    await berth.ok('plans update', [plan, '--shells', '0'])
    expect((await running).code).not.toBe(0)
    expect(await berth.ok('sftp show', [username])).toContain('its plan allows none')
    await berth.ok('sftp shell', [username, 'off'])
    await berth.ok('ssh-keys delete', [username, 'shell', '--yes'])
  })

  test('says how the account is reached, and switches passwords off', async () => {
    const text = await berth.ok('sftp show', [alice.username])
    expect(text).toContain(`sftp -P ${port} ${alice.username}@sftp.example.com`)
    expect(text).toMatch(/Host key: +ssh-ed25519 SHA256:/)
    const off = await berth.ok('sftp update', [alice.username, '--passwords', 'off'])
    expect(off).toContain('keys alone')
    expect(await berth.json('sftp show', [alice.username])).toMatchObject({ passwords: false })
  })

  test('files stay whole when the agent is killed while its jails stand, and it makes them again', async () => {
    const key = ['--key', (await readFile(at('laptop.pub'), 'utf8')).trim()]
    await berth.ok('ssh-keys add', [alice.username, 'again', ...key])
    expect((await list()).stdout).toContain('public_html')
    // What it changes is new for visitors, as by the file manager.
    writeFileSync(at('page.html'), 'new')
    expect((await transfer([`put ${at('page.html')} public_html/page.html`])).code).toBe(0)
    await waitFor(async () => {
      const seen = await panel.data<unknown>('GET', `/api/cache/${alice.domain}`)
      expect(JSON.stringify(seen)).toContain('"cause":"files"')
    })
    await instance.kill('agent')
    await instance.untilReady()
    expect((await list()).stdout).toContain('public_html')
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/${alice.username}`)
  })

  test('refuses what is no key before it asks', async () => {
    for (const args of [[], ['--file', 'a', '--key', 'b'], ['--file', '/nonexistent/key.pub']])
      expect((await berth.run('ssh-keys add', [alice.username, 'x', ...args])).code).not.toBe(0)
    const bad = await berth.run('ssh-keys add', [alice.username, 'x', '--key', 'ssh-rsa AAAA'])
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('not whole')])
  })
})
