import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { describe, expect, test } from 'vitest'
import { eventMessage } from '#handlers/domain/events/events.ts'
import type { EventRow } from '#handlers/ports/events.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { createEvents } from '#handlers/services/events/events.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'

const note = (ending: string, data: unknown = {}, subject = 'alice') =>
  eventMessage({ id: 3, at: '2026-11-22 01:00:00', ending, subject, data })

describe('eventMessage', () => {
  test('tells what happened, to whom, and nothing that was not meant to be told', () => {
    expect(note('account.create:done', { domain: 'a.example', home: '/home/alice', x: 1 })).toEqual(
      {
        id: 'event-3',
        event: 'account.created',
        at: '2026-11-22 01:00:00',
        username: 'alice',
        data: { domain: 'a.example' },
      },
    )
    expect(note('account.create:undone')).toBeNull()
    expect(note('constructor')).toBeNull()
  })
  test('tells a first certificate from a renewed one, and whose a backup is', () => {
    const certificate = (previous: unknown) =>
      note(
        'certificate.install:done',
        { domain: 'a.example', username: 'alice', previous },
        'certificate:a.example',
      )
    expect(certificate(null)).toMatchObject({ event: 'certificate.issued', username: 'alice' })
    expect(certificate({ domain: 'a.example' })).toMatchObject({ event: 'certificate.renewed' })
    expect(note('backup.create:done', { filename: 'f' }, 'backups:alice')).toMatchObject({
      username: 'alice',
      data: { filename: 'f' },
    })
  })
})

describe('telling', () => {
  const setUp = () => {
    const rows: EventRow[] = [
      {
        id: 1,
        at: '2026-11-22 01:00:00',
        ending: 'account.create:done',
        subject: 'alice',
        data: {},
        tries: {},
        next_at_secs: 0,
      },
    ]
    const store = {
      dueEvents: (now: number) => Promise.resolve(rows.filter((row) => row.next_at_secs <= now)),
      updateEvent: (id: number, change: Partial<EventRow>) => {
        Object.assign(rows.find((row) => row.id === id) ?? {}, change)
        return Promise.resolve()
      },
      deleteEvent: (id: number) => {
        rows.splice(
          rows.findIndex((row) => row.id === id),
          1,
        )
        return Promise.resolve()
      },
    } as Partial<Store> as Store
    const host = createFakeHost()
    const sent: string[] = []
    const state = { nowMs: 0, fails: true }
    const quiet = (): void => undefined
    const events = createEvents({
      store,
      host: aloneHost(host.ports),
      clock: { nowMs: () => state.nowMs },
      log: { info: quiet, warn: quiet, error: quiet },
      webhooks: {
        list: () => [
          { name: 'all', events: ['*'] },
          { name: 'other', events: ['account.deleted'] },
        ],
        send: (name, { body }) => {
          sent.push(`${name} ${body}`)
          return state.fails ? Promise.reject(new Error('no')) : Promise.resolve()
        },
      },
    })
    return { rows, host, sent, state, events }
  }

  test('each listener is told until it took it, and not after that', async () => {
    const { rows, host, sent, state, events } = setUp()
    await events.dispatch()
    await events.dispatch()
    expect(host.hooks.told).toHaveLength(1)
    expect(sent).toHaveLength(1)
    expect(rows[0]).toMatchObject({ tries: { hooks: -1, 'webhook all': 1 }, next_at_secs: 30 })
    state.nowMs = 30_000
    await events.dispatch()
    expect(rows[0]?.next_at_secs).toBe(90)
    state.nowMs = 90_000
    state.fails = false
    await events.dispatch()
    expect(rows).toEqual([])
    expect(host.hooks.told).toHaveLength(1)
    expect(sent).toHaveLength(3)
  })

  test('a listener that never takes it is given up after ten times', async () => {
    const { rows, sent, state, events } = setUp()
    for (let times = 0; times < 20; times++) {
      state.nowMs += 24 * 3_600_000
      await events.dispatch()
    }
    expect(rows).toEqual([])
    expect(sent).toHaveLength(10)
  })

  test('an agent that is away is asked again', async () => {
    const { rows, host, state, events } = setUp()
    state.fails = false
    host.inject({ method: 'hooks.run', when: 'before', error: new Error('away') })
    await events.dispatch()
    expect(host.hooks.told).toEqual([])
    state.nowMs = 60_000
    await events.dispatch()
    expect(host.hooks.told).toMatchObject([{ event: 'account.created' }])
    expect(rows).toEqual([])
  })
})
