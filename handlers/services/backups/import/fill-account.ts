import { MAX_COMMAND } from '../../../domain/cron/command-limit.ts'
import { tidySchedule } from '../../../domain/cron/cron-schedule.ts'
import { replaceHomes } from '../../../domain/backups/replace-home.ts'
import { isAppError } from '../../../errors.ts'
import type { AccountRecord } from '../../../ports/host/backups/archived-records.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Applications } from '../../applications/applications.ts'
import type { Certificates } from '../../certificates/certificates.ts'
import type { Cron } from '../../cron/cron.ts'
import type { Sftp } from '../../sftp/sftp.ts'
import type { DatabaseAddresses, DatabaseUsers } from '../../databases/databases.ts'
import type { SftpUsers } from '../../sftp/sftp.ts'
import type { Databases } from '../../databases/databases.ts'
import type { Domains, SiteSettingsService } from '../../domains/domains.ts'
import type { Step } from '../../journal/journal.ts'
import type { Php } from '../../php/php.ts'
import { requireActiveAccount } from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import type { BackupSchedules } from '../schedules/schedules.ts'
import { cacheOf } from './cache-of.ts'
import { lacksPhp } from './lacking-php.ts'
import { ownSchedule } from './own-schedule.ts'
import { followImport } from './open-archive.ts'
import type { ImportPlan, PlannedDomain } from './plan-import.ts'
import { randomSecret } from '../../../domain/access/random-secret.ts'

/** Services that an import goes through, as whoever would do all of it by hand. */
export interface ImportServices {
  accounts: Accounts
  domains: Domains
  siteSettings: Pick<SiteSettingsService, 'replace'>
  databases: Databases
  databaseUsers: Pick<DatabaseUsers, 'create'>
  databaseAddresses: Pick<DatabaseAddresses, 'create'>
  php: Php
  certificates: Certificates
  cron: Cron
  applications: Pick<Applications, 'create' | 'bind'>
  schedules: Pick<BackupSchedules, 'set'>
  sftp: Sftp
  sftpUsers: SftpUsers
}

