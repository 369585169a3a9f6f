import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, unavailable } from '../../errors.ts'
import type { CertificateFiles } from '../../ports/host/certificates.ts'
import type { Report } from '../../ports/jobs.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import type { Journal, Step } from '../journal/journal.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { assertMovable, findTarget } from './assert-movable.ts'
import { copyHome } from './copy-home.ts'
import type { CopiedHome } from './copy-home.ts'
import { addressOf, atHome, leadTo } from './lead-to.ts'
import { ACCOUNT_RELOCATE, ACCOUNT_RELOCATED } from './operations.ts'
import { givingWay, heeding } from './giving-way.ts'
import { prepareTarget } from './prepare-target.ts'
import { receiptOf, relay, withStream } from './relay.ts'
import { whereItIs } from './where-it-is.ts'

const COPY_SECS = 7 * 86_400

/** How a move went. */
export interface MovedAccount {
  username: string
  /** Names of hosts. */
  from: string
  to: string
  /** For how long nothing of it worked but pages that were stored, in seconds. */
  down_secs: number
  /** Entries and bytes that were sent in all. */
  entries: number
  bytes: number
  /** What did not move: devices, sockets, links that lead out of the home, what the account may not read. */
  skipped: number
  /** Paths of the first of them. */
  skipped_paths: string[]
  /** Until when a copy stays on the former host; null: the account had been moved before this was told. */
  copy_until: string | null
}

type Deps = ServiceDeps & { journal: Journal; turn: SftpTurn; vhosts: VirtualHosts }

/** In the account's turn: moves it to the host of that name. */
export type Relocate = (
  accountId: number,
  hostName: string,
  report: Report | undefined,
) => Promise<MovedAccount>

