import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JobRow } from '#handlers/ports/jobs.ts'
import type { Judge } from '#handlers/ports/judge.ts'
import { createJournal } from '#handlers/services/journal/journal.ts'
import { operationKinds } from '#handlers/services/operation-kinds.ts'
import { createPanelNames } from '#handlers/services/panel-names.ts'
import { createSftpTurn } from '#handlers/services/sftp/sftp-turn.ts'
import { createVirtualHosts } from '#handlers/services/virtual-hosts/virtual-hosts.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import { createFakeBackground } from '#test/fakes/fake-background.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import { createFakePasswords } from '#test/fakes/fake-passwords.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { sampled } from '#test/support/sampled.ts'
import type { CrashCase } from './support/cases.ts'
import { crashCases } from './support/cases.ts'
import type { Death, Victim } from './support/mortal.ts'
import type { Panel, Rehearsal } from './support/rehearsal.ts'
import { createRehearsal } from './support/rehearsal.ts'
import type { State } from './support/state-of.ts'
import { stateOf } from './support/state-of.ts'
import { driftOf } from '#test/contract/host/drift-of.ts'

const VICTIMS: Victim[] = ['panel', 'agent', 'gone', 'both']
const cases = crashCases()

const isCall = (event: string): boolean => event.includes('.')

/**
 * All points that differ: for a panel the end of one event is the beginning of
 * the next, and an agent's death is noticed in calls alone.
 */
const pointsOf = (victim: Victim, events: readonly string[]): Omit<Death, 'victim'>[] =>
  [...events.entries()].flatMap(([at, event]) => {
    const after = { at, when: 'after' as const }
    const before = { at, when: 'before' as const }
    if (victim === 'panel') return at === 0 ? [before, after] : [after]
    if (!isCall(event)) return []
    return victim === 'both' ? [after] : [before, after]
  })

/** Some of them: each run kills at others. */
const somePointsOf = (one: CrashCase, victim: Victim, events: readonly string[]) =>
  sampled(`deaths of ${victim} in ${one.name}`, pointsOf(victim, events), { keep: 1 })

/** What became of a request, once everything was started again and has come to rest. */
interface Outcome {
  before: State
  /** When the first death had struck, before anything was settled. */
  atDeath: State
  after: State
  acknowledged: boolean
  /** How it was followed, if it was. */
  job: JobRow | null
  findings: unknown
  journal: { kind: string; state: string; steps: string[] }[]
  /** Writes and calls of the request, and of what settled it. */
  events: string[]
  settling: string[]
}

/** Sends the request of a case; null when the panel died before it answered. */
const act = async (panel: Panel, one: CrashCase, rehearsal: Rehearsal, asJob: boolean) => {
  const filename = (await rehearsal.store.listBackups()).rows[0]?.filename ?? ''
  const snapshot = (await rehearsal.store.listSnapshots()).rows[0]?.id ?? ''
  if (one.archive !== undefined)
    rehearsal.host.imports.archives.set(`local/${filename}`, one.archive)
  const answer = panel.admin.send(
    one.method,
    one.path.replace('{filename}', filename).replace('{snapshot}', snapshot),
    one.body,
    asJob ? { prefer: 'respond-async' } : {},
  )
  const first = await Promise.race([answer, panel.death])
  await panel.idle()
  return first ?? null
}

/**
 * Plays a case with `death` in it; all that died is started again. `second` is a
 * death of the panel while it settles what the first left.
 */
const play = async (
  one: CrashCase,
  death: Death | null,
  { asJob = false, second = null as Death | null } = {},
): Promise<Outcome> => {
  const rehearsal = await createRehearsal()
  const { store, host, agent, start, startSilent, journal } = rehearsal
  try {
    const preparing = start()
    await one.prepare(preparing.admin)
    await preparing.idle()
    if (one.wordpress !== undefined)
      for (const all of host.wordpress.installed.values())
        for (const found of all) found.version = one.wordpress
    if (one.plugin !== undefined)
      for (const all of host.wordpress.installed.values())
        for (const plugin of all.flatMap(({ plugins }) => plugins)) plugin.version = one.plugin
    const known = journal().at(-1)?.seq ?? 0
    const before = await stateOf(store, host)

    const panel = start(death)
    const answer = await act(panel, one, rehearsal, asJob)
    const atDeath = await stateOf(store, host)
    agent.up = true
    let settling: string[] = []
    const again = async (next: Death | null): Promise<boolean> => {
      const living = startSilent(next)
      await Promise.race([living.settleOpenOperations(), living.death])
      await living.idle()
      settling = living.events
      return living.dead
    }
    if (panel.dead) {
      if (await again(second)) await again(null)
    } else if (death?.victim === 'gone') {
      // It is there again when the panel tries next.
      await panel.settleOpenOperations()
      await panel.idle()
    }
    const [job = null] = (await store.listJobs()).rows
    // A backup that was broken off is told as such, which is right.
    const findings = driftOf(await startSilent().examine())
    return {
      before,
      atDeath,
      after: await stateOf(store, host),
      acknowledged: asJob ? job?.state === 'done' : answer?.status === 200,
      job,
      findings,
      journal: journal(known),
      events: panel.events,
      settling,
    }
  } finally {
    vi.clearAllTimers()
    await rehearsal.close()
  }
}

