import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createKeyedMutex } from '#adapters/node/agent/keyed-mutex.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import type { OpenRegistry } from '#adapters/node/agent/registry/registry.ts'
import type { AccountLock, RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { asUser } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

/** A directory tree, a registry and real OS users, all gone after `dispose`. */
export interface HostFixture {
  directory: string
  runDir: string
  stateDir: string
  registry: OpenRegistry
  lock: AccountLock
  log: Log
  /** Messages logged so far, with their fields. */
  logged: string[]
  /** Creates an OS user with a home as the agent lays it out, and registers it. */
  createAccount(): Promise<RegisteredAccount>
  /** Registers a virtual host of the account, with PHP of `version`. */
  addHost(account: RegisteredAccount, domain: string, version: string): void
  ensureDirectory: (username: string, directory: string) => Promise<void>
  dispose(): Promise<void>
}

/** Stands for the group of the web server: it exists on every Debian. */
export const WEB_GID = 33

export const randomAccountName = (): string =>
  `bt${BigInt(`0x${randomBytes(6).toString('hex')}`)
    .toString(36)
    .padStart(8, '0')
    .slice(-8)}`

export const hostSpec = (
  account: RegisteredAccount,
  domain: string,
  change: Partial<VirtualHostSpec> = {},
): VirtualHostSpec =>
  siteSpec(domain, account.username, { root: `${account.home}/public_html`, ...change })

export const createHostFixture = async (): Promise<HostFixture> => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bh-'))
  await chmod(directory, 0o711)
  const [runDir, stateDir, homeBase] = ['run', 'state', 'home'].map((name) =>
    path.join(directory, name),
  ) as [string, string, string]
  for (const each of [runDir, stateDir, homeBase]) {
    await mkdir(each)
    await chmod(each, 0o711)
  }
  const registry = openRegistry(path.join(stateDir, 'agent', 'registry.sqlite'))
  const logged: string[] = []
  const note = (message: string, fields?: Record<string, unknown>): void =>
    void logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const users: string[] = []

  const createAccount = async (): Promise<RegisteredAccount> => {
    const username = randomAccountName()
    const home = path.join(homeBase, username)
    users.push(username)
    await mustRun('useradd', ['--no-create-home', '--home-dir', home, '--', username])
    const uid = Number((await mustRun('id', ['-u', '--', username])).stdout)
    const gid = Number((await mustRun('id', ['-g', '--', username])).stdout)
    await mkdir(home)
    for (const name of ['public_html', 'tmp', 'sessions', 'logs']) {
      await mkdir(path.join(home, name))
      await chown(path.join(home, name), uid, gid)
    }
    await chown(home, uid, WEB_GID)
    await chmod(home, 0o710)
    registry.records.reserve({ username, home, diskQuotaMb: 0 }, { uid, gid })
    registry.records.setState(username, 'ready')
    const account = registry.account(username)
    if (!account) throw new Error('the account was not registered')
    return account
  }

  return {
    directory,
    runDir,
    stateDir,
    registry,
    lock: createKeyedMutex(),
    log: { info: note, warn: note, error: note },
    logged,
    createAccount,
    addHost: (account, domain, version) =>
      registry.changeVhosts([hostSpec(account, domain, { php: { version, mode: 'fpm' } })], []),
    ensureDirectory: async (username, wanted) => {
      const account = registry.account(username)
      if (!account) throw new Error(`no account ${username}`)
      const as = asUser({ uid: account.uid, gid: account.gid, groups: 'none' }, '/bin/mkdir', [
        '-p',
        '--',
        wanted,
      ])
      await mustRun(as.program, as.args)
    },
    dispose: async () => {
      for (const username of users) {
        await runCommand('pkill', ['-KILL', '-u', username])
        await runCommand('userdel', ['--force', '--', username])
      }
      registry.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Writes a file into the account's `public_html`, owned by it, and its directory where it is missing. */
export const putFile = async (
  account: RegisteredAccount,
  name: string,
  text: string,
): Promise<string> => {
  const file = path.join(account.home, 'public_html', name)
  const parent = path.dirname(file)
  if ((await mkdir(parent, { recursive: true })) !== undefined)
    await chown(parent, account.uid, account.gid)
  await writeFile(file, text)
  await chown(file, account.uid, account.gid)
  return file
}
