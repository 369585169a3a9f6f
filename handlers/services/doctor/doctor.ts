import { isAppError } from '../../errors.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Journal } from '../journal/journal.ts'
import type { Regenerate } from '../virtual-hosts/virtual-hosts.ts'
import type { Fronts } from '../fronts/fronts.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { compareAccounts } from './compare-accounts.ts'
import { compareDatabaseAccess } from './compare-database-access.ts'
import { compareLogIns, readLogIns, type HostLogInsOf } from './compare-log-ins.ts'
import {
  compareApplications,
  readHostApplications,
  type HostApplications,
} from './compare-applications.ts'
import { compareBackups } from './compare-backups.ts'
import { compareHosting, compareVirtualHosts } from './compare-hosting.ts'
import { APPLICATION_DEPLOY } from '../applications/applications.ts'
import { createWaiting } from '../backups/backups.ts'
import { findClosedHosts, findFronts } from './hosts/find-fronts.ts'
import { findLinkKeys } from './find-link-keys.ts'
import { findMail } from './find-mail.ts'
import { findRecovery } from './find-recovery.ts'
import { findSharedRooms } from './find-shared-rooms.ts'
import { findUnheldAccounts } from './find-unheld-accounts.ts'
import { findUnsharedDisk } from './find-unshared-disk.ts'
import { findSkew, findStore } from './find-store.ts'
import { findStalls } from './find-stalls.ts'
import type { Diagnosis, Examination, Finding, Skipped, Treatment } from './finding.ts'
import type { Judgement } from './machine/judgement.ts'
import { lookAtMachine } from './machine/look-at-machine.ts'
import { readRecords } from './records.ts'
import type { Records } from './records.ts'
import { createRepairs } from './repairs.ts'
import { WHY_OF_KIND } from './why-of-kind.ts'

export { shortageOf } from './machine/judge-disks.ts'

/** Compares the panel's records with the host, and looks at the machine beneath. */
export interface Doctor {
  /** What differs. What a running operation may explain is skipped. */
  examine(): Promise<Examination>
  /** Puts right what can be, each after another look, and examines again. */
  treat(): Promise<Treatment>
}

type Deps = ServiceDeps & {
  fronts: Fronts
  journal: Journal
  turn: SftpTurn
  vhosts: VirtualHosts
  regenerate: Regenerate
}

/** Operations that are open for longer are not just running. */
const STALE_SECS = 10 * 60

const NOT_OURS =
  'That machine has a panel of its own, which may have made it: look there, and delete it there.'

const keyOf = ({ kind, subject, what, hostId = LOCAL_HOST }: Diagnosis): string =>
  `${hostId}\n${kind}\n${subject}\n${what}`

const findingOf = (found: Diagnosis, names: ReadonlyMap<number, string>): Finding => {
  const { kind, level = 'fault', subject, what, why = WHY_OF_KIND[kind], fix, repair } = found
  const host = names.get(found.hostId ?? LOCAL_HOST)
  const told = { kind, level, subject, what, why, fix, repairable: repair !== null }
  return host === undefined ? told : { ...told, host }
}

/** What was seen of each host that answered. */
interface Looked {
  drift: Diagnosis[]
  records: Map<number, Records>
  skipped: Skipped[]
}

