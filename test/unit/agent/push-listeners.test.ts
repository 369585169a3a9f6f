import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPushListeners } from '#adapters/node/agent/applications/git/push-listeners.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Somebody who waits. */
const caller = () => {
  const one = {
    ...{ text: '', ended: false, behind: 0, gone: () => undefined as void },
    hold: (gone: () => void) => void (one.gone = gone),
    write: (text: string) => void (one.text += text),
    behindBytes: () => one.behind,
    end: () => void (one.ended = true),
  }
  return one
}

it('tells lines as they come and ends with the last sentence, without characters that move a cursor', () => {
  const listeners = createPushListeners()
  const one = caller()
  listeners.add('a', 'alice', one)
  expect(listeners.tell('a', 'one\r\n\x1b[2Jtwo\rthree\u009b1m\0', null)).toBe(true)
  expect(one.text).toBe('one\n[2Jtwo\nthree1m')
  expect(listeners.tell('a', '', 'shop is live.')).toBe(true)
  expect([one.text.slice(-17), one.ended]).toEqual(['1m\nshop is live.\n', true])
  expect(listeners.tell('a', 'more', null)).toBe(false)
})

it('forgets who has gone, and lets nobody wait whom nothing is said to', () => {
  const listeners = createPushListeners(1000)
  const [gone, silent] = [caller(), caller()]
  listeners.add('gone', 'alice', gone)
  listeners.add('silent', 'alice', silent)
  gone.gone()
  expect(listeners.tell('gone', 'x', null)).toBe(false)
  vi.advanceTimersByTime(900)
  expect(listeners.tell('silent', '', null)).toBe(true)
  vi.advanceTimersByTime(900)
  expect(silent.ended).toBe(false)
  vi.advanceTimersByTime(200)
  expect([silent.ended, silent.text]).toEqual([true, expect.stringContaining('does not answer')])
})

it('tells one push a bounded text, and what is not taken is left out', () => {
  const listeners = createPushListeners()
  const one = caller()
  listeners.add('a', 'alice', one)
  one.behind = 100_000
  listeners.tell('a', 'left out\n', null)
  expect(one.text).toBe('')
  one.behind = 0
  for (let at = 0; at < 20; at += 1) listeners.tell('a', 'x'.repeat(65_536), null)
  expect(one.text.length).toBeLessThan(262_144 + 100)
  expect(one.text).toMatch(/x\n\[\.\.\.\] The panel shows the rest\.\n$/)
  listeners.tell('a', 'y', 'It failed.')
  expect([one.text.slice(-12), one.ended]).toEqual(['\nIt failed.\n', true])
})

it('lets as many wait as it can have, of one account and of all', () => {
  const listeners = createPushListeners()
  const add = (username: string, at: number) => {
    const one = caller()
    listeners.add(`${username}-${at}`, username, one)
    return one
  }
  const own = Array.from({ length: 10 }, (_, at) => add('alice', at))
  expect(own.map(({ ended }) => ended)).toEqual([...Array(8).fill(false), true, true])
  expect(add('bobby', 0).ended).toBe(false)
  const others = Array.from({ length: 100 }, (_, at) => add(`user${at}`, at))
  expect(others.filter(({ ended }) => !ended)).toHaveLength(91)
})