export interface Filling {
  importId: string
  accountId: number
  plan: ImportPlan
  record: AccountRecord | null
  /** Whether a key that is known proves who made the archive. */
  proved: boolean
  /** Whether the account's own passwords are taken over. */
  ownPassword: boolean
  /** Homes whose paths in configuration files and cron jobs are pointed at the one here; empty: none are. */
  formerHomes: readonly string[]
  /** Takes what was not taken over, in a sentence. */
  note: (text: string) => void
  report: Report | undefined
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & ImportServices

/** No password of anybody: it opens nothing before another one is in its place. */
export const unknownPassword = randomSecret

/** What a job runs, with the paths of the home here; as it was where that is too long. */
const commandAt = (command: string, from: readonly string[], home: string): string => {
  const { text } = replaceHomes(command, from, home)
  return text.length <= MAX_COMMAND ? text : command
}

/** Steps that bring an archive into an account that was made for it. Whatever fails, the account goes again. */
export const fillingSteps = (deps: Deps, filling: Filling): Step[] => {
  const { store, host, log } = deps
  const { importId, accountId, plan, record, note } = filling
  const { username } = plan
  const moves = plan.databases.map(({ engine, from, to }) => ({ engine, from, to }))

  /** The version, where it is installed. */
  const installed = async (version: string | null, whose: string): Promise<string | null> => {
    if (version === null) return null
    const versions = (await host.ofAccount(username).php.versions()).map((one) => one.version)
    if (versions.includes(version)) return version
    note(lacksPhp(version, whose))
    return null
  }
  const idOf = async (name: string): Promise<number> => {
    const row = await store.domainByName(name)
    if (row?.account_id === accountId) return row.id
    throw new Error(`the domain ${name} of an import is gone`)
  }
  const addDomain = async ({ to, settings }: PlannedDomain, home: string): Promise<void> => {
    if (settings === null) return
    const isAlias = settings.domain_type === 'alias'
    const php_version = await installed(settings.php_version, to)
    const { id } = await deps.domains.create({
      accountId,
      domainName: to,
      domainType: settings.domain_type,
      documentRoot: `${home}/${settings.document_root}`,
      byAdministrator: true,
    })
    if (!isAlias) await deps.domains.change(id, { ...cacheOf(settings), php_version })
  }

  const domains = async (): Promise<void> => {
    const { home } = await requireActiveAccount(store, accountId)
    const { to, settings } = plan.primary
    if (settings !== null)
      await deps.domains.change(await idOf(to), {
        ...cacheOf(settings),
        document_root: `${home}/${settings.document_root}`,
        php_version: await installed(settings.php_version, to),
      })
    for (const domain of plan.domains) await addDomain(domain, home)
  }

  const php = async (): Promise<void> => {
    if (record === null) return
    const { php_version, php_mode } = record.account
    const found = await installed(php_version, username)
    const { version } = await deps.php.config(accountId)
    if (version === null || (found === null && php_mode === 'fpm')) return
    try {
      await deps.php.setVersion(accountId, found ?? version, php_mode)
    } catch (error) {
      // A mode that the host or the licence does not have.
      if (!isAppError(error) || (error.status !== 400 && error.status !== 403)) throw error
      note(`${error.message} The account runs PHP as the host has it.`)
    }
  }

  const databases = async (): Promise<void> => {
    for (const { engine, name, user } of plan.databases)
      await deps.databases.create({
        accountId,
        dbName: name,
        dbUser: user,
        dbPassword: unknownPassword(),
        engine,
        byAdministrator: true,
      })
    for (const { engine, name, grants } of plan.databaseUsers)
      await deps.databaseUsers.create({
        ...{ accountId, name, engine, databases: grants },
        password: unknownPassword(),
        byAdministrator: true,
      })
  }

  const content = async (): Promise<void> => {
    await host.imports.fill({ importId, username, databases: moves })
    await followImport(host.ofAccount(username).imports, importId, 'fill', filling.report)
  }

  const configs = async (): Promise<void> => {
    if (filling.formerHomes.length === 0) return
    const { home } = await requireActiveAccount(store, accountId)
    try {
      const { changed, left, copies } = await host.imports.pointConfigs({ importId, username })
      for (const { path, paths } of changed)
        note(
          `In ${path} ${paths} of its paths lead to ${home} now; ${copies}/${path} is as before.`,
        )
      for (const { path, why } of left) note(`${path} stays as it was: ${why}.`)
    } catch (error) {
      if (!isAppError(error) || error.status === 503) throw error
      note(`Its configuration files stay as they were: ${error.message}`)
    }
  }

  const passwords = async (): Promise<void> => {
    const system = filling.ownPassword
    const secrets = await host.imports.takePasswords({
      importId,
      username,
      databases: moves,
      users: plan.databaseUsers.map(({ engine, from, to }) => ({ engine, from, to })),
      system,
    })
    if (!system) return
    if (secrets === null)
      return note('The account has no password that anybody knows: set one for it.')
    await store.updateAccount(accountId, { password_hash: secrets.password_hash })
    if (secrets.second_factor === null) return
    const user = { role: 'account', id: accountId } as const
    const { second_factor: secret } = secrets
    const at = (await requireActiveAccount(store, accountId)).created_at
    await store.enrolSecondFactor(user, secret, at)
    await store.confirmSecondFactor(user, secret, 0, [])
    note('Its second factor is in force, without recovery codes.')
  }

  const certificates = async (): Promise<void> => {
    for (const domain of plan.certificates) {
      const origin = record?.certificates.find((one) => one.domain === domain)
      try {
        await deps.certificates.adopt({
          domain,
          source: origin?.source ?? 'uploaded',
          forced: origin?.forced ?? false,
          challenge: origin?.challenge ?? null,
          obtain: (operationId) =>
            host.imports.takeCertificate({ importId, operationId, username, from: domain, domain }),
        })
      } catch (error) {
        if (!isAppError(error) || error.status === 503) throw error
        log.info('a certificate was not taken over', { domain, error: error.message })
        note(`The certificate of ${domain} was not taken over: ${error.message}`)
      }
    }
  }

  /** Off where nobody proves who wrote them: they would run by themselves. */
  const cron = async (): Promise<void> => {
    const jobs = record?.cron ?? []
    const { home } = await requireActiveAccount(store, accountId)
    for (const job of jobs)
      await deps.cron.create(
        accountId,
        {
          ...job,
          schedule: tidySchedule(job.schedule),
          command: commandAt(job.command, filling.formerHomes, home),
          enabled: job.enabled && filling.proved,
        },
        false,
      )
    if (jobs.length > 0 && !filling.proved)
      note(`Its ${jobs.length} cron jobs are switched off. Look at them, then switch them on.`)
  }

  /** Recorded, and not started: its secret variables are in no archive. */
  const applications = async (): Promise<void> => {
    const sites = [plan.primary, ...plan.domains]
    for (const { name, domains: led, keys: _keys, ...settings } of record?.applications ?? []) {
      try {
        await deps.applications.create(accountId, { name, settings, secrets: {} }, false)
        for (const { domain_name, paths } of filling.proved ? led : []) {
          const to = sites.find(({ from }) => from === domain_name)?.to
          if (to !== undefined) await deps.applications.bind(accountId, name, await idOf(to), paths)
        }
      } catch (error) {
        // E.g. a version that this host does not have.
        if (!isAppError(error) || error.status === 503) throw error
        note(`The application ${name} was not taken over: ${error.message}`)
        continue
      }
      const lead = filling.proved ? '' : ', lead its domains to it'
      note(`The application ${name} does not run: set its secret variables${lead} and deploy it.`)
    }
  }

  const schedule = async (): Promise<void> => {
    const { schedule: own } = await ownSchedule(host.ofAccount(username), record)
    if (own !== null) await deps.schedules.set({ accountId }, own)
  }

  /** An address opens the databases to whoever wrote the archive: only what is proved is taken. */
  const addresses = async (): Promise<void> => {
    const wanted = record?.database_addresses ?? []
    if (wanted.length > 0 && !filling.proved)
      note(
        `The ${wanted.length} addresses that might reach its databases were left out. Allow those that you know.`,
      )
    for (const { address, note: text } of filling.proved ? wanted : [])
      try {
        await deps.databaseAddresses.create({
          ...{ accountId, address, byAdministrator: true },
          note: text.replace(/\p{C}/gu, ' '),
        })
      } catch (error) {
        if (!isAppError(error) || error.status !== 400) throw error
        note(`The address "${address.slice(0, 50)}" was left out: ${error.message}`)
      }
  }

  /** A key opens the account to whoever wrote the archive: only what is proved is taken. */
  const sftp = async (): Promise<void> => {
    const told = record?.sftp ?? { passwords: true, shell: false, keys: [], users: [] }
    const { passwords, shell, keys, users } = told
    const bound = (record?.applications ?? []).filter((one) => one.keys.length > 0)
    const keyCount = keys.length + bound.reduce((sum, one) => sum + one.keys.length, 0)
    if (keyCount === 0 && users.length === 0 && passwords && !shell) return
    if (!(await host.ofAccount(username).sftp.details()).available)
      return note(
        'How it was reached over SFTP was left out, since this host has no SFTP for accounts.',
      )
    if (!filling.proved && keyCount > 0)
      note(`Its ${keyCount} SSH keys were left out. Add those that you know.`)
    for (const { name, public_key: publicKey, expires_at: expiresAt } of filling.proved ? keys : [])
      await deps.sftp.addKey(accountId, { name, publicKey, expiresAt }, false)
    for (const { name: of, keys: own } of filling.proved ? bound : []) {
      const application = await store.applicationByName(accountId, of)
      // It was not taken over, which was said.
      if (application?.source_push !== true) continue
      for (const { name, public_key: publicKey, expires_at: expiresAt, access } of own) {
        const given = { name, publicKey, expiresAt, applicationId: application.id, access }
        await deps.sftp.addKey(accountId, given, false)
      }
    }
    if (!filling.proved && users.length > 0)
      note(`Its ${users.length} SFTP users for single folders were left out.`)
    for (const user of filling.proved ? users : []) {
      const { name: word, folder, read_only: readOnly } = user
      const wanted = { word, folder, readOnly, password: null }
      const { id, name } = await deps.sftpUsers.create(accountId, wanted, false)
      for (const key of user.keys) {
        const given = { name: key.name, publicKey: key.public_key, expiresAt: key.expires_at }
        await deps.sftp.addKey(accountId, { ...given, sftpUserId: id }, false)
      }
      note(`The SFTP user ${name} has no password any more. Give it one, or a key.`)
    }
    if (!passwords) await deps.sftp.setPasswords(accountId, false)
    if (!shell) return
    const { shellAllowed } = await deps.sftp.access(accountId)
    if (filling.proved && shellAllowed) await deps.sftp.setShell(accountId, true)
    else note('It had a shell, which was left out. Give it one if it is to have one.')
  }

  const https = async (): Promise<void> => {
    for (const { to, settings } of [plan.primary, ...plan.domains]) {
      if (settings === null || settings.domain_type === 'alias') continue
      const { redirect_https, hsts } = settings
      if (!redirect_https && !hsts) continue
      const id = await idOf(to)
      const row = await store.domainById(id)
      if (row?.ssl_status === 'active') await deps.domains.change(id, { redirect_https, hsts })
      else note(`${to} has no certificate, so http does not lead to https. Provision one.`)
    }
  }

  /** Behind all that asks the sites: a page for visitors from elsewhere would be no answer. */
  const sites = async (): Promise<void> => {
    for (const { to, settings } of [plan.primary, ...plan.domains]) {
      if (settings?.site === undefined || settings.domain_type === 'alias') continue
      await deps.siteSettings.replace(await idOf(to), settings.site)
    }
  }

  const close = async (): Promise<void> => {
    const all = [plan.primary, ...plan.domains].map(({ to }) => to)
    await host.ofAccount(username).webServer.purge({ domains: all })
    if (record?.account.suspended === true)
      await deps.accounts.suspend(accountId, record.account.suspend_reason)
    // Here, not only behind the journal's end: whoever dies between them would leave the archive open.
    await host.ofAccount(username).imports.close({ importId })
  }

  return [
    { name: 'domains', text: 'Adding the domains', run: domains },
    { name: 'php', text: 'Choosing the PHP version', run: php },
    { name: 'databases', text: 'Making the databases', run: databases },
    { name: 'content', text: 'Putting files and databases in place', run: content },
    { name: 'configs', text: 'Pointing configuration files at the new home', run: configs },
    { name: 'certificates', text: 'Taking over the certificates', run: certificates },
    { name: 'https', run: https },
    { name: 'sites', run: sites },
    { name: 'cron', text: 'Taking over the cron jobs', run: cron },
    { name: 'applications', text: 'Taking over the applications', run: applications },
    { name: 'schedule', run: schedule },
    { name: 'addresses', run: addresses },
    { name: 'sftp', text: 'Taking over the SSH keys', run: sftp },
    { name: 'passwords', text: 'Taking over the passwords', run: passwords },
    { name: 'close', text: 'Clearing the page cache', run: close },
  ]
}
