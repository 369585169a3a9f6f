import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Caller } from '#adapters/node/agent/sftp/sessions/session-logs.ts'
import { JAILS } from '#adapters/node/agent/sftp/jails.ts'
import { ROOMS } from '#adapters/node/agent/sftp/shells/shell-rooms.ts'
import { createSftpPort, type SftpDeps } from '#adapters/node/agent/sftp/sftp-port.ts'
import { mustRun, runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { createAgentFixture } from '#test/node/agent/agent-fixture.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { untilListening } from '#test/support/waiting/until-listening.ts'

const SSHD = '/usr/sbin/sshd'

/** A pair of keys: the file of the private one, and the public one as type and base64. */
export interface KeyPair {
  file: string
  publicKey: string
}

/** A session that somebody is in. */
export interface OpenSession {
  /** How the client ended. */
  ended: Promise<{ code: number }>
}

/**
 * Accounts over a real sshd on a port of its own, configured as Debian does it, to which our
 * drop-in is added. It lies outside of `/tmp`, where sshd trusts nothing.
 */
export const createSftpHost = async (options: { ownPort?: boolean; include?: string } = {}) => {
  // Homes cannot lie in /tmp, which is each account's own where it has a shell.
  const host = await createAgentFixture({ base: '/srv' })
  const directory = await mkdtemp('/run/bsftp-')
  await chmod(directory, 0o755)
  const at = (...names: string[]): string => join(directory, ...names)
  const [port = 0, ownPort = 0] = await freePorts(2)
  await mkdir(at('ssh'))
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 })
  await writeFile(at('known'), '')
  await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('ssh', 'host_key')])
  const configFile = at('ssh', 'sshd_config')
  await writeFile(
    configFile,
    `${options.include ?? `Include ${at('ssh', 'sshd_config.d')}/*.conf`}
Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('ssh', 'host_key')}
PidFile ${at('ssh', 'sshd.pid')}
KbdInteractiveAuthentication no
UsePAM yes
X11Forwarding yes
PrintMotd no
PermitTunnel yes
PermitUserRC yes
PermitUserEnvironment yes
AcceptEnv LANG LC_*
Subsystem sftp /usr/lib/openssh/sftp-server
`,
  )
  const logged: string[] = []
  const note = (message: string, fields?: object): void =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const child = spawn(SSHD, ['-D', '-f', configFile], { stdio: 'ignore' })
  const endSshd = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  await untilListening(port, 30_000)
  const places = {
    rooms: at('run', 'sftp', ROOMS),
    jails: at('run', 'sftp', JAILS),
    keys: at('state', 'keys'),
  }
  const dropIn = {
    ...{ sshd: SSHD, configFile, places, owner: at('state') },
    port: options.ownPort === true ? ownPort : 0,
  }
  const purged: string[] = []
  /** What was pushed: account, application, branch. */
  const pushed: string[] = []
  /** What who pushed is told. */
  const answers = { push: (caller: Caller): void => caller.end() }
  const deps: SftpDeps = {
    pushed(username, name, branch, caller) {
      pushed.push(`${username} ${name} ${branch}`)
      answers.push(caller)
    },
    registry: host.registry,
    lock: host.lock,
    dropIn,
    off: '',
    purge: async (domain) => void purged.push(domain),
    host: null,
    tmp: at('state', 'tmp'),
    sockets: [at('sockets')],
    phpBinary: async (version) => (version === null ? '/bin/echo' : null),
    log: { info: note, warn: note, error: note },
  }
  const sftp = createSftpPort(deps)
  Object.assign(host.logins, sftp.hooks)

  let serial = 0
  const ask = async (password: string | undefined): Promise<Record<string, string>> => {
    if (password === undefined) return {}
    const program = at(`ask-${(serial += 1)}`)
    await writeFile(program, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 })
    return { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' }
  }
  const settingsOf = (byPassword: boolean): string[] =>
    [
      'StrictHostKeyChecking=no',
      `UserKnownHostsFile=${at('known')}`,
      'LogLevel=ERROR',
      'IdentitiesOnly=yes',
      'NumberOfPasswordPrompts=1',
      `BatchMode=${byPassword ? 'no' : 'yes'}`,
      `PreferredAuthentications=${byPassword ? 'password' : 'publickey'}`,
    ].flatMap((one) => ['-o', one])
  const client = async (
    program: 'ssh' | 'sftp' | 'scp',
    args: readonly string[],
    {
      key,
      password,
      input = '',
      to = port,
      timeoutMs = 20_000,
    }: { key?: KeyPair; password?: string; input?: string; to?: number; timeoutMs?: number },
  ): Promise<CommandResult> => {
    const settings = settingsOf(password !== undefined)
    const identity = key === undefined ? [] : ['-i', key.file]
    const flag = program === 'ssh' ? '-p' : '-P'
    return runCommand(
      `/usr/bin/${program}`,
      [...settings, ...identity, flag, String(to), ...args],
      { input, timeoutMs, env: await ask(password) },
    )
  }
  /** rsync(1) over that ssh; a place of the account is written `:path`. */
  const rsync = (username: string, key: KeyPair, args: readonly string[]) => {
    const shell = ['/usr/bin/ssh', ...settingsOf(false), '-i', key.file, '-p', String(port)]
    const places = args.map((arg) => (arg.startsWith(':') ? `${username}@127.0.0.1${arg}` : arg))
    return runCommand('/usr/bin/rsync', ['-e', shell.join(' '), ...places], { timeoutMs: 20_000 })
  }
  /** git(1) over that ssh. */
  const gitEnv = (key: KeyPair) => ({
    HOME: directory,
    PATH: '/usr/bin:/bin',
    GIT_SSH_COMMAND: ['/usr/bin/ssh', ...settingsOf(false), '-i', key.file].join(' '),
    GIT_TERMINAL_PROMPT: '0',
  })
  const git = (key: KeyPair, args: readonly string[]) =>
    runCommand('/usr/bin/git', [...args], { timeoutMs: 60_000, env: gitEnv(key) })
  /** The same, to be looked at while it runs, in a group of its own as at a terminal. */
  const openGit = (
    key: KeyPair,
    args: readonly string[],
  ): ChildProcessByStdio<null, null, Readable> =>
    spawn('/usr/bin/git', args, {
      ...{ env: gitEnv(key), detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    })
  /** Not those that have ended and that nobody asked about, nor other programs of the account. */
  const hasSession = async (uid: number): Promise<boolean> =>
    (await runCommand('/usr/bin/pgrep', ['-r', 'R,S,D', '-u', String(uid), 'sshd'])).code === 0
  return {
    ...{
      host,
      sftp,
      deps,
      purged,
      pushed,
      answers,
      hasSession,
      directory,
      configFile,
      dropIn,
      port,
      ownPort,
      places,
      logged,
      client,
      git,
      openGit,
      rsync,
    },
    dropInFile: at('ssh', 'sshd_config.d', 'berth.conf'),
    async newKey(): Promise<KeyPair> {
      const file = at(`key-${(serial += 1)}`)
      await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
      const [type, base64] = (await readFile(`${file}.pub`, 'utf8')).split(' ')
      return { file, publicKey: `${type} ${base64}` }
    },
    /** Commands of sftp(1); what it wrote, on both outputs. */
    async batch(
      username: string,
      lines: readonly string[],
      how: { key?: KeyPair; password?: string; to?: number },
    ): Promise<CommandResult> {
      const file = at(`batch-${(serial += 1)}`)
      await writeFile(file, lines.map((line) => `${line}\n`).join(''))
      // With -b it would not ask for a password.
      const flags = how.password === undefined ? ['-b', file] : []
      const input = how.password === undefined ? '' : await readFile(file, 'utf8')
      return client('sftp', [...flags, `${username}@127.0.0.1`], { ...how, input })
    },
    /** A session of SFTP that goes on until somebody ends it. */
    async openSession({ username, uid }: OsUser, key: KeyPair): Promise<OpenSession> {
      const to = [...settingsOf(false), '-i', key.file, '-p', String(port)]
      const ssh = spawn('/usr/bin/ssh', [...to, '-s', `${username}@127.0.0.1`, 'sftp'], {
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      const ended = once(ssh, 'exit').then(([code]) => ({ code: Number(code ?? -1) }))
      while (!(await hasSession(uid)));
      return { ended }
    },
    endSshd,
    async dispose() {
      await sftp.stop()
      await host.dispose()
      await endSshd()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
export type SftpHost = Awaited<ReturnType<typeof createSftpHost>>
