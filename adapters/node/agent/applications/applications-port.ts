import { join } from 'node:path'
import { conflict, isAppError, notFound, unavailable } from '#handlers/errors.ts'
import { applicationPlace, LOG_NAME } from '#handlers/domain/applications/application-place.ts'
import { parseHomePath } from '#handlers/domain/files/home-path.ts'
import type { ApplicationsPort } from '#handlers/ports/host/applications.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { Log } from '#handlers/ports/log.ts'
import { accountParts } from '../../process/account-groups/current-groups.ts'
import { createProcessRooms } from '../cron/process-rooms.ts'
import type { HelperPool } from '../files/helper-pool.ts'
import { createKeyedMutex } from '../keyed-mutex.ts'
import { activeAccount } from '../registry/active-account.ts'
import { knownAccount } from '../registry/known-account.ts'
import type { RegisteredApplication, Registry } from '../registry/types.ts'
import { changedSecrets, checkApplication } from './check-application.ts'
import { openKeptFiles } from './kept-applications.ts'
import { createRunningApplications } from './running-applications.ts'
import type { Current } from './running-applications.ts'
import { createRuntimes } from './runtimes.ts'
import type { PushQueue } from './git/push-queue.ts'
import { createReleases, folderOf } from './git/releases.ts'
import { environmentOf } from './start-application.ts'

const SWEEP_EVERY_MS = 2000
const MOST_LOG_BYTES = 65_536
/** At the start of the host. */
const STARTS_AT_ONCE = 2

export interface ApplicationsDeps {
  registry: Pick<
    Registry,
    | 'account'
    | 'vhost'
    | 'application'
    | 'applicationsOf'
    | 'applications'
    | 'putApplication'
    | 'takeApplication'
    | 'wantApplication'
    | 'removeApplication'
  >
  helpers: Pick<HelperPool, 'ask'>
  asRoot: boolean
  runDir: string
  /** Holds the versions of Node that an administrator added. */
  runtimesDirectory: string
  log: Log
  /** What was pushed; default: nothing ever is. */
  pushes?: PushQueue
  /** Default 2000. */
  sweepEveryMs?: number
}

/** Name of the application of a host that a visitor waits for, by default that of the whole host; null: it is none of its. */
const applicationAsked = (
  { application, site }: VirtualHostSpec,
  asked: string | undefined,
): string | null => {
  const names = [application?.name, ...(site?.backends ?? []).map((one) => one.application)]
  return names.find((name) => name === asked) ?? (asked === undefined ? names[0] : null) ?? null
}

/** Applications on this host. */
export interface ApplicationsService extends ApplicationsPort {
  /** Makes sure that the application of this virtual host answers. 404 it has none, 409 suspended, 503 it does not. */
  ensure(domain: string, application?: string): Promise<void>
  /** Directory and variables of an application, and directories of its runtime's programs, for what is run as a part of it. */
  surroundings(
    username: string,
    name: string,
    release?: string,
  ): { directory: string; env: Record<string, string>; programs: string[] }
  /** Ends what an account runs, as when it is suspended; what is recorded stays. */
  stopAccount(username: string): Promise<void>
  /** Starts what an account should run. */
  startAccount(username: string): void
  /** Ends and forgets all of an account. */
  removeAccount(username: string): Promise<void>
  /** Takes over what an earlier agent left and starts what should run; nobody waits for these starts. */
  start(): Promise<void>
  stopAll(): Promise<void>
}

/** An application as it was deployed last; as its owner has it now where it never was. */
const deployed = (application: RegisteredApplication): RegisteredApplication => ({
  ...application,
  ...application.live,
})

