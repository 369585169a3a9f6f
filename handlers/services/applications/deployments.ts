import { timestamp, timestampMs } from '../../domain/text/timestamp.ts'
import { conflict, isAppError, notFound, unprocessable } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { ApplicationRow, DeploymentRow } from '../../ports/store/application-store.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { Journal } from '../journal/journal.ts'
import { otherInstances } from '../journal/other-instances.ts'
import { requireAccount, requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { serveApplicationDomains } from './serve-application-domains.ts'
import { applicationSpec } from './application-spec.ts'
import { endOfOutput } from './deployment-output.ts'
import { PART_AT, runIdOf } from './deployment-steps.ts'
import { KEPT_RELEASES } from './take-live.ts'
import { forgetApplicationPages } from './forget-application-pages.ts'
import { APPLICATION_DEPLOY, applicationSubject } from './operations.ts'

/** Ended deployments of an application that are kept. */
export const KEPT_DEPLOYMENTS = 20

const NO_APPLICATION =
  'No such application. List the applications of the account to see which there are.'
const CANCELLED = 'It was cancelled before its turn came.'
const STOPPED = 'It was cancelled.'
const LOST = 'The panel was restarted, or ended, before its turn came.'

/** Who asks for a deployment. */
export interface DeploymentOrder {
  who: string
  /** Id of an earlier deployment whose release is made live again; default: what the folder or the repository has is built. */
  back?: string
  /** Told its id once it is in the store. */
  begun?: (id: string) => void
}

/** Name of the release of a deployment, as `RELEASE_NAME` has it. */
const releaseOf = ({ id, created_at }: Pick<DeploymentRow, 'id' | 'created_at'>): string =>
  `${created_at.replace(/\D/g, '')}-${id.slice(0, 6)}`

/** What becomes of applications: installed and built, started, stopped. Rejects with 404 for what is not there. */
export interface Deployments {
  /**
   * Installs, builds and starts; one at a time, of those that wait the last asked for alone.
   * Answers how it ended; 422 where it failed, with the end of what it wrote, and what ran
   * before goes on. 409 where the release to go back to is not there any more.
   */
  deploy(
    accountId: number,
    name: string,
    order: DeploymentOrder,
    report?: Report,
  ): Promise<DeploymentRow>
  /** Starts it as it is recorded, or anew where it runs, without installing or building. 409 a site, of which nothing runs, 422 where it does not answer. */
  start(accountId: number, name: string): Promise<void>
  /** Ends it, and a deployment that is under way. 409 a site. */
  stop(accountId: number, name: string): Promise<void>
  /** Newest first. */
  list(accountId: number, name: string): Promise<DeploymentRow[]>
  get(accountId: number, name: string, id: string): Promise<DeploymentRow>
  /** Ends installation or build, or keeps one that waits from its turn. 409 where it has ended, or is being started. */
  cancel(accountId: number, name: string, id: string): Promise<void>
  /** How the deployment of a job ended that its panel did not live to tell; throws as `deploy`. */
  ofJob(jobId: string): Promise<DeploymentRow>
  /** Ends what is under way of an application, as far as that is possible. */
  cancelAll(application: ApplicationRow): Promise<void>
  /** Ends what waited for its turn in a panel that is gone. */
  settle(options?: { olderThanSecs?: number }): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'instance'> & {
  journal: Journal
  vhosts: VirtualHosts
}

/** The application of that name; throws 404. */
export const requireApplication = async (
  { store }: Pick<Deps, 'store'>,
  accountId: number,
  name: string,
): Promise<ApplicationRow> => {
  const row = await store.applicationByName(accountId, name)
  if (row === null) throw notFound(NO_APPLICATION)
  return row
}

/** Throws 409 for a site, and for what is still served as one. */
const assertProgram = ({ name, start_command, site_root }: ApplicationRow): void => {
  if (start_command === null)
    throw conflict(`${name} is a site, of which nothing runs. Deploy it, or remove its domains.`)
  if (site_root !== null) throw conflict(`${name} is served as a site. Deploy it first.`)
}

const failure = (deployment: DeploymentRow, before: boolean): Error => {
  const end = endOfOutput(deployment.output)
  const goesOn = before ? ' What ran before goes on.' : ''
  return unprocessable(
    `${deployment.problem ?? 'It failed.'}${goesOn}${end === '' ? '' : `\nThe end of what it wrote:\n${end}`}`,
  )
}

export const createDeployments = (deps: Deps): Deployments => {
  const { store, host, clock, journal } = deps
  const now = (): string => timestamp(clock.nowMs())
  /** Deployments that this process waits for or carries out. */
  const own = new Set<string>()

  const get = async (accountId: number, name: string, id: string): Promise<DeploymentRow> => {
    const { id: applicationId } = await requireApplication(deps, accountId, name)
    const row = await store.deployment(id)
    if (row === null || row.application_id !== applicationId)
      throw notFound('No such deployment of this application. Only the last ones are kept.')
    return row
  }
  /** One whose release can be made live again. */
  const earlier = async (accountId: number, name: string, id: string): Promise<DeploymentRow> => {
    const row = await get(accountId, name, id)
    const { id: applicationId } = await requireApplication(deps, accountId, name)
    const live = (await store.listDeployments(applicationId)).filter(
      ({ state, release }) => state === 'live' && release !== null,
    )
    const kept = [...new Set(live.map(({ release }) => release))].slice(0, KEPT_RELEASES)
    if (row.state !== 'live' || !kept.includes(row.release))
      throw conflict(
        `Only the last ${KEPT_RELEASES} releases that went live can be made live again.`,
      )
    return row
  }
  const supersede = (id: string): Promise<void> =>
    store.updateDeployment(id, { state: 'superseded', ended_at: now() })
  const fail = (id: string, problem: string): Promise<void> =>
    store.updateDeployment(id, { state: 'failed', problem, ended_at: now() })

  /** Its turn has come: those before it have ended, or were left by a panel that is gone. */
  const carryOut = async (
    account: AccountRow,
    application: ApplicationRow,
    row: DeploymentRow,
    back: boolean,
    report: Report | undefined,
  ): Promise<void> => {
    const open = (await store.listDeployments(application.id)).filter(
      ({ ended_at }) => ended_at === null,
    )
    const at = open.findIndex(({ id }) => id === row.id)
    if (at === -1) return
    if (at > 0) return supersede(row.id)
    for (const { id } of open.slice(1)) if (!own.has(id)) await supersede(id)
    const subject = applicationSubject(account.username, application.name)
    const operation = journal.newOperation(
      APPLICATION_DEPLOY,
      subject,
      {
        account_id: account.id,
        application_id: application.id,
        name: application.name,
        deployment: row.id,
        back,
      },
      report,
    )
    await store.openOperation(operation)
    await journal.finish(operation, report)
  }

  const cancelOne = async (
    { account_id }: Pick<ApplicationRow, 'account_id'>,
    row: DeploymentRow,
  ): Promise<boolean> => {
    if (row.state === 'queued' && row.started_at === null) {
      await fail(row.id, CANCELLED)
      return true
    }
    const part = PART_AT[row.state]
    if (part === undefined) return false
    await store.updateDeployment(row.id, { problem: STOPPED })
    const account = await requireAccount(store, account_id)
    await host.of(account.host_id).cron.stop({ runId: runIdOf(row.id, part) })
    return true
  }
  const cancelAll = async (application: ApplicationRow): Promise<void> => {
    for (const row of await store.listDeployments(application.id))
      if (row.ended_at === null) await cancelOne(application, row)
  }
  const inTurn = async (
    accountId: number,
    name: string,
    work: (account: AccountRow, application: ApplicationRow) => Promise<void>,
  ): Promise<void> => {
    const { username } = await requireSettledAccount(store, accountId)
    await journal.exclusively(applicationSubject(username, name), async () => {
      const account = await requireSettledAccount(store, accountId)
      await work(account, await requireApplication(deps, accountId, name))
    })
  }

  return {
    async deploy(accountId, name, { who, back, begun }, report) {
      const account = await requireActiveAccount(store, accountId)
      const application = await requireApplication(deps, accountId, name)
      const before = back === undefined ? null : await earlier(accountId, name, back)
      const id = crypto.randomUUID()
      const { source_url, source_push } = application
      const isGit = before !== null || source_url !== null || source_push
      const row: DeploymentRow = {
        id,
        application_id: application.id,
        source: isGit ? 'git' : 'folder',
        commit: before?.commit ?? null,
        release: before?.release ?? (isGit ? releaseOf({ id, created_at: now() }) : null),
        state: 'queued',
        who,
        created_at: now(),
        started_at: null,
        ended_at: null,
        problem: null,
        output: '',
        instance: deps.instance ?? null,
      }
      own.add(row.id)
      try {
        if (!(await store.insertDeployment(row, KEPT_DEPLOYMENTS))) throw notFound(NO_APPLICATION)
        begun?.(row.id)
        await journal.exclusively(applicationSubject(account.username, name), () =>
          carryOut(account, application, row, before !== null, report),
        )
        const ended = await get(accountId, name, row.id)
        if (ended.state === 'failed') throw failure(ended, application.desired === 'running')
        return ended
      } catch (error) {
        // What could not even begin would stand as waiting for ever.
        const left = await store.deployment(row.id)
        if (left?.state === 'queued' && left.started_at === null)
          await fail(row.id, isAppError(error) ? error.message : 'It could not be begun.')
        throw error
      } finally {
        own.delete(row.id)
      }
    },
    start: (accountId, name) =>
      inTurn(accountId, name, async (account, application) => {
        await requireActiveAccount(store, accountId)
        assertProgram(application)
        const spec = applicationSpec(account.username, application)
        await host.of(account.host_id).applications.put({ spec, secrets: {} })
        await host.applications.deploy({ username: account.username, name })
        await store.updateApplication(application.id, {
          desired: 'running',
          live_revision: application.revision,
        })
        if (application.live_revision !== application.revision)
          await serveApplicationDomains(deps, account.username, application)
        await forgetApplicationPages(deps, accountId, application.id)
      }),
    async stop(accountId, name) {
      const known = await requireApplication(deps, accountId, name)
      assertProgram(known)
      await cancelAll(known)
      await inTurn(accountId, name, async (account, application) => {
        await host.applications.stop({ username: account.username, name })
        await store.updateApplication(application.id, { desired: 'stopped' })
        await forgetApplicationPages(deps, accountId, application.id)
      })
    },
    async list(accountId, name) {
      return store.listDeployments((await requireApplication(deps, accountId, name)).id)
    },
    get,
    async cancel(accountId, name, id) {
      const row = await get(accountId, name, id)
      if (row.ended_at !== null) throw conflict('This deployment has ended already.')
      if (!(await cancelOne({ account_id: accountId }, row)))
        throw conflict('It is being started already. Stop the application instead.')
    },
    async ofJob(jobId) {
      const [operation] = await store.operationsOfJob(jobId)
      const row = await store.deployment(String(operation?.data['deployment']))
      if (row === null) throw notFound(NO_APPLICATION)
      if (row.state !== 'failed') return row
      const application = await store.applicationById(row.application_id)
      throw failure(row, application?.desired === 'running')
    },
    cancelAll,
    async settle({ olderThanSecs = 0 } = {}) {
      const latest = clock.nowMs() - olderThanSecs * 1000
      // Where there are other instances, it may wait for its turn in one of them.
      const others = await otherInstances(deps)
      const carried = new Set(
        (await store.openOperations()).map(({ data }) => String(data['deployment'])),
      )
      for (const row of await store.openDeployments())
        if (
          !own.has(row.id) &&
          !carried.has(row.id) &&
          !others.includes(row.instance ?? '') &&
          timestampMs(row.created_at) <= latest
        )
          await fail(row.id, LOST)
    },
  }
}