export const createRelocate = (deps: Deps): Relocate => {
  const { store, host, journal, clock, log, vhosts, turn } = deps
  return async (accountId, hostName, report) => {
    const account = await requireSettledAccount(store, accountId)
    const { username } = account
    const to = await findTarget(deps, account, hostName)
    const from = await store.hostById(account.host_id)
    const notUrged = givingWay(journal, username)
    const [source, target] = [host.of(account.host_id), host.of(to.id)]
    const [give, take] = [heeding(source.moves, notUrged), heeding(target.moves, notUrged)]
    const failed = (error: unknown, id = '') =>
      whereItIs(deps, { id, subject: username }, { from: from?.name ?? 'local', to }, error)
    try {
      await assertMovable(deps, account, [source, target], hostName)
    } catch (error) {
      throw await failed(error)
    }

    const data = { account_id: accountId, from: account.host_id, to: to.id }
    const operation = journal.newOperation(ACCOUNT_RELOCATE, username, data, report)
    const moved: OperationRow = journal.newOperation(ACCOUNT_RELOCATED, username, data, report)
    const order = { operationId: operation.id, username }
    const databases = await store.listDatabases(accountId)
    const copyUntil = Math.floor(clock.nowMs() / 1000) + COPY_SECS
    let made = { uid: 0, home: account.home }
    const copies: CopiedHome[] = []
    let certificates: { domain: string; files: CertificateFiles }[] = []
    let downSinceMs = 0

    const specsThere = async () =>
      (await vhosts.ofAccount({ ...account, host_id: to.id })).put.map((spec) => {
        const files = certificates.find((one) => one.domain === spec.domain)?.files
        const home = { from: account.home, to: made.home }
        return atHome({ ...spec, suspended: true }, home, files ?? null)
      })
    const copy = async (): Promise<CopiedHome> => {
      const since = copies[0]
      const done = await copyHome(
        give,
        take,
        username,
        since === undefined ? null : Math.max(0, since.beganSecs - 1),
      )
      copies.push(done)
      return done
    }
    const tablesOf = async (ports: typeof source): Promise<string> => {
      const facts = await ports.databases.facts({ username })
      const told = facts.map(({ engine, database, tables }) => `${engine} ${database} ${tables}`)
      return told.sort().join('\n')
    }

    const steps: Step[] = [
      {
        name: 'target',
        text: `Making the account on ${hostName}`,
        async run() {
          made = await prepareTarget(deps, [target, to.id], account, operation)
        },
      },
      {
        name: 'first-copy',
        text: 'Copying the files while the sites go on',
        run: async () => void (await copy()),
      },
      {
        name: 'sites',
        text: 'Making sites and certificates',
        async run() {
          await target.webServer.apply({ put: await specsThere(), remove: [] })
          const secrets = await give.secrets({ username })
          if ((await target.sftp.details()).available)
            await target.sftp.setLogins(await turn.loginsOf(account))
          certificates = await take.takeSecrets({ username, secrets })
          // After the switch such a site would name files that only the former host has, or says that it has.
          const served = (await vhosts.ofAccount({ ...account, host_id: to.id })).put
          const lacking = served
            .filter(({ domain, ssl }) => {
              const came = certificates.some((one) => one.domain === domain)
              return ssl !== null && !came
            })
            .map(({ domain }) => domain)
          if (lacking.length > 0)
            throw conflict(
              `${hostName} did not get the certificates of ${lacking.slice(0, 5).join(', ')}. Install them anew, or remove them, then move it again.`,
            )
          await target.webServer.apply({ put: await specsThere(), remove: [] })
          await target.users.suspend(order)
        },
      },
      {
        name: 'freeze',
        text: 'Closing the account for the last copy',
        async run() {
          downSinceMs = clock.nowMs()
          if (account.status !== 'active') return
          await source.users.suspend(order)
          await source.databases.setLocked({ ...order, locked: true })
        },
      },
      {
        name: 'second-copy',
        text: 'Copying what changed meanwhile',
        run: async () => void (await copy()),
      },
      {
        name: 'databases',
        text: 'Copying the databases',
        async run() {
          for (const { engine, database_name: database } of databases)
            await withStream(give, username, { kind: 'dump', engine, database }, (dump) =>
              withStream(take, username, { kind: 'load', engine, database }, async (load) => {
                await relay(dump, load)
                await receiptOf(load)
              }),
            )
        },
      },
      {
        name: 'compare',
        text: 'Comparing both hosts',
        async run() {
          const { entries, removed } = await copyHome(give, take, username, null)
          if (entries > 0 || removed > 0)
            throw conflict(`Files of ${username} still changed while it was closed. Move it again.`)
          const [before, after] = await Promise.all([tablesOf(source), tablesOf(target)])
          if (before !== after)
            throw conflict(
              `The databases of ${username} have not the same tables on ${hostName}. Move it again.`,
            )
        },
      },
      {
        name: 'switch',
        text: `Serving the account from ${hostName}`,
        async run() {
          const address = addressOf(to)
          const { put } = await vhosts.ofAccount(account)
          const done = await store.switchAccount(
            {
              ...{ accountId, from: account.host_id, to: to.id, uid: made.uid, certificates },
              home: { from: account.home, to: made.home },
              copy: {
                ...{ username, host_id: account.host_id, until_secs: copyUntil },
                leads: put.map((spec) => leadTo({ ...spec, suspended: false }, address)),
              },
              at: timestamp(clock.nowMs()),
            },
            moved,
          )
          if (!done) throw conflict(`Account ${username} was moved by somebody else meanwhile.`)
          await store.deleteAccountCopy({ username, host_id: to.id })
        },
      },
    ]
    await store.openOperation(operation)
    try {
      await journal.create(operation, steps, report)
    } catch (error) {
      throw await failed(error, operation.id)
    }
    try {
      await journal.finish(moved, report)
    } catch (error) {
      throw unavailable(
        `Account ${username} is on ${hostName} now, but not every step is done yet. It is being tried again; see the panel log.`,
        error,
      )
    }
    const [first] = copies
    log.info('an account was moved', { username, from: account.host_id, to: to.id })
    return {
      ...{ username, from: from?.name ?? 'local', to: hostName },
      down_secs: Math.ceil((clock.nowMs() - downSinceMs) / 1000),
      entries: copies.reduce((sum, one) => sum + one.entries, 0),
      bytes: copies.reduce((sum, one) => sum + one.bytes, 0),
      skipped: first?.skipped ?? 0,
      skipped_paths: first?.skippedPaths ?? [],
      copy_until: timestamp(copyUntil * 1000),
    }
  }
}
