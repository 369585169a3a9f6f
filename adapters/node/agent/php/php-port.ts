import { invalid, notFound, unavailable } from '#handlers/errors.ts'
import { directoryIni } from '#handlers/domain/php/directory-ini.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { PhpVersion } from '#handlers/ports/host/php.ts'
import { runOperation } from '../run-operation.ts'
import { createAccountMembers } from './account-members.ts'
import { adoptMasters } from './adopt-masters.ts'
import { createDirectoryMasters } from './masters/directory-masters.ts'
import { withDirectorySettings } from './plans/directory-settings.ts'
import type { DirectoryNote } from './plans/directory-settings.ts'
import { defaultPhpVersion } from '../../machine/find-php.ts'
import type { InstalledPhp } from '../../machine/find-php.ts'
import { createEnsureDirectoryMaster } from './masters/ensure-directory-master.ts'
import { createHostsWithPhp } from './hosts-with-php.ts'
import { createInstallations, usableModes } from './installations.ts'
import { createMasterPool } from './masters/master-pool.ts'
import type { PoolMember } from './masters/master-pool.ts'
import { createPhpFacts } from './php-facts.ts'
import { createPhpTest } from './php-test.ts'
import { choiceOf, masterName } from './masters/pool-choice.ts'
import type { PoolChoice } from './masters/pool-choice.ts'
import { poolStates } from './masters/pool-states.ts'
import type { PhpPortDeps, PhpService } from './php-service.ts'
import { preparePhpDirectories, removeConfigs } from './prepare-directories.ts'

export type { PhpPortDeps, PhpService } from './php-service.ts'

/** Short: the web server has drained before, or died, and a new start waits for this one to end. */
const STOP_GRACE_MS = 1_500
/** Seconds between two looks at files that masters left. */
const TIDY_EVERY = 60
const NO_HOSTS: readonly VirtualHostConfig[] = []
const unavailableMode = (php: InstalledPhp, mode: string): string =>
  `mode "${mode}" is not available for PHP ${php.version} on this server. Available: ${
    usableModes(php).join(', ') || 'none'
  }.`

/** Takes over masters of an earlier agent, then serves. */
export const createPhpPort = async (deps: PhpPortDeps): Promise<PhpService> => {
  const { registry, config, log } = deps
  const directories = preparePhpDirectories(deps.runDir, deps.webGid, deps.logDir)
  const pool = createMasterPool(log)
  const hosts = createHostsWithPhp(registry, deps.virtualHosts ?? (() => NO_HOSTS))
  const installations = createInstallations(deps.places, config.default_version)
  const leastIdleMs = deps.minIdleMs ?? 15_000
  const { webGid, databaseSocket, sendmailCommand = () => '/bin/false' } = deps
  const planning = { directories, webGid, config, databaseSocket, sendmailCommand }
  const scratch = { planning, runDir: deps.runDir, log }
  const runTest = createPhpTest(scratch)
  const factsOf = createPhpFacts({ ...scratch, maxBodyBytes: deps.maxBodyBytes ?? 0 })
  const members = createAccountMembers({ ...deps, hosts, installations, planning })
  const { choicesOf, memberOf, openAccount, versionOf } = members

  const versionsAtStart = await installations.all()
  const directoryMasters = createDirectoryMasters(pool, directories, leastIdleMs)
  const running = { registry, hosts, members, planning, installed: versionsAtStart }
  await adoptMasters(pool, directoryMasters, running)
  directoryMasters.tidy()

  const isWanted = ({ username, name }: PoolMember): boolean =>
    directoryMasters.has(name) ||
    choicesOf(username).some((choice) => masterName(username, choice) === name)
  const ensureDirectoryMaster = createEnsureDirectoryMaster(pool, directoryMasters, log)
  let sweeps = 0
  const timer = setInterval(() => {
    pool.sweep((member) =>
      isWanted(member) ? Math.max(leastIdleMs, config.idle_timeout * 1000) : leastIdleMs,
    )
    if (++sweeps % TIDY_EVERY === 0) directoryMasters.tidy()
  }, 1000)
  timer.unref()

  /** Null: the virtual host's own master is the one, or has to do. */
  const ensureSettings = async (
    username: string,
    php: InstalledPhp,
    own: PoolChoice,
    note: DirectoryNote,
  ): Promise<string | null> => {
    if (Object.keys(note.ini).length === 0) return null
    const choice = withDirectorySettings(own, note.ini)
    const member = memberOf(username, php, choice, note)
    const isOfHost = choicesOf(username).some((one) => masterName(username, one) === member.name)
    return isOfHost
      ? pool.ensure(memberOf(username, php, choice, null))
      : ensureDirectoryMaster(member)
  }

  return {
    async versions(): Promise<PhpVersion[]> {
      installations.forget()
      const all = await installations.all()
      const preferred = defaultPhpVersion(all, config.default_version)
      return all.map((php) => ({
        version: php.version,
        binary:
          php.binaries.cli ?? php.binaries.fpm ?? php.binaries.cgi ?? php.binaries.lsapi ?? '',
        sapis: usableModes(php),
        default: php.version === preferred,
      }))
    },

    pools: () => poolStates(pool),

    async test({ username, version, mode }) {
      const account = username === null ? null : openAccount(username)
      installations.forget()
      const php = (await installations.all()).find((candidate) => candidate.version === version)
      if (!php) throw invalid('version', await unknownVersion(version))
      if (!usableModes(php).includes(mode)) throw invalid('mode', unavailableMode(php, mode))
      return runTest({ account, php, mode })
    },

    async facts({ version, mode }) {
      const php = (await installations.all()).find((candidate) => candidate.version === version)
      if (!php) throw invalid('version', await unknownVersion(version))
      if (!usableModes(php).includes(mode)) throw invalid('mode', unavailableMode(php, mode))
      return factsOf(php, mode)
    },

    async configure({ operationId, username, version, mode }) {
      installations.forget()
      const php = (await installations.all()).find((candidate) => candidate.version === version)
      if (!php) throw invalid('version', await unknownVersion(version))
      if (!usableModes(php).includes(mode)) throw invalid('mode', unavailableMode(php, mode))
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
      if (!host)
        throw notFound(
          `No account's PHP belongs to ${domain}. Give its [[virtualhost]] the username of an account, or a socket of its own in [virtualhost.php].`,
        )
      if (!host.php) throw notFound(`Virtual host ${domain} has no PHP.`)
      const account = openAccount(host.username)
      await installations.all()
      const choice = choiceOf(host.php, versionOf(account.username))
      const php = await installations.for(choice)
      const { ini, refused } = directoryIni(Object.entries(settings), account.home)
      if (refused.length > 0)
        throw invalid('ini', `PHP settings that no directory may set: ${refused.join(', ')}.`)
      const own = memberOf(account.username, php, choice, null)
      let socket: string
      try {
        socket =
          (await ensureSettings(account.username, php, choice, { domain, ini })) ??
          (await pool.ensure(own))
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

    async renewAccount(username) {
      const mine = pool.list().filter(({ member }) => member.username === username)
      for (const version of new Set(mine.map(({ member }) => member.version))) {
        await pool.restart(username, version).catch((error: unknown) => {
          log.warn('PHP did not restart', { account: username, error: String(error) })
        })
      }
    },

    async stop() {
      clearInterval(timer)
      await pool.stop(STOP_GRACE_MS)
    },
  }

  async function unknownVersion(version: string): Promise<string> {
    const known = (await installations.all()).map((php) => php.version).join(', ') || 'none'
    return `version "${version}" is not installed. Installed: ${known}.`
  }
}