/** Runs applications of accounts; see `ApplicationsPort` for what each call promises. */
export const createApplicationsPort = (deps: ApplicationsDeps): ApplicationsService => {
  const { registry, helpers, log, asRoot } = deps
  const runtimes = createRuntimes({ directory: deps.runtimesDirectory, runDir: deps.runDir })
  const lock = createKeyedMutex()
  const releases = createReleases(asRoot)
  const running = createRunningApplications({
    ...{ asRoot, runtimes, log, lock },
    files: openKeptFiles(join(deps.runDir, 'apps')),
    rooms: createProcessRooms(log, { outlives: true }),
  })
  const known = (username: string, name: string): RegisteredApplication => {
    const application = registry.application(username, name)
    if (application === null) throw notFound(`Account ${username} has no application "${name}".`)
    return application
  }
  let closed = false

  /** What was deployed last. 404 unknown, 409 suspended, 503 stopped. */
  const wanted =
    (username: string, name: string): Current =>
    () => {
      const account = activeAccount(registry, username)
      const application = known(username, name)
      if (application.wanted === 'stopped') throw unavailable(`The application ${name} is stopped.`)
      return { account, application: deployed(application) }
    }

  const launch = async ({ spec }: RegisteredApplication): Promise<void> => {
    const { username, name } = spec
    if (closed || registry.account(username)?.suspended !== false) return
    await running.ensure(username, name, wanted(username, name)).catch((error: unknown) => {
      log.warn('an application of an account was not started', {
        username,
        name,
        error: String(error),
      })
    })
  }
  const launchAll = async (applications: readonly RegisteredApplication[]): Promise<void> => {
    const left = [...applications]
    const take = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await launch(next)
    }
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, take))
  }
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  const lookAfterAll = async (): Promise<void> => {
    const all = registry.applications().map(deployed)
    running.sweep(all)
    await launchAll(
      all.filter(
        ({ spec, wanted }) =>
          wanted === 'running' &&
          spec.sleepAfterSecs === null &&
          spec.restart !== 'never' &&
          running.isDown(spec.username, spec.name),
      ),
    )
  }
  /** One round after the other: a start may take longer than the pause between them. */
  const lookAgain = (): void => {
    if (looking !== null) return
    looking = lookAfterAll()
      .catch((error: unknown) =>
        log.error('applications could not be looked after', { error: String(error) }),
      )
      .finally(() => {
        looking = null
      })
  }

  return {
    runtimes: async () => runtimes.list(),

    async put({ spec: given, secrets: change }) {
      const account = knownAccount(registry, given.username)
      const before = registry.application(given.username, given.name)
      const secrets = changedSecrets(before?.secrets ?? {}, change)
      const spec = checkApplication(given, secrets)
      runtimes.path(spec.runtime)
      await helpers.ask(account, { op: 'ensure', path: parseHomePath(spec.folder) })
      if (spec.repository !== undefined)
        await releases.repository(account, spec.name, spec.repository.branch)
      registry.putApplication({ spec, secrets })
    },

    async remove({ username, name }) {
      // First, or whoever looks after applications would start it again.
      registry.wantApplication(username, name, 'stopped')
      await running.stop(username, name)
      const account = registry.account(username)
      if (account !== null) await accountParts.remove(account.uid, name)
      registry.removeApplication(username, name)
    },

    async deploy({ username, name }) {
      const current: Current = () => ({
        account: activeAccount(registry, username),
        application: known(username, name),
      })
      if (current().application.spec.start === null)
        throw conflict(`${name} is a site, of which nothing runs.`)
      await running.deploy(username, name, current, (started) => registry.takeApplication(started))
    },

    async stop({ username, name }) {
      known(username, name)
      registry.wantApplication(username, name, 'stopped')
      await running.stop(username, name)
    },

    states: ({ username }) =>
      Promise.all(
        registry.applicationsOf(username).map(async (application) => ({
          name: application.spec.name,
          ...(await running.stateOf(deployed(application))),
          secrets: Object.keys(application.secrets).sort(),
        })),
      ),

    async log({ username, name }) {
      const account = registry.account(username)
      if (account === null || registry.application(username, name) === null) return { text: '' }
      const path = `${applicationPlace(name)}/${LOG_NAME}`
      const ask = (offset: number, length: number) =>
        helpers.ask(account, { op: 'readPart', path, offset, length, identity: null })
      try {
        const { data } = await ask(0, 0)
        const offset = Math.max(0, data.facts.sizeBytes - MOST_LOG_BYTES)
        const { body } = await ask(offset, MOST_LOG_BYTES)
        return { text: body.toString('utf8').replace(/^\uFFFD+/, '') }
      } catch (error) {
        if (isAppError(error) && error.status === 404) return { text: '' }
        throw error
      }
    },

    async ensure(domain, asked) {
      const host = registry.vhost(domain)
      const name = host === null ? null : applicationAsked(host, asked)
      if (host === null || name === null) throw notFound(`No application belongs to ${domain}.`)
      const current = wanted(host.username, name)
      current()
      await running.ensure(host.username, name, current)
    },

    async switch({ username, name, ...to }) {
      const account = activeAccount(registry, username)
      await releases.switch(account, known(username, name).spec.folder, to)
    },

    async share({ username, name, release, paths }) {
      const account = activeAccount(registry, username)
      await releases.share(account, known(username, name).spec.folder, release, paths)
    },

    async commit({ username, name, release }) {
      const account = activeAccount(registry, username)
      return releases.commit(account, known(username, name).spec.folder, release)
    },

    pushes: async ({ done }) => deps.pushes?.waiting(done) ?? [],

    tellPush: async ({ id, text, ended }) => ({
      heard: deps.pushes?.tell(id, text, ended) ?? false,
    }),

    async deployKey({ username, name }) {
      const account = activeAccount(registry, username)
      known(username, name)
      return { publicKey: await releases.key(account, name) }
    },

    surroundings(username, name, release) {
      const account = activeAccount(registry, username)
      const application = known(username, name)
      return {
        directory: folderOf(account.home, application.spec.folder, release),
        env: environmentOf(account, application, runtimes),
        programs: runtimes.path(application.spec.runtime),
      }
    },

    async stopAccount(username) {
      await Promise.all(
        registry.applicationsOf(username).map(({ spec }) => running.stop(username, spec.name)),
      )
    },

    startAccount: (username) =>
      void launchAll(registry.applicationsOf(username).filter((one) => one.wanted === 'running')),

    async removeAccount(username) {
      for (const { spec } of registry.applicationsOf(username)) {
        registry.wantApplication(username, spec.name, 'stopped')
        await running.stop(username, spec.name)
        registry.removeApplication(username, spec.name)
      }
    },

    async start() {
      await running.adopt(({ username, name, uid }) => {
        const account = registry.account(username)
        const application = registry.application(username, name)
        if (account === null || account.suspended || account.uid !== uid) return null
        return application?.wanted === 'running' ? deployed(application) : null
      })
      lookAgain()
      timer = setInterval(lookAgain, deps.sweepEveryMs ?? SWEEP_EVERY_MS)
      timer.unref()
    },

    async stopAll() {
      closed = true
      clearInterval(timer)
      await running.stopAll()
    },
  }
}
