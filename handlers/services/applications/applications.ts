import { planLimitReached } from '../../domain/accounts/plan.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import type { ApplicationState, SecretChange } from '../../ports/host/applications.ts'
import type { ApplicationSettings } from '../../ports/store/application-store.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Domains } from '../domains/domains.ts'
import type { Journal } from '../journal/journal.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import {
  DOMAIN_NOT_FOUND,
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { applicationSettings, applicationSpec } from './application-spec.ts'
import { applicationView, type ApplicationView } from './application-view.ts'
import { domainsOfApplication } from './domains-of-application.ts'
import { requireApplication, type Deployments } from './deployments.ts'
import {
  APPLICATION_CHANGE,
  APPLICATION_CREATE,
  APPLICATION_DELETE,
  applicationSubject,
} from './operations.ts'

export { applicationSettings, applicationSpec } from './application-spec.ts'
export type { ApplicationView, ShownState } from './application-view.ts'
export { APPLICATION_DEPLOY } from './operations.ts'

/** A new application, with variables whose values nobody is told again. */
export interface NewApplication {
  name: string
  settings: ApplicationSettings
  secrets: Readonly<Record<string, string>>
}

/** Programs of accounts that go on running behind the web server. Rejects with 404 for an account or application that is not there. */
export interface Applications {
  /** Versions that applications may have, newest first. */
  runtimes(): Promise<{ node: string[]; python: string[] }>
  /** Those of an account with how they are; those of all accounts (null) as they were deployed last. */
  list(accountId: number | null, query: ListQuery): Promise<Page<ApplicationView>>
  get(accountId: number, name: string): Promise<ApplicationView>
  /** Recorded, and not started. 400 what the host refuses, 403 at the limit of the plan where `bounded`, 409 a name that is taken. */
  create(accountId: number, input: NewApplication, bounded: boolean): Promise<ApplicationView>
  /** What runs stays as it is until it is deployed or started anew. */
  change(
    accountId: number,
    name: string,
    settings: Partial<ApplicationSettings>,
  ): Promise<ApplicationView>
  /** By name; null removes one, what is absent stays. What runs keeps what it was started with. */
  changeSecrets(accountId: number, name: string, change: SecretChange): Promise<ApplicationView>
  /** Ended and forgotten; its files stay, and its domains are served as they were before. */
  remove(accountId: number, name: string): Promise<void>
  /** Public half of the key that its repository has to let in. */
  deployKey(accountId: number, name: string): Promise<{ public_key: string }>
  /** Address of its own repository, to which one pushes; null: it has none, or nobody is let in here. */
  repository(
    accountId: number,
    name: string,
  ): Promise<{ url: string | null; reason: string | null }>
  /** The end of what it wrote. */
  log(accountId: number, name: string): Promise<{ text: string }>
  /** Requests of a domain are passed on to it: those below `paths`, or all (null), which is all that a site takes. 409 an alias. */
  bind(
    accountId: number,
    name: string,
    domainId: number,
    paths: string[] | null,
  ): Promise<ApplicationView>
  /** The domain is served by its files again. 404 where it is not passed on to this one. */
  unbind(accountId: number, name: string, domainId: number): Promise<ApplicationView>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
  turn: SftpTurn
  domains: Pick<Domains, 'change'>
  deployments: Deployments
}

