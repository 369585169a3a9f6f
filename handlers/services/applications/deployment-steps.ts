import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError } from '../../errors.ts'
import type { CronProgram, CronRunState } from '../../ports/host/cron.ts'
import type {
  ApplicationRow,
  DeploymentRow,
  DeploymentState,
} from '../../ports/store/application-store.ts'
import type { AccountRow, OperationRow } from '../../ports/store/records.ts'
import type { Journal, Step } from '../journal/journal.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { forgetApplicationPages } from './forget-application-pages.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { applicationSpec } from './application-spec.ts'
import { boundedOutput } from './deployment-output.ts'
import { createTakeLive } from './take-live.ts'

/** After that an installation or a build is ended. */
export const BUILD_LIMIT_SECS = 3600
/** How late what it writes may be seen. */
const NEWS_EVERY_MS = 2000

/** Whether an earlier release is made live again: it is there, and built. */
const isBack = ({ data }: OperationRow): boolean => data['back'] === true

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
  vhosts: VirtualHosts
}

/** The line of an application that runs before it starts. */
type Line = 'install' | 'build'
/** What the host runs before it starts one. */
type Part = 'fetch' | Line

/** Name of a run on the host: one for each part of a deployment, so that it is begun once. */
export const runIdOf = (deploymentId: string, part: Part): string => `${deploymentId}.${part}`

/** Which part a deployment in that state is at, where one can be ended. */
export const PART_AT: Readonly<Partial<Record<DeploymentState, Part>>> = {
  fetching: 'fetch',
  installing: 'install',
  building: 'build',
}
const STATES: Readonly<Record<Part, DeploymentState>> = {
  fetch: 'fetching',
  install: 'installing',
  build: 'building',
}
const WORDS: Readonly<Record<Part, string>> = {
  fetch: 'download of the repository',
  install: 'installation',
  build: 'build',
}

const problemOf = (line: Part, { state, code, ended }: CronRunState): string | null => {
  const what = `The ${WORDS[line]}`
  if (state === 'unknown') return `${what} was interrupted by a restart of the host.`
  if (ended === 'timeout') return `${what} took longer than ${BUILD_LIMIT_SECS / 60} minutes.`
  if (ended === 'stopped') return `${what} was cancelled.`
  if (ended === 'signal') return `${what} was ended by a signal, maybe for want of memory.`
  return code === 0 ? null : `${what} failed with exit code ${code ?? 'unknown'}.`
}

/** What a deployment is about, while it has not ended. */
interface Open {
  account: AccountRow
  application: ApplicationRow
  deployment: DeploymentRow
}

/**
 * Steps of a deployment, from its row in the journal alone. Each may run again after a crash:
 * what the host runs it goes on with. What fails is written down in the deployment, whose later
 * steps do nothing then; what ran before goes on.
 */
