import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import { directoryIni } from '#handlers/domain/php-directory-ini.ts'
import type { PhpConfig, VirtualHostConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { PhpPort, PhpVersion } from '#handlers/ports/php.ts'
import type { PhpMode } from '#handlers/ports/records.ts'
import type { AccountLock, RegisteredAccount, Registry } from '../registry-types.ts'
import { runOperation } from '../run-operation.ts'
import { createDirectoryMasters } from './directory-masters.ts'
import { noteFile, readNote, withDirectorySettings } from './directory-settings.ts'
import type { DirectoryNote, DirectorySettings } from './directory-settings.ts'
import { defaultPhpVersion, detectPhp } from './detect.ts'
import type { InstalledPhp, PhpPlaces } from './detect.ts'
import { createHostsWithPhp } from './hosts-with-php.ts'
import { createMasterPool } from './master-pool.ts'
import type { PoolMember } from './master-pool.ts'
import { MODE_PLANS, planMaster } from './plan-master.ts'
import { choiceOf, masterName, ownerOfName } from './pool-choice.ts'
import type { PoolChoice } from './pool-choice.ts'
import { preparePhpDirectories, removeConfigs } from './prepare-directories.ts'

export interface PhpPortDeps {
  registry: Registry
  lock: AccountLock
  config: PhpConfig
  runDir: string
  /** Group of the web server; null in rootless mode. */
  webGid: number | null
  /** Where masters log; default `php-log` in `runDir`. Its parents must let everyone pass. */
  logDir?: string
  /** Socket that `localhost` means to PHP's MySQL extensions; null when there is no server. */
  databaseSocket: () => string | null
  /** Creates the directory (absolute, in the account's home) and missing parents as the account's uid. */
  ensureDirectory: (username: string, path: string) => Promise<void>
  /** Hosts of `berth.toml`; those that name an account get its PHP. Default: none. */
  virtualHosts?: readonly VirtualHostConfig[]
  log: Log
  /** Where to look for PHP; default Debian's places. */
  places?: PhpPlaces
  /** Least idle time; default 15000, as the web server keeps an answer of `ensure` for 10 s. */
  minIdleMs?: number
}

export interface PhpService extends PhpPort {
  /**
   * Makes sure that the PHP backend of a virtual host runs. Uid and command come
   * from the registry. `settings` are those of a directory's rules (see
   * `directoryIni`): PHP with them is a master of its own, of which an account has
   * a few; beyond, the host's own answers. 400 settings that may not be set, 404
   * unknown host or one without PHP, 409 suspended, 503 when PHP is missing or
   * does not start.
   */
  ensure(
    domain: string,
    settings?: DirectorySettings,
  ): Promise<{ socket: string; uid: number; protocol: 'fastcgi' | 'lsapi' }>
  /** Ends all PHP masters of the account at once; mark it suspended or gone first. */
  stopAccount(username: string): Promise<void>
  /** Stops every master; running requests get a moment. */
  stop(): Promise<void>
}

/** Ways to run PHP, the preferred one first; those without a backend do not count as installed. */
const MODES: readonly PhpMode[] = ['fpm', 'cgi', 'lsapi']
const usableModes = ({ binaries }: InstalledPhp): PhpMode[] =>
  MODES.filter((mode) => MODE_PLANS[mode] !== undefined && binaries[mode] !== undefined)
/** Short: the web server has drained before, or died, and a new start waits for this one to end. */
const STOP_GRACE_MS = 1_500
const DETECTION_KEPT_MS = 10_000
/** Seconds between two looks at files that masters left. */
const TIDY_EVERY = 60
/** The same line about an account comes at most this often. */
const COMPLAINT_MS = 60_000

const isFileText = (path: string, text: string): boolean => {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}

/** Takes over masters of an earlier agent, then serves. */
export const createPhpPort = async (deps: PhpPortDeps): Promise<PhpService> => {
  const { registry, config, log } = deps
  const directories = preparePhpDirectories(deps.runDir, deps.webGid, deps.logDir)
  const pool = createMasterPool(log)
  const hosts = createHostsWithPhp(registry, deps.virtualHosts ?? [])
  let detected: { atMs: number; installed: InstalledPhp[] } | null = null

  const installed = async (): Promise<InstalledPhp[]> => {
    if (!detected || performance.now() - detected.atMs > DETECTION_KEPT_MS)
      detected = { atMs: performance.now(), installed: await detectPhp(deps.places) }
    return detected.installed
  }

  const leastIdleMs = deps.minIdleMs ?? 15_000
  const complained = new Map<string, number>()
  const complain = (account: string, message: string): void => {
    const now = performance.now()
    if (now - (complained.get(account) ?? -COMPLAINT_MS) < COMPLAINT_MS) return
    complained.set(account, now)
    log.warn(message, { account })
  }

  const { webGid, databaseSocket } = deps
  const planning = { directories, webGid, config, databaseSocket }

  const memberOf = (
    username: string,
    php: InstalledPhp,
    choice: PoolChoice,
    note: DirectoryNote | null,
  ): PoolMember => ({
    username,
    version: php.version,
    name: masterName(username, choice),
    prepare: async () => {
      const account = openAccount(username)
      await Promise.all(
        ['logs', 'tmp', 'sessions'].map((name) =>
          deps.ensureDirectory(username, `${account.home}/${name}`),
        ),
      )
      const { plan, write } = planMaster(planning, account, php, choice)
      write()
      if (note !== null) {
        const file = noteFile(directories.config, masterName(username, choice))
        writeFileSync(file, JSON.stringify(note), { mode: 0o600 })
      }
      return plan
    },
  })

  /** The account's own version, for hosts that name none. */
  const versionOf = (username: string): string =>
    registry.account(username)?.phpVersion ??
    defaultPhpVersion(detected?.installed ?? [], config.default_version) ??
    ''

  /** What the account's virtual hosts with PHP run on. */
  const choicesOf = (username: string): PoolChoice[] =>
    hosts.of(username).flatMap(({ php }) => (php ? [choiceOf(php, versionOf(username))] : []))

  const openAccount = (username: string): RegisteredAccount => {
    const account = registry.account(username)
    if (!account) throw notFound(`No account named ${username}.`)
    if (account.suspended) throw conflict(`Account ${username} is suspended; its PHP does not run.`)
    return account
  }

  const installedFor = async ({ version, mode }: PoolChoice): Promise<InstalledPhp> => {
    const php = (await installed()).find((candidate) => candidate.version === version)
    if (php === undefined || !usableModes(php).includes(mode))
      throw unavailable(
        `PHP ${version} is not installed for mode ${mode}. Install php${version}-${mode} or choose another version or mode.`,
      )
    return php
  }

  const versionsAtStart = await installed()
  const directoryMasters = createDirectoryMasters(pool, directories, leastIdleMs)
  /** The choice of a master that runs for the settings of a directory. */
  const noted = (name: string, account: RegisteredAccount) => {
    const note = readNote(noteFile(directories.config, name), (domain) =>
      hosts.find(domain)?.username === account.username ? account.home : null,
    )
    const php = note && hosts.find(note.domain)?.php
    if (!note || !php) return null
    const choice = withDirectorySettings(choiceOf(php, versionOf(account.username)), note.ini)
    return masterName(account.username, choice) === name ? { choice, note } : null
  }
  await pool.adopt(directories.config, (configFile) => {
    const name = basename(configFile, '.conf')
    const account = registry.account(ownerOfName(name) ?? '')
    if (!account || account.suspended) return null
    const own = choicesOf(account.username).find(
      (one) => masterName(account.username, one) === name,
    )
    const { choice, note } = own ? { choice: own, note: null } : (noted(name, account) ?? {})
    const php = versionsAtStart.find(({ version }) => version === choice?.version)
    if (!choice || !php || !usableModes(php).includes(choice.mode)) return null
    if (note) directoryMasters.adopt(account.username, name)
    const { plan, text } = planMaster(planning, account, php, choice)
    const member = memberOf(account.username, php, choice, note ?? null)
    return { member, plan, current: isFileText(configFile, text) }
  })
  directoryMasters.tidy()

  const isWanted = ({ username, name }: PoolMember): boolean =>
    directoryMasters.has(name) ||
    choicesOf(username).some((choice) => masterName(username, choice) === name)
  let sweeps = 0
  const timer = setInterval(() => {
    pool.sweep((member) =>
      isWanted(member) ? Math.max(leastIdleMs, config.idle_timeout * 1000) : leastIdleMs,
    )
    if (++sweeps % TIDY_EVERY === 0) directoryMasters.tidy()
  }, 1000)
  timer.unref()

  /** The master for settings of a directory; null: the virtual host's own has to do. */
  const ensureDirectorySettings = async (
    account: RegisteredAccount,
    php: InstalledPhp,
    choice: PoolChoice,
    note: DirectoryNote,
  ): Promise<string | null> => {
    const { username } = account
    const name = masterName(username, choice)
    const isOwn = choicesOf(username).some((one) => masterName(username, one) === name)
    if (!isOwn && !directoryMasters.admit(username, name)) {
      complain(username, 'Settings of a directory have no effect: too many others are in use')
      return null
    }
    try {
      return await pool.ensure(memberOf(username, php, choice, isOwn ? null : note))
    } catch (error) {
      complain(username, `PHP did not start with the settings of a directory: ${String(error)}`)
      return null
    }
  }

  return {
    async versions(): Promise<PhpVersion[]> {
      detected = null
      const all = await installed()
      const preferred = defaultPhpVersion(all, config.default_version)
      return all.map((php) => ({
        version: php.version,
        binary:
          php.binaries.cli ?? php.binaries.fpm ?? php.binaries.cgi ?? php.binaries.lsapi ?? '',
        sapis: usableModes(php),
        default: php.version === preferred,
      }))
    },

    async configure({ operationId, username, version, mode }) {
      detected = null
      const php = (await installed()).find((candidate) => candidate.version === version)
      if (!php) throw invalid('version', await unknownVersion(version))
      if (!usableModes(php).includes(mode))
        throw invalid(
          'mode',
          `mode "${mode}" is not available for PHP ${version} on this server. Available: ${
            usableModes(php).join(', ') || 'none'
          }.`,
        )
      await deps.lock(username, async () => {
        const account = registry.account(username)
        if (!account) throw notFound(`No account named ${username}.`)
        const key = { id: operationId, kind: 'php.configure', subject: username }
        await runOperation(registry, key, { version, mode }, async () => {
          registry.setPhp(username, version, mode)
          if (account.suspended) return
          // The choice stands even if the site's own doing keeps its PHP from starting.
          await pool.restart(username, version).catch((error: unknown) => {
            log.warn('PHP did not restart', { account: username, error: String(error) })
          })
        })
      })
    },

    async ensure(domain, settings = {}) {
      const host = hosts.find(domain)
      if (!host) throw notFound(`No virtual host named ${domain}.`)
      if (!host.php) throw notFound(`Virtual host ${domain} has no PHP.`)
      const account = openAccount(host.username)
      await installed()
      const choice = choiceOf(host.php, versionOf(account.username))
      const php = await installedFor(choice)
      const { ini, refused } = directoryIni(Object.entries(settings), account.home)
      if (refused.length > 0)
        throw invalid('ini', `PHP settings that no directory may set: ${refused.join(', ')}.`)
      const special =
        Object.keys(ini).length === 0
          ? null
          : await ensureDirectorySettings(account, php, withDirectorySettings(choice, ini), {
              domain,
              ini,
            })
      let socket: string
      try {
        socket = special ?? (await pool.ensure(memberOf(account.username, php, choice, null)))
      } catch (error) {
        log.error('PHP did not start', { account: account.username, error: String(error) })
        throw unavailable(
          `PHP ${php.version} of account ${account.username} did not start. See the log of the host agent.`,
          error,
        )
      }
      // The account may have been suspended or removed while its master started.
      const now = registry.account(account.username)
      if (!now || now.suspended) {
        await pool.stopAccount(account.username)
        openAccount(account.username)
      }
      const protocol = choice.mode === 'lsapi' ? 'lsapi' : 'fastcgi'
      return { socket, uid: account.uid, protocol }
    },

    async stopAccount(username) {
      await pool.stopAccount(username)
      removeConfigs(directories.config, username)
      removeConfigs(directories.logs, username)
    },

    async stop() {
      clearInterval(timer)
      await pool.stop(STOP_GRACE_MS)
    },
  }

  async function unknownVersion(version: string): Promise<string> {
    const known = (await installed()).map((php) => php.version).join(', ') || 'none'
    return `version "${version}" is not installed. Installed: ${known}.`
  }
}