const without = (state: State, keys: readonly (keyof State)[]): State =>
  Object.fromEntries(Object.entries(state).filter(([key]) => !keys.includes(key)))

/** Finished or undone, nothing orphaned, and whoever was told of success was told the truth. */
const expectWhole = (one: CrashCase, whole: State, outcome: Outcome, what: string): void => {
  const { before, after, acknowledged, findings, job, journal } = outcome
  const apart = one.apart ?? []
  expect(after, what).toMatchObject({
    archivesWithoutRecord: [],
    recordsWithoutArchive: [],
    snapshotsWithoutRecord: [],
    recordsWithoutSnapshot: [],
    openOperations: [],
  })
  expect(findings, what).toEqual([])
  expect(
    journal.filter(({ state }) => state === 'open'),
    what,
  ).toEqual([])
  const fine = acknowledged ? [whole] : [before, whole]
  expect(
    fine.map((state) => without(state, apart)),
    what,
  ).toContainEqual(without(after, apart))
  if (acknowledged) expect(after, what).toEqual(whole)
  if (job !== null) expect(['done', 'failed'], what).toContain(job.state)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('every kind of operation that the journal knows has a case here', async () => {
  const { store, host, close } = await createRehearsal()
  try {
    const deps = {
      store,
      host: aloneHost(host.ports),
      passwords: createFakePasswords(),
      clock: createFakeClock(),
      license: communityLicense,
      log: createRecordingLog(),
      background: createFakeBackground(),
      judges: new AsyncLocalStorage<Judge | null>(),
      homeBase: '/home',
    }
    const panelNames = createPanelNames(deps, [])
    const kinds = operationKinds({
      ...deps,
      panelNames,
      journal: createJournal(deps),
      vhosts: createVirtualHosts(deps),
      turn: createSftpTurn(deps),
      fronts: { bringAccount: async () => undefined },
    })
    // No request begins it and it has no step: that it ended is all that it tells.
    // A move takes two machines: test/node/contract/moves lets each of its calls fail, before and after.
    const without = ['backup.overdue', 'account.relocate', 'account.relocated']
    // The service that makes it registers it, since it is settled through other services.
    const registered = ['backup.settings']
    expect([...new Set(cases.flatMap((one) => one.kinds)), ...without].sort()).toEqual(
      [...kinds.map(({ kind }) => kind), ...registered].sort(),
    )
  } finally {
    await close()
  }
})

describe.each(cases)('$name', (one) => {
  const ways = one.job === true ? [false, true] : [false]
  /** What several of these tests look at is played once: the same story ends the same way. */
  const known = new Map<string, Promise<Outcome>>()
  const playOnce = (death: Death | null, asJob = false): Promise<Outcome> => {
    const key = JSON.stringify([death, asJob])
    const outcome = known.get(key) ?? play(one, death, { asJob })
    known.set(key, outcome)
    return outcome
  }
  afterAll(() => known.clear())

  test('undisturbed it is acknowledged, whole and journalled', async () => {
    for (const asJob of ways) {
      const { before, after, acknowledged, findings, journal, settling } = await playOnce(
        null,
        asJob,
      )
      expect({ acknowledged, findings, settling }).toEqual({
        acknowledged: true,
        findings: [],
        settling: [],
      })
      expect(journal.map(({ kind }) => kind)).toEqual(one.kinds)
      for (const { state, steps } of journal) {
        expect(state).toBe('done')
        expect(steps).not.toEqual([])
      }
      if (one.kinds.length > 0) expect(after).not.toEqual(before)
    }
  })

  test.each(VICTIMS)('death of %s at every write and call', async (victim) => {
    // Only a panel's death leaves a job behind.
    const diesWithIt = victim === 'panel' || victim === 'both'
    for (const asJob of diesWithIt ? ways : [false]) {
      const { after: whole, events } = await playOnce(null, asJob)
      for (const { at, when } of somePointsOf(one, victim, events)) {
        const outcome = await playOnce({ victim, at, when }, asJob)
        const what = `${victim} ${when} ${at} ${events[at]}${asJob ? ' as a job' : ''}`
        expectWhole(one, whole, outcome, what)
      }
    }
  })

  test('death of the panel, and another one at every point of settling', async () => {
    const { after: whole, events } = await playOnce(null)
    const seen = new Set<string>()
    const pairs: { at: number; then: number; what: string }[] = []
    for (const { at, when } of somePointsOf(one, 'panel', events)) {
      if (when === 'before') continue
      const death: Death = { victim: 'panel', at, when }
      const { settling, atDeath } = await playOnce(death)
      // The same state settled the same way need not be broken off twice.
      const way = JSON.stringify([atDeath, settling])
      if (seen.has(way)) continue
      seen.add(way)
      for (const [then, name] of settling.entries()) {
        const what = `panel after ${at} ${events[at]}, then after ${then} ${name}`
        pairs.push({ at, then, what })
      }
    }
    for (const { at, then, what } of sampled(`two deaths in ${one.name}`, pairs, { keep: 1 })) {
      const death: Death = { victim: 'panel', at, when: 'after' }
      const second: Death = { victim: 'panel', at: then, when: 'after' }
      expectWhole(one, whole, await play(one, death, { second }), what)
    }
  })
})