export const createDeploymentSteps = (deps: Deps): ((operation: OperationRow) => Step[]) => {
  const { store, host, clock, log } = deps
  const takeLive = createTakeLive(deps)
  const now = (): string => timestamp(clock.nowMs())

  const open = async ({ data }: OperationRow): Promise<Open | null> => {
    const [account, application, deployment] = await Promise.all([
      store.accountById(Number(data['account_id'])),
      store.applicationById(Number(data['application_id'])),
      store.deployment(String(data['deployment'])),
    ])
    if (account === null || application === null || deployment === null) return null
    return deployment.ended_at === null ? { account, application, deployment } : null
  }
  const end = async (
    { account, application, deployment }: Open,
    state: DeploymentState,
    problem: string | null,
  ): Promise<void> => {
    await store.updateDeployment(deployment.id, { state, problem, ended_at: now() })
    await store.insertEvent({
      at: now(),
      ending: state === 'live' ? 'application.deployed:done' : 'application.failed:done',
      subject: `application:${account.username}`,
      data: {
        account_id: account.id,
        username: account.username,
        name: application.name,
        ...(problem === null ? {} : { reason: problem }),
      },
    })
  }
  /** Does a part of it; what fails there is the end of the deployment, and no fault of ours. */
  const part = async (operation: OperationRow, work: (now: Open) => Promise<void>) => {
    const found = await open(operation)
    if (found === null) return
    try {
      const { problem } = found.deployment
      if (problem === null) await work(found)
      else await end(found, 'failed', problem)
    } catch (error) {
      if (!isAppError(error))
        log.error('a deployment failed', { id: found.deployment.id, error: String(error) })
      const problem = isAppError(error)
        ? error.message
        : 'The host met an unexpected error. Its cause is in the panel log.'
      await end(found, 'failed', problem)
    }
  }

  /** Runs a line to its end; its output is written down while it grows. */
  const follow = async (
    username: string,
    runId: string,
    id: string,
    before: string,
  ): Promise<CronRunState> => {
    let written = ''
    for (;;) {
      const state = await host.ofAccount(username).cron.wait({ runId, patienceMs: NEWS_EVERY_MS })
      const output = boundedOutput(`${before}${state.output}`)
      if (output !== written) await store.updateDeployment(id, { output })
      written = output
      if (state.state !== 'running') return state
    }
  }
  /** Carries out a part of a deployment; false where it failed, which is written down then. */
  const run = async (
    found: Open,
    line: Part,
    { program, title }: { program: CronProgram; title: string },
  ): Promise<boolean> => {
    const { account, application, deployment } = found
    const state = STATES[line]
    const runId = runIdOf(deployment.id, line)
    // Of a run that a crash interrupted the output is written down already.
    const at = deployment.state === state ? deployment.output.lastIndexOf(title) : -1
    const written = at === -1 ? deployment.output : deployment.output.slice(0, at)
    const before = `${written}${written === '' || written.endsWith('\n') ? '' : '\n'}${title}`
    await store.updateDeployment(deployment.id, { state, output: boundedOutput(before) })
    await host.cron.start({
      runId,
      username: account.username,
      program,
      phpVersion: account.php_version,
      timeZone: 'UTC',
      timeLimitSecs: BUILD_LIMIT_SECS,
      application: application.name,
      ...(line === 'fetch' || deployment.release === null ? {} : { release: deployment.release }),
    })
    // Asked for while the host was being told.
    const asked = (await store.deployment(deployment.id))?.problem ?? null
    if (asked !== null) await host.ofAccount(account.username).cron.stop({ runId })
    const problem = problemOf(line, await follow(account.username, runId, deployment.id, before))
    if (problem !== null) await end(found, 'failed', problem)
    return problem === null
  }
  const runLine = (operation: OperationRow, line: Line): Promise<void> =>
    part(operation, async (found) => {
      const command = found.application[`${line}_command`]
      if (command === null || isBack(operation)) return
      await run(found, line, { program: { kind: 'shell', line: command }, title: `$ ${command}\n` })
    })
  const fetch = (operation: OperationRow): Promise<void> =>
    part(operation, async (found) => {
      const { account, application, deployment } = found
      const { source_url, source_branch: ref, source_push } = application
      const url = source_push ? null : source_url
      const { release } = deployment
      if (release === null || (url === null && !source_push) || isBack(operation)) return
      const program = { kind: 'source', url, ref, release } as const
      const from = url ?? `${application.name}.git`
      const title = `$ git clone ${ref === null ? '' : `--branch ${ref} `}${from}\n`
      if (!(await run(found, 'fetch', { program, title }))) return
      const of = { username: account.username, name: application.name, release }
      const commit = await host.applications.commit(of)
      await store.updateDeployment(deployment.id, { commit: commit?.id ?? null })
      if (application.shared_paths.length > 0)
        await host.applications.share({ ...of, paths: application.shared_paths })
    })

  return (operation) => [
    {
      name: 'prepare',
      text: 'Preparing the application',
      run: () =>
        part(operation, async ({ account, application, deployment }) => {
          await store.updateDeployment(deployment.id, { started_at: now() })
          const spec = applicationSpec(account.username, application)
          await host.of(account.host_id).applications.put({ spec, secrets: {} })
        }),
    },
    { name: 'fetch', text: 'Fetching the repository', run: () => fetch(operation) },
    {
      name: 'install',
      text: 'Installing what it needs',
      run: () => runLine(operation, 'install'),
    },
    { name: 'build', text: 'Building', run: () => runLine(operation, 'build') },
    {
      name: 'start',
      text: 'Starting it',
      run: () =>
        part(operation, async (found) => {
          const { account, application, deployment } = found
          const { release } = deployment
          await store.updateDeployment(deployment.id, { state: 'starting' })
          const spec = applicationSpec(account.username, { ...application, release })
          await host.of(account.host_id).applications.put({ spec, secrets: {} })
          await takeLive(found)
          await end(found, 'live', null)
        }),
    },
    {
      name: 'pages',
      text: 'Making its pages new',
      async run() {
        const deployment = await store.deployment(String(operation.data['deployment']))
        if (deployment?.state !== 'live') return
        const { account_id, application_id } = operation.data
        await forgetApplicationPages(deps, Number(account_id), Number(application_id))
      },
    },
  ]
}
