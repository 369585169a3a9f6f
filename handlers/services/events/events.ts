import { eventMessage, type EventMessage } from '../../domain/events/events.ts'
import type { EventRow } from '../../ports/events.ts'
import type { WebhooksPort } from '../../ports/webhooks.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How many events are looked at in one turn. */
const MAX_TURN = 50
/** Deliveries to webhooks under way at once. */
const MAX_AT_ONCE = 4
/** After this many failures, about a day, a listener is given up for this event. */
const MAX_TRIES = 10
const FIRST_PAUSE_SECS = 30
const LONGEST_PAUSE_SECS = 6 * 3600
const HOOKS = 'hooks'
/** In place of a count: needs no more. */
const SETTLED = -1

const NONE: WebhooksPort = { list: () => [], send: () => Promise.resolve() }

/** Tells hooks and webhooks what happened. */
export interface Events {
  /** Tells what is due; what fails is due again later. Turns do not overlap. */
  dispatch(): Promise<void>
}

const pauseSecs = (tries: number): number =>
  Math.min(LONGEST_PAUSE_SECS, FIRST_PAUSE_SECS * 2 ** (tries - 1))

/**
 * Each event is told to every listener at least once: a listener that was told
 * is noted after it, so a crash in between tells it again, under the same id.
 */
export const createEvents = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'webhooks'> & {
    /** Called when an event is told for the first time, maybe again after a crash. */
    happened?: () => void
  },
): Events => {
  const { store, host, clock, log, webhooks = NONE } = deps
  let turn: Promise<void> | null = null

  const listenersOf = (message: EventMessage): Map<string, () => Promise<unknown>> => {
    const body = JSON.stringify(message)
    return new Map<string, () => Promise<unknown>>([
      [HOOKS, () => host.local.hooks.run({ event: message.event, message: body })],
      ...webhooks
        .list()
        .filter(({ events }) => events.includes(message.event) || events.includes('*'))
        .map(
          ({ name }) =>
            [`webhook ${name}`, () => webhooks.send(name, { id: message.id, body })] as const,
        ),
    ])
  }

  const deliver = async (row: EventRow): Promise<void> => {
    const message = eventMessage(row)
    if (message === null) return store.deleteEvent(row.id)
    if (Object.keys(row.tries).length === 0) deps.happened?.()
    const tries: Record<string, number> = { ...row.tries }
    const listeners = listenersOf(message)
    for (const [name, tell] of listeners) {
      const before = tries[name] ?? 0
      if (before === SETTLED) continue
      try {
        await tell()
        tries[name] = SETTLED
      } catch (error) {
        const given = before + 1 >= MAX_TRIES
        tries[name] = given ? SETTLED : before + 1
        log[given ? 'error' : 'warn'](given ? 'event given up' : 'event not told yet', {
          event: message.event,
          id: message.id,
          listener: name,
          error: error instanceof Error ? error.message : String(error),
        })
      }
    }
    const failures = [...listeners.keys()].map((name) => tries[name] ?? 0)
    const most = Math.max(...failures)
    if (most === SETTLED) return store.deleteEvent(row.id)
    await store.updateEvent(row.id, {
      tries,
      next_at_secs: Math.floor(clock.nowMs() / 1000) + pauseSecs(most),
    })
  }

  const dispatchAll = async (): Promise<void> => {
    const waiting = await store.dueEvents(Math.floor(clock.nowMs() / 1000), MAX_TURN)
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await deliver(row)
    }
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work))
  }

  return {
    dispatch: () => (turn ??= dispatchAll().finally(() => (turn = null))),
  }
}
