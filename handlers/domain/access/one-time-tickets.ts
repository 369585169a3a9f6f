import { randomSecret } from './random-secret.ts'

/** Tickets that are good once and for a short time; they live as long as the process does. */
export interface OneTimeTickets<T> {
  /** A new ticket of `holder`; null while too many are out. */
  issue(holder: string, about: T): string | null
  /** What a ticket is about; null where there is none, or it is too old. It is good once, whatever comes of it. */
  take(ticket: string): T | null
}

/** `lifeMs`: from the issue on. `most`: at a time; `mostOfOne`: of one holder. */
export const createOneTimeTickets = <T>(options: {
  lifeMs: number
  most: number
  mostOfOne: number
  nowMs: () => number
}): OneTimeTickets<T> => {
  const { lifeMs, most, mostOfOne, nowMs } = options
  const tickets = new Map<string, { holder: string; about: T; untilMs: number }>()
  return {
    issue(holder, about) {
      const now = nowMs()
      for (const [key, { untilMs }] of tickets) if (untilMs <= now) tickets.delete(key)
      const own = [...tickets.values()].filter((one) => one.holder === holder).length
      if (tickets.size >= most || own >= mostOfOne) return null
      const ticket = randomSecret()
      tickets.set(ticket, { holder, about, untilMs: now + lifeMs })
      return ticket
    },
    take(ticket) {
      const found = tickets.get(ticket)
      tickets.delete(ticket)
      return found === undefined || found.untilMs <= nowMs() ? null : found.about
    },
  }
}
