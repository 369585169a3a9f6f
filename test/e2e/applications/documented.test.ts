import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { blocksOf, commandsOf, sectionOf } from '#test/support/page-commands.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { Tenant } from '#test/support/tenant.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'

/** docs/applications.md, as a stranger follows it: what it says is typed, over a real sshd too. */
const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/applications.md'), 'utf8')

// Outside of /tmp: sshd trusts nothing there.
const directory = mkdtempSync('/run/bapp-')
chmodSync(directory, 0o755)
const at = (name: string): string => join(directory, name)
let port = 0
let stop = (): Promise<unknown> => Promise.resolve()
let alice: Tenant
let berth: Berth

beforeAll(async () => {
  ;[port = 0] = await freePorts(1)
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  for (const name of ['host', 'laptop'])
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)])
  const lines = [`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${at('host')}`]
  writeFileSync(
    at('sshd_config'),
    [
      ...[`Include ${at('sshd_config.d')}/*.conf`, ...lines, 'PidFile none'],
      ...['UsePAM yes', 'Subsystem sftp /usr/lib/openssh/sftp-server', ''],
    ].join('\n'),
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
  ...{ parent: '/run', settings: { databases: 'mariadb = "off"' } },
  append: `[ssh]\nsftp = true\nhost = "127.0.0.1"\nconfig_file = "${at('sshd_config')}"`,
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

const section = (heading: string): string => sectionOf(PAGE, heading)
/** Commands of a section for the account of this test, as words. */
const commands = (text: string): string[][] =>
  commandsOf(
    text.replaceAll('alice.example', alice.domain).replaceAll(/\balice\b/g, alice.username),
  )
/** Carries out those of `berth`; what the last one said. */
const carryOut = async (lines: readonly (readonly string[])[]): Promise<string> => {
  let said = ''
  for (const [program, group, what, ...words] of lines) {
    if (program !== 'berth') continue
    const from = words.indexOf('<')
    const typed = from < 0 ? words : words.slice(0, from)
    const { code, stdout, stderr } = await berth.run(
      `${group} ${what}`,
      typed,
      from < 0 ? {} : { input: 'a secret\n' },
    )
    expect([what, code, stderr]).toEqual([what, 0, expect.anything()])
    said = stdout
  }
  return said
}
const page = async (path = '/') => (await instance.site(alice.domain, path)).text

test('a Node application answers', async () => {
  const text = section('A Node application')
  const [manifest = ''] = blocksOf(text, 'json')
  const [server = ''] = blocksOf(text, 'js')
  const lines = commands(text)
  expect(lines.map(([, , what]) => what).slice(0, 5)).toEqual([
    ...['create', 'env-set', 'secret-set', 'deploy', 'bind'],
  ])
  await carryOut(lines.slice(0, 1))
  await alice.put('apps/shop/package.json', manifest)
  await alice.put('apps/shop/server.js', server)
  await carryOut(lines.slice(1))
  expect(await page()).toBe('<h1>Hello from Alice</h1>\n')
})

test('it is deployed by a push, which shows what is done', async () => {
  const lines = commands(section('Push to it with git'))
  await berth.ok('ssh-keys add', [alice.username, 'laptop', '--file', at('laptop.pub')])
  await carryOut(lines)
  const work = at('work')
  const settings = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR']
  const ssh = [...settings, 'BatchMode=yes', `UserKnownHostsFile=${at('known')}`]
  const env = {
    ...{ HOME: directory, PATH: '/usr/bin:/bin', GIT_TERMINAL_PROMPT: '0' },
    GIT_SSH_COMMAND: `/usr/bin/ssh -i ${at('laptop')} ${ssh.map((one) => `-o ${one}`).join(' ')}`,
  }
  const git = (...args: string[]) => mustRun('git', ['-C', work, ...args])
  await mustRun('git', ['init', '-q', '-b', 'main', '--', work])
  const text = section('A Node application')
  writeFileSync(join(work, 'package.json'), blocksOf(text, 'json')[0] ?? '')
  writeFileSync(
    join(work, 'server.js'),
    (blocksOf(text, 'js')[0] ?? '').replace('Hello from', 'Pushed by'),
  )
  await git('add', '-A')
  await git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qm', 'one')
  let shown = ''
  for (const [program, ...words] of lines) {
    if (program !== 'git') continue
    const typed = words.map((word) => word.replace('@panel.example/', `@127.0.0.1:${port}/`))
    const { code, stderr } = await runCommand('/usr/bin/git', ['-C', work, ...typed], {
      ...{ timeoutMs: 90_000, env },
    })
    expect([typed[0], code, stderr]).toEqual([typed[0], 0, expect.anything()])
    shown = stderr
  }
  // It has been shown to its end: visitors have it at once.
  expect(shown).toMatch(/^remote: .*npm install/m)
  expect(await page()).toBe('<h1>Pushed by Alice</h1>\n')
  const list = await berth.ok('app deployments', [alice.username, 'shop'])
  expect(list).toMatch(/live/)
})

test('a Python application of the standard library answers', async () => {
  const text = section('A Python application')
  const [program = ''] = blocksOf(text, 'python').filter((one) => one.includes('serve_forever'))
  const lines = commands(text).filter((line) => line.includes('plain'))
  expect(lines).toHaveLength(1)
  await carryOut(lines)
  await alice.put('apps/plain/server.py', program)
  await berth.ok('app deploy', [alice.username, 'plain'])
  await berth.ok('app bind', [alice.username, 'plain', alice.domain, '--path', '/python'])
  expect(await page('/python')).toBe('<h1>Hello from Python</h1>\n')
})
