import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAccountFiles,
  createEnsureDirectory,
} from '#adapters/node/agent/files/account-files.ts'
import { createDiskUsage } from '#adapters/node/agent/files/disk-usage-cache.ts'
import { createFilesPort } from '#adapters/node/agent/files/files-port.ts'
import { createHelperPool } from '#adapters/node/agent/files/helper-pool.ts'
import { createKeyedMutex } from '#adapters/node/agent/keyed-mutex.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { createHomeDirectories } from '#adapters/node/agent/accounts/home-directory.ts'
import { createOsAccounts } from '#adapters/node/agent/accounts/os-accounts.ts'
import type { SpoolPaths } from '#adapters/node/agent/accounts/spool.ts'
import { createRootlessAccounts } from '#adapters/node/agent/accounts/rootless-accounts.ts'
import { createUsersPort } from '#adapters/node/agent/accounts/users-port.ts'
import type { SftpHooks } from '#adapters/node/agent/sftp/sftp-port.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'

/** Stands for the group of the web server: it exists on every Debian. */
export const WEB_GID = 33

export const newName = (): string =>
  `bt${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString(36)
    .padStart(8, '0')
    .slice(-8)}`

/** Users and files over a private registry and home base; `dispose` removes every account. */
export const createAgentFixture = async (options: { rootless?: boolean; base?: string } = {}) => {
  const rootless = options.rootless === true
  const directory = await mkdtemp(join(options.base ?? tmpdir(), 'berth-agent-'))
  await chmod(directory, 0o711)
  const homeBase = join(directory, 'home')
  await mkdir(homeBase, { mode: 0o755 })
  const heldDir = join(directory, 'agent', 'held')
  const spool: SpoolPaths = {
    crontabs: join(directory, 'spool', 'crontabs'),
    atJobs: join(directory, 'spool', 'atjobs'),
    linger: join(directory, 'spool', 'linger'),
    mail: join(directory, 'spool', 'mail'),
  }
  for (const path of Object.values(spool)) await mkdir(path, { recursive: true })
  const registry = openRegistry(join(directory, 'agent', 'registry.db'))
  const logged: string[] = []
  const note = (message: string, fields?: Record<string, unknown>): void =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const lock = createKeyedMutex()
  const helpers = createHelperPool({ asRoot: !rootless })
  const usage = createDiskUsage(helpers)
  const phpStopped: string[] = []
  const nothing = async (): Promise<void> => undefined
  const logins: SftpHooks = { open: nothing, close: nothing, remove: nothing }
  const phpRenewed: string[] = []
  /** What else of an account goes; a fixture that has such things says how. */
  const hosting = { remove: nothing as (username: string) => Promise<void> }
  const users = createUsersPort({
    registry,
    lock,
    host: rootless ? createRootlessAccounts() : createOsAccounts(heldDir, spool),
    homes: createHomeDirectories(homeBase, rootless ? null : WEB_GID),
    files: createAccountFiles(helpers, usage),
    hooks: {
      stopPhp: async (username) => void phpStopped.push(username),
      renewPhp: async (username) => void phpRenewed.push(username),
      holdPrograms: nothing,
      releasePrograms: nothing,
      removeHosting: async (username) => hosting.remove(username),
      openLogins: async (account) => logins.open(account),
      closeLogins: async (account) => logins.close(account),
      removeLogins: async (account) => logins.remove(account),
    },
    log: { info: note, warn: note, error: note },
  })
  const files = createFilesPort({ registry, helpers, usage })
  let serial = 0
  const operationId = (): string => `op-${(serial += 1)}`
  return {
    directory,
    homeBase,
    spool,
    registry,
    lock,
    logins,
    hosting,
    helpers,
    usage,
    users,
    files,
    logged,
    phpStopped,
    phpRenewed,
    operationId,
    ensureDirectory: createEnsureDirectory(registry, helpers),
    account: (diskQuotaMb = 0, username = newName()): Promise<OsUser> =>
      users.create({
        operationId: operationId(),
        username,
        password: 'a password',
        primaryDomain: 'fixture.example',
        diskQuotaMb,
      }),
    dispose: async () => {
      for (const row of registry.records.all())
        await users.remove({ operationId: operationId(), username: row.username })
      await helpers.endAll()
      registry.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
export type AgentFixture = Awaited<ReturnType<typeof createAgentFixture>>

/** Runs a program as the account, in its home. */
export const runAs = async (user: OsUser, program: string, ...args: string[]) => {
  const as = asUser({ uid: user.uid, gid: user.gid, groups: 'none' }, program, args)
  const result = await runCommand(as.program, as.args, { cwd: user.home })
  if (result.code !== 0) throw new Error(`${program} ${args.join(' ')}: ${result.stderr}`)
  return result.stdout
}

/** The account's line in a file such as /etc/passwd, or null. */
export const lineOf = async (file: string, username: string): Promise<string | null> => {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.find((line) => line.startsWith(`${username}:`)) ?? null
}
