import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'
import { createAgentFixture } from './agent-fixture.ts'
import type { AgentFixture } from './agent-fixture.ts'

const SSHD = '/usr/sbin/sshd'

/** The sshd that Debian configures: an external program for SFTP, a shell for whoever has one. */
describe('an account at the sshd of its host', () => {
  let host: AgentFixture
  let user: OsUser
  let directory: string
  let client: string[]
  let stop = (): Promise<unknown> => Promise.resolve()
  beforeEach((context) => context.skip(!existsSync(SSHD), 'there is no sshd here'))
  beforeAll(async () => {
    if (!existsSync(SSHD)) return
    host = await createAgentFixture()
    user = await host.account()
    directory = await mkdtemp(join(tmpdir(), 'bnosh-'))
    const [port = 0] = await freePorts(1)
    for (const name of ['host', 'client'])
      await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, name)])
    await writeFile(join(directory, 'known'), '')
    await writeFile(join(directory, 'keys'), await readFile(join(directory, 'client.pub')), {
      mode: 0o644,
    })
    await mustRun('/bin/chmod', ['755', directory])
    await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
    await writeFile(
      join(directory, 'config'),
      `Port ${port}
ListenAddress 127.0.0.1
HostKey ${join(directory, 'host')}
PidFile none
AuthorizedKeysFile ${join(directory, 'keys')}
StrictModes no
UsePAM no
Subsystem sftp /usr/lib/openssh/sftp-server
`,
    )
    const child = spawn(SSHD, ['-D', '-e', '-f', join(directory, 'config')], { stdio: 'ignore' })
    stop = async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    await untilListening(port, 30_000)
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR']
    client = [
      ...[...options, `UserKnownHostsFile=${join(directory, 'known')}`].flatMap((one) => [
        '-o',
        one,
      ]),
      ...['-i', join(directory, 'client'), '-P', String(port)],
    ]
  })
  afterAll(async () => {
    await stop()
    await host?.dispose()
    if (directory) await rm(directory, { recursive: true, force: true })
  })

  it('runs no command, with a terminal or without', async () => {
    const to = `${user.username}@127.0.0.1`
    const args = client.map((one) => (one === '-P' ? '-p' : one))
    for (const more of [['id'], ['-tt'], ['sh', '-c', 'id'], ['-s', 'sftp;id']]) {
      const flags = more.filter((one) => one.startsWith('-t') || one === '-s')
      const words = more.filter((one) => !flags.includes(one))
      const ran = await runCommand('/usr/bin/ssh', [...args, ...flags, to, ...words], {
        input: 'id\ntouch made-by-a-shell\nexit\n',
        timeoutMs: 20_000,
      })
      expect(ran.stdout).not.toContain(`uid=${user.uid}`)
      // It did log in: there was something to refuse.
      expect(ran.stderr).not.toMatch(/connect|permission denied|verification failed|timed out/i)
    }
    expect(existsSync(join(user.home, 'made-by-a-shell'))).toBe(false)
  })

  it('reaches its files by SFTP', async () => {
    const file = join(directory, 'upload.txt')
    await writeFile(file, 'by SFTP')
    await writeFile(join(directory, 'batch'), `put ${file} public_html/upload.txt\n`)
    const batch = ['-b', join(directory, 'batch')]
    await mustRun('/usr/bin/sftp', [...client, ...batch, `${user.username}@127.0.0.1`])
    expect(await readFile(join(user.home, 'public_html/upload.txt'), 'utf8')).toBe('by SFTP')
  })
})
