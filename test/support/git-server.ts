import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { freePorts } from './free-ports.ts'

/** A repository with a working copy behind a real sshd. */
export interface GitServer {
  /** `ssh://…`, for whoever has an allowed key. */
  url: string
  /** Of the working copy. */
  directory: string
  allow(publicKey: string): void
  /** Writes files, by path, and commits all that there is. */
  commit(files: Record<string, string>, subject?: string): Promise<void>
  git(...args: string[]): Promise<string>
  stop(): Promise<void>
}

/** Starts one; its branch is `main`. */
export const startGitServer = async (): Promise<GitServer> => {
  const directory = await mkdtemp(join(tmpdir(), 'git-server-'))
  const work = join(directory, 'work')
  await mkdir(work)
  const git = async (...args: string[]): Promise<string> => {
    const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com']
    return (await mustRun('git', ['-C', work, ...who, ...args])).stdout
  }
  await mustRun('git', ['init', '-q', '-b', 'main', '--', work])
  const [port = 0] = await freePorts(1)
  const hostKey = join(directory, 'host-key')
  await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  mkdirSync('/run/sshd', { recursive: true })
  const allowed = join(directory, 'allowed')
  writeFileSync(allowed, '', { mode: 0o644 })
  const sshd = spawn(
    '/usr/sbin/sshd',
    [
      ...['-D', '-e', '-f', '/dev/null', '-o', `HostKey=${hostKey}`, '-p', String(port)],
      ...['-o', 'ListenAddress=127.0.0.1', '-o', `AuthorizedKeysFile=${allowed}`],
      ...['-o', 'StrictModes=no', '-o', 'PermitRootLogin=yes', '-o', 'UsePAM=no'],
      ...['-o', 'PasswordAuthentication=no', '-o', `PidFile=${directory}/sshd.pid`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  await once(sshd.stderr, 'data')
  sshd.stderr.resume()
  return {
    url: `ssh://root@localhost:${port}${work}`,
    directory: work,
    git,
    allow: (publicKey) => writeFileSync(allowed, `restrict ${publicKey}\n`, { flag: 'a' }),
    async commit(files, subject = 'A change') {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, path)), { recursive: true })
        writeFileSync(join(work, path), text)
      }
      await git('add', '-A')
      await git('commit', '-qm', subject)
    },
    async stop() {
      sshd.kill('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}
