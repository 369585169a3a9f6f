import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { createHostClient, WrongAnswer } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { MAX_TERM, readLease, writeLease } from '#adapters/shared/host-rpc/call-lease.ts'
import { createTermRecords } from '#adapters/node/agent/registry/terms.ts'
import { migrateRegistry } from '#adapters/node/agent/registry/schema.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { AppError } from '#handlers/errors.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** A host whose accounts are named in the order in which they were suspended, and clients of it. */
const host = (overtaken = termRecords().overtaken) => {
  const suspended: string[] = []
  const ports = {
    users: { suspend: async ({ username }: { username: string }) => void suspended.push(username) },
    system: { info: () => Promise.reject(new AppError(404, 'looked')) },
  } as unknown as HostPorts
  const asked: (string | null)[] = []
  const handler = createHostHandler(ports, createRecordingLog(), undefined, overtaken)
  const turns = new AsyncLocalStorage<Turn | null>()
  const client = createHostClient((request) => {
    asked.push(request.headers.get('berth-lease'))
    return handler(request)
  }, turns)
  const suspend = (turn: Turn | null, username = 'alice') =>
    turns.run(turn, () => client.users.suspend({ operationId: 'one', username }))
  return { suspended, asked, handler, turns, client, suspend }
}
const termRecords = (keep?: number, db = new Database(':memory:')) => {
  migrateRegistry(db)
  return createTermRecords(db, keep)
}
const turn = (subject: string, term: number): Turn & { raised: number[] } => {
  const raised: number[] = []
  return {
    ...{ subject, term, isOver: false, outer: null },
    raised,
    raise(above) {
      raised.push(above)
      return Promise.reject(new AppError(503, 'it is another one now'))
    },
  }
}

test('a change of an earlier turn has no effect once a later one was seen', async () => {
  const { suspend, suspended } = host()
  await suspend(turn('alice', 5), 'first')
  await suspend(turn('alice', 6), 'second')
  // Of another subject, whatever its number; and of who holds no lease at all.
  await suspend(turn('bob', 2), 'bob')
  await suspend(null, 'alone')
  const late = turn('alice', 5)
  await expect(suspend(late, 'late')).rejects.toMatchObject({ status: 503 })
  expect(late.raised).toEqual([6])
  expect(suspended).toEqual(['first', 'second', 'bob', 'alone'])
})

test('which only the term does: without it the late change is made', async () => {
  const { suspend, suspended } = host(() => null)
  await suspend(turn('alice', 6), 'second')
  await suspend(turn('alice', 5), 'late')
  expect(suspended).toEqual(['second', 'late'])
})

test('who has the turn all the same raises it, and asks once more', async () => {
  const { suspend, suspended, asked } = host()
  await suspend(turn('web:a b', 900))
  let term = 3
  const restored: Turn = {
    ...{ subject: 'web:a b', isOver: false, outer: null },
    get term() {
      return term
    },
    raise: async (above) => void (term = above + 1),
  }
  await suspend(restored, 'again')
  expect(asked).toEqual(['900 web%3Aa%20b', '3 web%3Aa%20b', '901 web%3Aa%20b'])
  expect(suspended).toEqual(['alice', 'again'])
  // A host that is never content is not asked for ever.
  const never = host(({ term: seen }) => seen + 1)
  await expect(never.suspend(restored)).rejects.toMatchObject({ status: 503 })
  expect(never.asked).toHaveLength(2)
})

test('says what to do, and tells the number', async () => {
  const { handler, suspend } = host()
  await suspend(turn('alice', 6))
  const ask = (value: string) =>
    handler(
      new Request('http://agent/users/suspend', {
        method: 'POST',
        headers: { 'berth-lease': value },
        body: '{"input":{"operationId":"two","username":"alice"}}',
      }),
    )
  const late = await ask('5 alice')
  expect(late.status).toBe(409)
  expect(await late.json()).toMatchObject({
    superseded: { term: 6 },
    error: expect.stringMatching(/turn 6 by now.*Nothing was done.*try again/) as string,
  })
  for (const value of ['', '7', 'x alice', '-1 alice', '7 %ff', `${MAX_TERM + 1} alice`, '7 a b'])
    expect((await ask(value)).status, value).toBe(400)
})

test('what only reads is asked for in no turn', async () => {
  const { client, turns, asked } = host()
  await expect(turns.run(turn('alice', 1), () => client.system.info())).rejects.toThrow('looked')
  expect(asked).toEqual([null])
})

test('a host that names a number beyond all bounds raises nothing', async () => {
  const turns = new AsyncLocalStorage<Turn | null>()
  const answer = { ok: false, error: 'x', status: 409, superseded: { term: MAX_TERM + 1 } }
  const client = createHostClient(async () => Response.json(answer), turns)
  const mine = turn('alice', 1)
  const asked = turns.run(mine, () => client.users.suspend({ operationId: 'o', username: 'alice' }))
  await expect(asked).rejects.toBeInstanceOf(WrongAnswer)
  expect(mine.raised).toEqual([])
})

test('a lease is read as it was written', () => {
  for (const subject of ['alice', 'certificate:a.example', 'ü %20 x', 'duty:host'])
    expect(readLease(new Headers({ 'berth-lease': writeLease({ subject, term: 12 }) }))).toEqual({
      ...{ subject, term: 12 },
    })
  expect(readLease(new Headers())).toBeNull()
})

test('terms outlive the agent, and the latest of all subjects are kept', () => {
  const db = new Database(':memory:')
  const records = termRecords(3, db)
  for (const [at, subject] of ['a', 'b', 'c', 'd', 'e'].entries())
    expect(records.overtaken({ subject, term: at + 10 })).toBeNull()
  const again = termRecords(3, db)
  expect(again.overtaken({ subject: 'e', term: 13 })).toBe(14)
  expect(again.overtaken({ subject: 'c', term: 1 })).toBe(12)
  expect(again.overtaken({ subject: 'b', term: 1 })).toBeNull()
})
