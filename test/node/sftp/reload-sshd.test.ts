import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listeningInodes } from '#adapters/node/process/ports/listening-inodes.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { reloadSshd } from '#adapters/node/sshd/reload-sshd.ts'
import { createSshdConfig, SSHD } from '#adapters/node/sshd/sshd-settings.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'

// Outside of /tmp: sshd trusts nothing there.
const directory = mkdtempSync('/run/bsshd-')
chmodSync(directory, 0o755)
const at = (name: string): string => join(directory, name)
let stop = (): Promise<unknown> => Promise.resolve()

afterAll(async () => {
  await stop()
  rmSync(directory, { recursive: true, force: true })
})

test.each(['none', at('sshd.pid')])(
  'an sshd with PidFile %s reads its configuration again, and answers when it has',
  async (pidFile) => {
    const [port = 0, second = 0] = await freePorts(2)
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    for (const file of ['host', 'host.pub']) rmSync(at(file), { force: true })
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('host')])
    const write = (ports: readonly number[]): void =>
      writeFileSync(
        at('sshd_config'),
        [
          ...ports.map((one) => `ListenAddress 127.0.0.1:${one}`),
          ...[`HostKey ${at('host')}`, `PidFile ${pidFile}`, ''],
        ].join('\n'),
      )
    write([port])
    const child = spawn(SSHD, ['-D', '-f', at('sshd_config')], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    stop = () => {
      child.kill('SIGTERM')
      return ended
    }
    await untilListening(port, 30_000)
    write([port, second])
    const settings = await createSshdConfig(SSHD, at('sshd_config')).settings('root')
    const said: string[] = []
    const note = (message: string): void => void said.push(message)
    await reloadSshd(settings, { info: note, warn: note, error: note })
    expect(said).toEqual(['sshd reads its configuration again'])
    expect(listeningInodes(second).size).toBe(1)
    await stop()
  },
)