export const createDoctor = (deps: Deps): Doctor => {
  const { store, host, clock, log } = deps
  const repairs = createRepairs(deps, STALE_SECS)

  const compareOperations = (
    hostId: number,
    records: Records,
    found: HostInspection,
  ): Diagnosis[] => {
    const latest = timestamp(clock.nowMs() - STALE_SECS * 1000)
    return [
      // What is open in the panel is told once.
      ...(hostId === LOCAL_HOST ? records.operations : [])
        .filter(({ created_at }) => created_at <= latest)
        // A build may take an hour.
        .filter(
          ({ kind, subject }) => kind !== APPLICATION_DEPLOY || !records.busy.includes(subject),
        )
        .map(({ kind, subject, created_at }): Diagnosis => ({
          kind: 'operation',
          subject,
          what: `${kind} is open since ${created_at}`,
          fix: 'Finishes or undoes it.',
          repair: { do: 'settle' },
          username: null,
        })),
      ...found.operations
        .filter(({ ageSecs }) => ageSecs > STALE_SECS)
        .map(({ kind, subject }): Diagnosis => ({
          kind: 'operation',
          subject,
          what: `${kind} is open on the host since long`,
          fix: 'Restart Berth: the host finishes or undoes it when it starts.',
          repair: null,
          username: null,
        })),
    ]
  }

  const comparePaths = ({ paths }: HostInspection): Diagnosis[] =>
    paths.map(({ path, problem, repairable }) => ({
      kind: 'path',
      subject: path,
      what: problem,
      fix: repairable
        ? 'Sets owner, group and mode.'
        : 'Restart Berth: what is missing is made at its start.',
      repair: repairable ? { do: 'repair-path', path } : null,
      username: null,
    }))

  const compare = (
    hostId: number,
    records: Records,
    found: HostInspection,
    logIns: HostLogInsOf,
    applications: HostApplications,
  ): Diagnosis[] => {
    const busy = new Set([
      ...records.busy,
      ...records.operations.map(({ subject }) => subject),
      ...records.accounts
        .filter(({ status }) => status === 'creating' || status === 'deleting')
        .map(({ username }) => username),
    ])
    // Certificates and backups are settled under subjects of their own, which end in the name.
    const isBusy = ({ username, subject }: Diagnosis): boolean =>
      (username !== null && busy.has(username)) ||
      [...busy].some((one) => one.endsWith(`:${subject}`) || one.endsWith(`:${username}`))
    const own = new Set(records.accounts.map(({ username }) => username))
    /** What a move has left goes by itself. */
    const isCopy = ({ username }: Diagnosis): boolean =>
      username !== null && records.copies.has(username) && !own.has(username)
    /**
     * A machine may be commanded by its own panel and by one elsewhere, and neither has the other's records:
     * what only the other can know of is no fault here, and never this one's to remove.
     */
    const ofOthers = (one: Diagnosis): Diagnosis[] => {
      if (one.username === null || own.has(one.username)) return [one]
      if (hostId === LOCAL_HOST) return found.panels.length > 0 ? [] : [one]
      return [{ ...one, fix: NOT_OURS, repair: null }]
    }
    return [
      ...[
        ...compareAccounts(records, found),
        ...compareVirtualHosts(records, found),
        ...compareHosting(records, found),
        ...compareDatabaseAccess(records, found),
        ...compareLogIns(records, logIns),
        ...compareApplications(records, applications),
        ...compareBackups(records, found),
      ].flatMap((one) => (isBusy(one) || isCopy(one) ? [] : ofOthers(one))),
      ...comparePaths(found),
      ...findSharedRooms(found),
      ...findUnheldAccounts(found),
      ...findUnsharedDisk(records, found),
      ...compareOperations(hostId, records, found),
    ]
  }

  const diagnoseHost = async (
    hostId: number,
  ): Promise<{ drift: Diagnosis[]; records: Records }> => {
    const ports = host.of(hostId)
    // What changes while the host is looked at differs from one of the two, and is no drift.
    const before = await readRecords(deps, hostId)
    const found = await ports.inspection.inspect()
    const logIns = await readLogIns(ports, deps.turn, before)
    const applications = await readHostApplications(ports, before.accounts)
    const after = await readRecords(deps, hostId)
    const compared = (records: Records) => compare(hostId, records, found, logIns, applications)
    const alsoBefore = new Set(compared(before).map(keyOf))
    const { stalls } = await ports.webServer.status()
    const mail = await ports.mailQueue.status().catch(() => null)
    const drift = compared(after).filter((one) => alsoBefore.has(keyOf(one)))
    const all = [...drift, ...findStalls(stalls), ...findMail(mail, clock.nowMs())]
    return {
      drift: hostId === LOCAL_HOST ? all : all.map((one) => ({ ...one, hostId })),
      records: after,
    }
  }

  /** All hosts; one that does not answer is not looked at, whatever is on it. */
  const diagnose = async (): Promise<Looked> => {
    const { drift, records } = await diagnoseHost(LOCAL_HOST)
    const looked: Looked = { drift, records: new Map([[LOCAL_HOST, records]]), skipped: [] }
    looked.drift.push(...findClosedHosts(await deps.fronts.closedHosts()))
    for (const { id, name, role } of await others()) {
      try {
        await host.assertPresent(id)
        if (role === 'front') {
          const differences = await deps.fronts.differences(id)
          // What is being brought just now is no drift.
          if (differences.length > 0) await deps.fronts.bring()
          const after = differences.length > 0 ? await deps.fronts.differences(id) : []
          looked.drift.push(...findFronts(id, differences, after))
          continue
        }
        const one = await diagnoseHost(id)
        looked.drift.push(...one.drift)
        looked.records.set(id, one.records)
      } catch (error) {
        const reason = isAppError(error) ? error.message : 'See the panel log.'
        looked.skipped.push({ check: `host ${name}`, reason: `It was not looked at. ${reason}` })
        log.warn('a host was not looked at', { host: name, error: String(error) })
      }
    }
    return looked
  }
  const others = async () =>
    (await store.listHosts()).filter(({ id, state }) => id !== LOCAL_HOST && state !== 'joining')
  const machines = async ({ records }: Looked): Promise<Judgement> => {
    const whole: Judgement = { findings: [], skipped: [] }
    for (const [hostId, known] of records) {
      const looking = lookAtMachine(deps, host.of(hostId).machine, known)
      const { findings, skipped } = await looking
      whole.findings.push(
        ...(hostId === LOCAL_HOST ? findings : findings.map((one) => ({ ...one, hostId }))),
      )
      whole.skipped.push(...skipped)
    }
    return whole
  }

  const server = async (): Promise<Diagnosis[]> => [
    ...findStore((await deps.storeProblem?.()) ?? null),
    ...findSkew(deps.storeSkewMs?.() ?? 0),
    ...(await findLinkKeys(deps)),
  ]

  const recovery = async (): Promise<Diagnosis[]> => {
    if (deps.recovery === undefined) return []
    return findRecovery(deps.recovery(), (await createWaiting(deps).ids()).size)
  }

  const report = async (looked: Looked): Promise<Examination> => {
    const machine = await machines(looked)
    const own = [...(await server()), ...(await recovery())]
    const names = new Map((await others()).map(({ id, name }) => [id, name]))
    const findings = [...looked.drift, ...machine.findings, ...own].map((one) =>
      findingOf(one, names),
    )
    return {
      clean: findings.every(({ level }) => level !== 'fault'),
      findings,
      skipped: [...machine.skipped, ...looked.skipped],
    }
  }

  return {
    examine: async () => report(await diagnose()),
    async treat() {
      const { drift: found } = await diagnose()
      const failed = await repairs.carryOut(found)
      const left = await diagnose()
      const remaining = new Set(left.drift.map(keyOf))
      const repaired = found.filter((one) => one.repair !== null && !remaining.has(keyOf(one)))
      for (const { kind, subject, what } of repaired)
        log.warn('drift repaired', { kind, subject, what })
      const names = new Map((await others()).map(({ id, name }) => [id, name]))
      return {
        ...(await report(left)),
        repaired: repaired.map((one) => findingOf(one, names)),
        failed,
      }
    },
  }
}
