import { conflict, invalid, notFound, unprocessable } from '#handlers/errors.ts'
import type { CronRunOrder } from '#handlers/ports/host/cron.ts'
import type {
  ApplicationsPort,
  ApplicationSpec,
  ApplicationState,
  Push,
} from '#handlers/ports/host/applications.ts'

/** An application as the fake keeps it. */
interface Kept {
  spec: ApplicationSpec
  secrets: Map<string, string>
  /** What runs, or would but for a suspension; null: it is stopped. */
  runs: { spec: ApplicationSpec; pid: number; since: string } | null
  log: string
  /** Releases that are there. */
  releases: Set<string>
  current: string | null
  /** What releases have in common, by release. */
  shared: Map<string, string[]>
}

export interface FakeApplications extends ApplicationsPort {
  /** By `username/name`, for assertions. */
  kept: Map<string, Kept>
  /** What a visitor of its socket would read; null: nothing answers. */
  answers(username: string, name: string): string | null
  /** A repository was fetched into a release of an application. */
  fetched(order: Pick<CronRunOrder, 'username' | 'application' | 'program'>): void
  /** Somebody pushed. */
  push(push: Omit<Push, 'id'>): void
  /** What was told to who pushed, by ids of pushes. */
  told: Map<string, string>
  /** Forgets all of an account. */
  forget(username: string): void
}

const RUNTIMES = { node: ['24.21.0', '22.22.0'], python: ['3.11.2'] }
const FIRST_PID = 1000

/** What a start line of the contract suite would do; every other one runs and answers nothing in particular. */
const resultOf = (line: string): { answer: string; says: string; code: number | null } => ({
  answer: /\.end\('(\w+)'\)/.exec(line)?.[1] ?? '',
  says: /(?:console\.log\('|echo )([\w ]+)/.exec(line)?.[1] ?? '',
  code: Number(/(?:^|; )exit (\d+)$/.exec(line)?.[1] ?? Number.NaN),
})

/** Runs nothing: a line that ends in `exit N` fails to start, every other one runs. */
export const createFakeApplications = (
  stateOf: (username: string) => 'active' | 'suspended' | null,
): FakeApplications => {
  const kept = new Map<string, Kept>()
  let pids = FIRST_PID
  let pushed: Push[] = []
  const told = new Map<string, string>()
  const gone = new Set<string>()
  const keyOf = ({ username, name }: { username: string; name: string }) => `${username}/${name}`
  const find = (of: { username: string; name: string }): Kept => {
    const found = kept.get(keyOf(of))
    if (found === undefined) throw notFound(`${of.username} has no application "${of.name}".`)
    return found
  }
  const running = ({ spec, runs }: Kept) =>
    runs !== null && stateOf(spec.username) === 'active' ? runs : null
  const stateView = (one: Kept): ApplicationState => {
    const now = running(one)
    return {
      name: one.spec.name,
      state: now === null ? 'stopped' : 'running',
      pid: now?.pid ?? null,
      since: now?.since ?? null,
      restarts: 0,
      runningInstances: now?.spec.instances ?? (now === null ? 0 : 1),
      code: null,
      problem: null,
      secrets: [...one.secrets.keys()].sort(),
    }
  }
  return {
    kept,
    answers(username, name) {
      const one = kept.get(`${username}/${name}`)
      const now = one === undefined ? null : running(one)
      return now === null ? null : resultOf(now.spec.start ?? '').answer
    },
    fetched({ username, application = '', program }) {
      if (program.kind === 'source')
        kept.get(`${username}/${application}`)?.releases.add(program.release)
    },
    forget(username) {
      for (const [key, { spec }] of kept) if (spec.username === username) kept.delete(key)
    },
    runtimes: async () => ({ node: [...RUNTIMES.node], python: [...RUNTIMES.python] }),
    async put({ spec, secrets }) {
      if (stateOf(spec.username) === null)
        throw notFound(`There is no account "${spec.username}" on this host.`)
      const { kind, version } = spec.runtime
      if (kind !== 'none' && version !== null && !RUNTIMES[kind].includes(version))
        throw invalid('runtime_version', `runtime_version ${version} of ${kind} is not installed.`)
      const before = kept.get(keyOf(spec))
      const one = before ?? {
        spec,
        secrets: new Map<string, string>(),
        runs: null,
        log: '',
        releases: new Set<string>(),
        current: null,
        shared: new Map<string, string[]>(),
      }
      one.spec = spec
      for (const [name, value] of Object.entries(secrets))
        if (value === null) one.secrets.delete(name)
        else one.secrets.set(name, value)
      kept.set(keyOf(spec), one)
    },
    async remove(of) {
      kept.delete(keyOf(of))
    },
    async deploy(of) {
      const one = find(of)
      if (stateOf(of.username) !== 'active') throw conflict(`Account ${of.username} is suspended.`)
      if (one.spec.start === null) throw conflict(`${of.name} is a site, of which nothing runs.`)
      const { says, code } = resultOf(one.spec.start)
      one.log = `${one.log}${says}\n`
      if (code !== null && !Number.isNaN(code))
        throw unprocessable(`${of.name} ended with code ${code} before it answered:\n${says}`)
      const since = new Date().toISOString()
      one.runs = { spec: one.spec, pid: (pids += 1), since }
    },
    async stop(of) {
      find(of).runs = null
    },
    async switch({ release, serves, keep, ...of }) {
      const one = find(of)
      if (!one.releases.has(release)) throw conflict(`There is no release ${release} any more.`)
      if (serves === 'missing')
        throw conflict(`The release has no folder ${serves}, which is to be served.`)
      one.current = release
      one.releases = new Set([...one.releases].filter((name) => [release, ...keep].includes(name)))
    },
    async share({ release, paths, ...of }) {
      find(of).shared.set(release, paths)
    },
    commit: async ({ release, ...of }) =>
      find(of).releases.has(release)
        ? {
            id: release.replace(/\D/g, '').padEnd(40, '0'),
            subject: `Made ${release}`,
          }
        : null,
    pushes: async ({ done }) => (pushed = pushed.filter(({ id }) => !done.includes(id))),
    told,
    async tellPush({ id, text, ended }) {
      const before = told.get(id)
      if (before === undefined || gone.has(id)) return { heard: false }
      told.set(id, `${before}${text}${ended === null ? '' : `${ended}\n`}`)
      if (ended !== null) gone.add(id)
      return { heard: true }
    },
    push(push) {
      const id = crypto.randomUUID()
      told.set(id, '')
      pushed.push({ id, ...push })
    },
    async deployKey(of) {
      find(of)
      return { publicKey: `ssh-ed25519 AAAAfake${of.username}${of.name} ${of.username}-${of.name}` }
    },
    states: async ({ username }) =>
      [...kept.values()]
        .filter(({ spec }) => spec.username === username)
        .map(stateView)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    log: async (of) => ({ text: kept.get(keyOf(of))?.log ?? '' }),
  }
}