export const createApplications = (deps: Deps): Applications => {
  const { store, host, clock, log, journal, deployments } = deps
  const now = (): string => timestamp(clock.nowMs())

  const statesOf = async (username: string): Promise<Map<string, ApplicationState>> => {
    try {
      const states = await host.applications.states({ username })
      return new Map(states.map((state) => [state.name, state]))
    } catch (error) {
      // The records are ours; a host that does not answer must not hide them.
      log.warn('states of applications unknown', { username, error: String(error) })
      return new Map()
    }
  }
  const list = async (accountId: number | null, query: ListQuery) => {
    if (accountId === null) {
      const { rows, total } = await store.listApplications(query)
      return { rows: rows.map((row) => applicationView(row, null, [])), total }
    }
    const { username } = await requireAccount(store, accountId)
    const [{ rows, total }, states, domains] = await Promise.all([
      store.listApplications({ ...query, accountId }),
      statesOf(username),
      store.listDomains({ accountId }),
    ])
    const view = (row: (typeof rows)[number]) =>
      applicationView(row, states.get(row.name) ?? null, domains.rows)
    return { rows: rows.map(view), total }
  }
  const get = async (accountId: number, name: string): Promise<ApplicationView> => {
    await requireApplication(deps, accountId, name)
    const found = (await list(accountId, {})).rows.find((one) => one.name === name)
    if (found === undefined) throw notFound('No such application.')
    return found
  }

  /** Records a change and tells the host, both or neither. */
  const rewrite = async (
    accountId: number,
    name: string,
    change: Partial<ApplicationSettings>,
    secrets: SecretChange,
  ): Promise<ApplicationView> => {
    const { username } = await requireSettledAccount(store, accountId)
    await journal.exclusively(username, async () => {
      const account = await requireSettledAccount(store, accountId)
      const row = await requireApplication(deps, accountId, name)
      const operation = journal.newOperation(APPLICATION_CHANGE, username, {
        account_id: account.id,
        name,
        before: { ...applicationSettings(row), revision: row.revision, updated_at: row.updated_at },
      })
      await store.openOperation(operation)
      await journal.create(operation, [
        {
          name: 'row',
          run: () =>
            store.updateApplication(row.id, {
              ...change,
              revision: row.revision + 1,
              updated_at: now(),
            }),
        },
        {
          name: 'host',
          run: () =>
            host.ofAccount(username).applications.put({
              spec: applicationSpec(username, { ...row, ...change }),
              secrets,
            }),
        },
      ])
    })
    return get(accountId, name)
  }

  /** Whether git is let in follows from what there is. */
  const tellGit = async (accountId: number, wasPush: boolean, isPush: boolean): Promise<void> => {
    if (wasPush === isPush) return
    try {
      const account = await requireSettledAccount(store, accountId)
      if (!(await host.of(account.host_id).sftp.details()).available) return
      await deps.turn.inTurn(accountId, () => deps.turn.tell(account))
    } catch (error) {
      // It is told again at the next start.
      log.warn('the host was not told who reaches repositories', {
        account: accountId,
        error: String(error),
      })
    }
  }

  const ownDomain = async (accountId: number, domainId: number) => {
    const domain = await store.domainById(domainId)
    if (domain?.account_id !== accountId) throw notFound(DOMAIN_NOT_FOUND)
    return domain
  }

  return {
    list,
    get,
    runtimes: () => host.local.applications.runtimes(),
    async create(accountId, { name, settings, secrets }, bounded) {
      const { username } = await requireSettledAccount(store, accountId)
      await journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const limit = bounded ? (await planOf(store, account)).applications_limit : null
        const operation = journal.newOperation(APPLICATION_CREATE, username, {
          account_id: accountId,
          name,
        })
        const made = await store.insertApplication(
          {
            ...settings,
            account_id: accountId,
            name,
            desired: 'stopped',
            revision: 1,
            live_revision: null,
            release: null,
            site_root: null,
            created_at: now(),
            updated_at: now(),
          },
          operation,
          limit,
        )
        if (made === 'duplicate')
          throw conflict(`Account ${username} has an application ${name} already.`, 'name')
        if (made === 'limit') {
          const { applications: used } = await store.accountUsage(accountId)
          throw planLimitReached(account, 'applications', used, limit ?? used)
        }
        await journal.create(operation, [
          {
            name: 'host',
            run: () =>
              host
                .ofAccount(username)
                .applications.put({ spec: applicationSpec(username, made), secrets }),
          },
        ])
      })
      await tellGit(accountId, false, settings.source_push)
      return get(accountId, name)
    },
    async change(accountId, name, settings) {
      const before = await requireApplication(deps, accountId, name)
      const after = await rewrite(accountId, name, settings, {})
      await tellGit(accountId, before.source_push, after.source_push)
      return after
    },
    changeSecrets: (accountId, name, change) => rewrite(accountId, name, {}, change),
    async remove(accountId, name) {
      const { username } = await requireSettledAccount(store, accountId)
      const known = await requireApplication(deps, accountId, name)
      await deployments.cancelAll(known)
      await journal.exclusively(applicationSubject(username, name), () =>
        journal.exclusively(username, async () => {
          await requireSettledAccount(store, accountId)
          const bound = await requireApplication(deps, accountId, name)
          const domains = await domainsOfApplication(deps, accountId, bound)
          const operation = journal.newOperation(APPLICATION_DELETE, username, {
            account_id: accountId,
            name,
            domains: domains.map(({ domain_name }) => domain_name),
          })
          await store.openOperation(operation)
          await journal.finish(operation)
        }),
      )
      await tellGit(accountId, known.source_push, false)
    },
    async deployKey(accountId, name) {
      const { username } = await requireActiveAccount(store, accountId)
      await requireApplication(deps, accountId, name)
      const { publicKey } = await host.applications.deployKey({ username, name })
      return { public_key: publicKey }
    },
    async repository(accountId, name) {
      const { username } = await requireAccount(store, accountId)
      const { source_push } = await requireApplication(deps, accountId, name)
      if (!source_push) return { url: null, reason: 'It is not made from a repository of its own.' }
      const {
        available,
        reason,
        host: known,
        ports,
      } = await host.ofAccount(username).sftp.details()
      if (!available) return { url: null, reason }
      const port = ports[0] ?? 22
      const at = `${known ?? 'HOST'}${port === 22 ? '' : `:${port}`}`
      return { url: `ssh://${username}@${at}/${name}.git`, reason: null }
    },
    async log(accountId, name) {
      const { username } = await requireAccount(store, accountId)
      await requireApplication(deps, accountId, name)
      return host.applications.log({ username, name })
    },
    async bind(accountId, name, domainId, paths) {
      const { id, start_command } = await requireApplication(deps, accountId, name)
      if (start_command === null && paths !== null)
        throw invalid('paths', 'paths are for programs; a site gets all requests of its domains.')
      await ownDomain(accountId, domainId)
      await deps.domains.change(domainId, { application_id: id, application_paths: paths })
      return get(accountId, name)
    },
    async unbind(accountId, name, domainId) {
      const { id } = await requireApplication(deps, accountId, name)
      const domain = await ownDomain(accountId, domainId)
      if (domain.application_id !== id)
        throw notFound(`${domain.domain_name} is not passed on to ${name}.`)
      await deps.domains.change(domainId, { application_id: null, application_paths: null })
      return get(accountId, name)
    },
  }
}
