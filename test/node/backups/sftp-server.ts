import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'

/** A real sshd with internal-sftp on a private port, for root by one key; `dispose` ends it. */
export const startSftpServer = async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'bsftp-'))
  const at = (name: string): string => path.join(directory, name)
  const [port = 0] = await freePorts(1)
  for (const name of ['host', 'client'])
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)])
  await writeFile(at('authorized'), await readFile(at('client.pub')))
  await chmod(at('authorized'), 0o600)
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  await writeFile(
    at('sshd_config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
PidFile none
AuthorizedKeysFile ${at('authorized')}
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
`,
  )
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], { stdio: 'ignore' })
  await untilListening(port, 30_000)
  const { stdout } = await mustRun('ssh-keygen', ['-lf', at('host.pub')])
  return {
    port,
    directory: at('store'),
    privateKeyFile: at('client'),
    fingerprint: stdout.split(' ')[1] ?? '',
    async dispose() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}
