import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '#adapters/node/store/open-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { watchChanges } from '#handlers/services/jobs/watch-changes.ts'
import { createDuties, holderOf } from '#handlers/services/journal/duties.ts'
import { createChanges } from '#handlers/services/records/changes.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

const NAMES = ['one', 'two', 'three']
const DUTIES = ['events', 'renewal', 'backups', 'host', 'cron', 'pushes', 'proofs', 'notifications']

test('duties are shared out, and those of others stay where they are when one ends', () => {
  const shares = NAMES.map((name) => DUTIES.filter((duty) => holderOf(duty, NAMES) === name))
  expect(shares.every((share) => share.length > 0)).toBe(true)
  const left = NAMES.filter((name) => name !== 'two')
  for (const duty of DUTIES)
    if (holderOf(duty, NAMES) !== 'two') expect(holderOf(duty, left)).toBe(holderOf(duty, NAMES))
})

describe('duties of several panels', () => {
  let folder: string
  let store: Store
  let close: () => void
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-duties-'))
    ;({ store, close } = await openStore(join(folder, 'panel.db')))
  })
  afterEach(() => {
    close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('one under which several things run at once is taken once', async () => {
    let taken = 0
    const over: Store = {
      ...store,
      takeLease: (order) => {
        taken += 1
        return store.takeLease(order)
      },
    }
    const panel = createDuties({ store: over, log: createRecordingLog(), instance: 'one' })
    await panel.beat()
    const did: string[] = []
    let begun = 0
    const run = (what: string) =>
      panel.run(
        'host',
        async () => void did.push(what),
        async () => void (begun += 1),
      )
    await Promise.all(['traffic', 'figures', 'mail', 'log-ins'].map(run))
    await run('sizes')
    expect(did.toSorted()).toEqual(['figures', 'log-ins', 'mail', 'sizes', 'traffic'])
    expect([taken, begun]).toEqual([1, 1])
    await panel.end()
  })

  test('each is done by one, and by another after that one left', async () => {
    /** Who of the living is heard of; the store's own list is the contract's. */
    let living = NAMES
    const over: Store = { ...store, livingInstances: () => Promise.resolve(living) }
    const panels = new Map(
      NAMES.map((instance) => [
        instance,
        createDuties({ store: over, log: createRecordingLog(), instance }),
      ]),
    )
    const did: string[] = []
    const begun: string[] = []
    const round = async (): Promise<void> => {
      did.length = 0
      for (const panel of panels.values()) await panel.beat()
      for (const [name, panel] of panels)
        for (const duty of DUTIES)
          await panel.run(
            duty,
            async () => void did.push(duty),
            async () => void begun.push(`${duty} ${name}`),
          )
    }
    await round()
    expect(did.toSorted()).toEqual(DUTIES.toSorted())
    expect(begun).toHaveLength(DUTIES.length)
    await round()
    expect(did.toSorted()).toEqual(DUTIES.toSorted())
    expect(begun).toHaveLength(DUTIES.length)
    const ended = DUTIES.filter((duty) => holderOf(`duty:${duty}`, NAMES) === 'two')
    living = ['one', 'three']
    // It is taken for dead, and its leases last: what it may still be doing nobody else does.
    const two = panels.get('two')
    panels.delete('two')
    await round()
    expect(did.toSorted()).toEqual(DUTIES.filter((duty) => !ended.includes(duty)).toSorted())
    await two?.end()
    await round()
    expect(did.toSorted()).toEqual(DUTIES.toSorted())
    expect(begun).toHaveLength(DUTIES.length + ended.length)
    for (const panel of panels.values()) await panel.end()
  })
})

test('changes of others wake who waits', async () => {
  let number = 5
  const changes = createChanges()
  const watched = watchChanges(changes, () => Promise.resolve(number), 10)
  const wait = (): Promise<void> => watched.next(watched.seen, 60_000, new AbortController().signal)
  // The first look cannot tell whether something came before it.
  await wait()
  const before = watched.seen
  const waiting = wait()
  number += 1
  await waiting
  await waitFor(() => expect(watched.seen).toBeGreaterThan(before))
})
