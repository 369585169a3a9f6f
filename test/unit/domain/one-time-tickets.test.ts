import { expect, test } from 'vitest'
import { createOneTimeTickets } from '#handlers/domain/access/one-time-tickets.ts'

const make = () => {
  const clock = { nowMs: 0 }
  const tickets = createOneTimeTickets<string>({
    ...{ lifeMs: 30_000, most: 3, mostOfOne: 2 },
    nowMs: () => clock.nowMs,
  })
  return { clock, tickets }
}

test('a ticket is good once', () => {
  const { tickets } = make()
  const ticket = tickets.issue('alice', 'her site')!
  expect(ticket).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(tickets.take(ticket)).toBe('her site')
  expect(tickets.take(ticket)).toBeNull()
  expect(tickets.take('')).toBeNull()
})

test('a ticket is good until its time is over', () => {
  const { clock, tickets } = make()
  const [early, late] = [tickets.issue('alice', 'a')!, tickets.issue('alice', 'b')!]
  clock.nowMs = 29_999
  expect(tickets.take(early)).toBe('a')
  clock.nowMs = 30_000
  expect(tickets.take(late)).toBeNull()
})

test('nobody holds more than a few, and time frees their places', () => {
  const { clock, tickets } = make()
  expect([tickets.issue('alice', 'a'), tickets.issue('alice', 'b')]).not.toContain(null)
  expect(tickets.issue('alice', 'c')).toBeNull()
  expect(tickets.issue('bobby', 'd')).not.toBeNull()
  expect(tickets.issue('carol', 'e')).toBeNull()
  clock.nowMs = 30_000
  expect(tickets.issue('alice', 'f')).not.toBeNull()
})
