import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { fetchSource } from '#adapters/node/agent/applications/git/fetch-source.ts'
import { createCronPort } from '#adapters/node/agent/cron/cron-port.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import type { CronPort } from '#handlers/ports/host/cron.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { applicationSpec, createApplicationsFixture } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'

/** Runs git in a repository of the test's own; throws what it says where it fails. */
export const gitIn = (directory: string, ...args: string[]) =>
  mustRun('git', [
    ...['-C', directory, '-c', 'user.name=T', '-c', 'user.email=t@example.com'],
    ...['-c', 'protocol.file.allow=always', ...args],
  ])

export const initRepository = async (directory: string): Promise<void> => {
  mkdirSync(directory, { recursive: true })
  await mustRun('git', ['init', '-q', '-b', 'main', '--', directory])
}

/** A real sshd at which repositories lie that the deploy key of a real application `shop` may read. */
export interface SourceFixture {
  on: ApplicationsFixture
  service: ApplicationsService
  cron: CronPort
  urlOf(directory: string): string
  /** Whether addresses of this machine may be asked; at first they may. */
  allowLocal(may: boolean): void
  dispose(): Promise<void>
}

export const createSourceFixture = async (): Promise<SourceFixture> => {
  const on = await createApplicationsFixture()
  const service = on.createService()
  await service.start()
  const { directory, registry, runDir, log } = on.host
  let mayBeLocal = true
  const cron = createCronPort({
    ...{ registry, runDir, log },
    asRoot: true,
    phpVersions: async () => [],
    surroundings: (...of) => service.surroundings(...of),
    source: (program, asking) => fetchSource(program, asking, mayBeLocal),
    waitMs: 500,
  })
  const [port = 0] = await freePorts(1)
  const hostKey = join(directory, 'host-key')
  await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  await service.put({ spec: applicationSpec(on.account.username, 'shop'), secrets: {} })
  const { publicKey } = await service.deployKey({ username: on.account.username, name: 'shop' })
  writeFileSync(join(directory, 'allowed'), `restrict ${publicKey}\n`, { mode: 0o644 })
  mkdirSync('/run/sshd', { recursive: true })
  const sshd = spawn(
    '/usr/sbin/sshd',
    [
      ...['-D', '-e', '-f', '/dev/null', '-o', `HostKey=${hostKey}`, '-p', String(port)],
      ...['-o', 'ListenAddress=127.0.0.1', '-o', `AuthorizedKeysFile=${directory}/allowed`],
      ...['-o', 'StrictModes=no', '-o', 'PermitRootLogin=yes', '-o', 'UsePAM=no'],
      ...['-o', 'PasswordAuthentication=no', '-o', `PidFile=${directory}/sshd.pid`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await once(sshd.stderr, 'data')
  return {
    ...{ on, service, cron },
    urlOf: (at) => `ssh://root@localhost:${port}${at}`,
    allowLocal: (may) => (mayBeLocal = may),
    async dispose() {
      sshd.kill('SIGKILL')
      await cron.stopAll()
      await on.dispose()
    },
  }
}
