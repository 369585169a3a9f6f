import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { fail } from '#handlers/envelope.ts'
import type { Judge } from '#handlers/ports/judge.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { createJournal } from '#handlers/services/journal/journal.ts'
import { createLeases, Superseded } from '#handlers/services/journal/leases.ts'
import { createFakeBackground } from '#test/fakes/fake-background.ts'
import { createFakeClock } from '#test/fakes/fake-clock.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

/** What a step stands still at until it is told to go on. */
const gate = () => {
  let open = (): void => undefined
  let reached = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const isReached = new Promise<void>((resolve) => (reached = resolve))
  const stop = (): Promise<void> => {
    reached()
    return opened
  }
  return { open, isReached, stop }
}

/** A store whose leases last so long and are not renewed, as those of a process that stands still. */
const frozen = (store: Store, ttlMs: number, change: Partial<Store> = {}): Store => ({
  ...store,
  takeLease: (order) => store.takeLease({ ...order, ttlMs }),
  renewLeases: () => new Promise(() => undefined),
  ...change,
})

const turns = new AsyncLocalStorage<Turn | null>()

describe('several instances of the panel over one store', () => {
  let folder: string
  let store: Store
  let close: () => void
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-instances-'))
    ;({ store, close } = await openStore(join(folder, 'panel.db')))
  })
  afterEach(() => {
    close()
    rmSync(folder, { recursive: true, force: true })
  })

  const done: string[] = []
  const step = (name: string, run = (): Promise<void> => Promise.resolve()) => ({
    name,
    async run() {
      await run()
      done.push(name)
    },
  })
  const panel = (instance: string, over: Store = store) => {
    const background = createFakeBackground()
    const journal = createJournal({
      store: over,
      clock: createFakeClock(),
      log: createRecordingLog(),
      background,
      judges: new AsyncLocalStorage<Judge | null>(),
      ...{ instance, turns },
    })
    journal.register({ kind: 'make', settle: 'undo', steps: () => [step(`undone by ${instance}`)] })
    const make = (steps: ReturnType<typeof step>[]) =>
      journal.exclusively('alice', async () => {
        const operation = journal.newOperation('make', 'alice', {})
        await store.openOperation(operation)
        await journal.create(operation, steps)
      })
    return { journal, background, make }
  }
  const stored = () =>
    Promise.all(
      (['done', 'undone'] as const).map((state) =>
        store.endedOperations(state, ['make'], '2000-01-01 00:00:00'),
      ),
    )
  beforeEach(() => {
    done.length = 0
  })

  test('one waits while another changes the same, and not for anything else', async () => {
    const [one, other] = [panel('one'), panel('other')]
    const halt = gate()
    const first = one.make([step('first', halt.stop)])
    await halt.isReached
    const second = other.make([step('second')])
    await other.journal.exclusively('bob', () => Promise.resolve())
    expect(await other.journal.busy()).toContain('alice')
    // At work: nobody else's to settle, at a start neither.
    await other.journal.settleOpenOperations()
    await other.journal.settleAbandoned()
    expect(done).toEqual([])
    halt.open()
    await Promise.all([first, second])
    expect(done).toEqual(['first', 'second'])
    expect(await other.journal.busy()).toEqual([])
  })

  test('what was urgent goes before what waits elsewhere', async () => {
    const [one, other, third] = [panel('one'), panel('other'), panel('third')]
    const halt = gate()
    const first = one.make([step('first', halt.stop)])
    await halt.isReached
    const urgent = third.journal.exclusively(
      'alice',
      async () => void done.push('urgent'),
      undefined,
      true,
    )
    const waiting = [one.make([step('again')]), other.make([step('second')])]
    await new Promise((resolve) => setTimeout(resolve, 100))
    halt.open()
    await Promise.all([first, urgent, ...waiting])
    expect(done.slice(0, 2)).toEqual(['first', 'urgent'])
    expect(done.toSorted()).toEqual(['again', 'first', 'second', 'urgent'])
  })

  test('who starts again has no own lease to wait for', async () => {
    const halt = gate()
    const crashed = panel('one').make([step('never', halt.stop)])
    await halt.isReached
    const began = Date.now()
    await panel('one').journal.settleOpenOperations()
    expect(Date.now() - began).toBeLessThan(5000)
    expect(done).toEqual(['undone by one'])
    // The process that was taken for dead writes nothing any more.
    halt.open()
    await expect(crashed).rejects.toBeInstanceOf(Superseded)
  })

  /** One stands still in its first step until another has taken over; then it goes on. */
  const takeOver = async (change: Partial<Store> = {}) => {
    const halt = gate()
    const stopped = panel('stopped', frozen(store, 1, change)).make([
      step('first', halt.stop),
      step('second'),
    ])
    const settled = stopped.then(
      () => null,
      (error: unknown) => error,
    )
    await halt.isReached
    // Until its lease has ended.
    await waitFor(async () => expect(await store.unattendedOperations()).toHaveLength(1))
    const other = panel('other')
    await other.journal.settleAbandoned()
    await other.background.settled()
    halt.open()
    return settled
  }

  test('who stood still has no effect after another took over', async () => {
    const error = await takeOver()
    expect(error).toBeInstanceOf(Superseded)
    expect(fail(error, () => undefined).status).toBe(503)
    expect(done).toEqual(['undone by other', 'first'])
    const [finished, undone] = await stored()
    expect(finished).toEqual([])
    expect(undone).toMatchObject([{ subject: 'alice', steps: [] }])
  })

  test('which only the term does: without it the rest is done to what is undone already', async () => {
    await takeOver({
      recordStep: (id, name) => store.recordStep(id, name),
      closeOperation: (id, state) => store.closeOperation(id, state),
    })
    expect(done).toContain('second')
  })

  /** A host that knows the latest turn of each subject, or none. */
  const host = (isKnowing = true) => {
    const seen = new Map<string, number>()
    const did: string[] = []
    const ports = {
      users: { suspend: async ({ username }: { username: string }) => void did.push(username) },
    } as unknown as HostPorts
    const handler = createHostHandler(ports, createRecordingLog(), undefined, (lease) => {
      const later = seen.get(lease.subject) ?? 0
      seen.set(lease.subject, Math.max(later, lease.term))
      return isKnowing && later > lease.term ? later : null
    })
    const suspend = (username: string) =>
      createHostClient(handler, turns).users.suspend({ operationId: 'one', username })
    return { seen, did, suspend }
  }
  /** One stands still in the middle of a step, another takes over; then the first asks the host. */
  const lateCall = async (isKnowing: boolean) => {
    const { did, suspend } = host(isKnowing)
    const halt = gate()
    const late = panel('stopped', frozen(store, 1)).make([
      step('first', async () => {
        await suspend('before')
        await halt.stop()
        await suspend('late')
      }),
    ])
    const ended = late.then(
      () => null,
      (error: unknown) => error,
    )
    await halt.isReached
    const other = panel('other')
    await waitFor(async () => expect(await store.unattendedOperations()).toHaveLength(1))
    await other.journal.exclusively('alice', () => suspend('other'))
    halt.open()
    return { did, error: await ended }
  }

  test('the call of who stood still has no effect on the host either', async () => {
    const { did, error } = await lateCall(true)
    expect(error).toBeInstanceOf(Superseded)
    expect(did).toEqual(['before', 'other'])
  })

  test('which only the host does: one that looks at no term does what it is asked', async () => {
    expect((await lateCall(false)).did).toEqual(['before', 'other', 'late'])
  })

  test('records that are older than what the host has seen go on above it', async () => {
    const { seen, did, suspend } = host()
    seen.set('alice', 900)
    const one = panel('one')
    await one.make([
      step('first', () => Promise.all([suspend('anne'), suspend('bert')]).then(() => undefined)),
      step('second', () => suspend('cleo')),
    ])
    expect(did.toSorted()).toEqual(['anne', 'bert', 'cleo'])
    expect(await stored()).toMatchObject([[{ steps: ['first', 'second'] }], []])
    expect(seen.get('alice')).toBe(901)
    // And so does everybody after it.
    await panel('other').journal.exclusively('alice', () => suspend('dora'))
    expect(seen.get('alice')).toBeGreaterThan(901)
    expect(await store.subjectsOfOthers('')).toEqual([])
  })

  test('what goes on behind a turn that ended names it still, and nothing else does', async () => {
    const { seen, did, suspend } = host()
    const halt = gate()
    const one = panel('one')
    let behind = Promise.resolve<unknown>(null)
    await one.journal.exclusively('alice', async () => {
      behind = halt.stop().then(() => suspend('behind'))
    })
    await panel('other').journal.exclusively('alice', () => suspend('other'))
    const [term] = [...seen.values()]
    halt.open()
    await expect(behind).rejects.toBeInstanceOf(Superseded)
    await suspend('outside')
    expect(did).toEqual(['other', 'outside'])
    expect(seen.get('alice')).toBe(term)
  })

  test('begins nothing more where it could not renew for twenty seconds', async () => {
    let nowMs = 0
    const log = createRecordingLog()
    const leases = createLeases({ store, log, instance: 'one' }, () => nowMs)
    const release = await leases.take('alice', false)
    nowMs = 19_000
    leases.assertHeld('alice')
    nowMs = 21_000
    expect(() => leases.assertHeld('alice')).toThrow(Superseded)
    await release()
  })
})
