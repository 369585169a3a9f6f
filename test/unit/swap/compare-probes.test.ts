import { expect, test } from 'vitest'
import { probeDifference } from '#adapters/node/swap/compare-probes.ts'
import type { ProbeResult } from '#adapters/node/swap/swap-types.ts'

const target = { host: 'a.test', address: '127.0.0.1', port: 80, secure: false, path: '/' }
const answer = (more: Partial<ProbeResult> = {}): ProbeResult => ({
  status: 200,
  location: null,
  title: 'Shop',
  hash: 'one',
  error: null,
  ...more,
})
const gone = answer({ status: null, title: null, hash: null, error: 'ECONNREFUSED' })

test.each([
  ['the same', {}, {}, false, null],
  ['another status', {}, { status: 500 }, false, '200 became 500'],
  ['no answer', {}, gone, false, '200 became no answer (ECONNREFUSED)'],
  ['broken before', { status: 502 }, { status: 404 }, false, null],
  ['no answer before', gone, { status: 500 }, false, null],
  ['another content', {}, { hash: 'two' }, false, 'the content is another one'],
  ['another content, loosely', {}, { hash: 'two' }, true, null],
  [
    'another title, loosely',
    {},
    { hash: 'two', title: 'It works' },
    true,
    'the title "Shop" became "It works"',
  ],
  ['pages of errors', { status: 404 }, { status: 404, hash: 'two', title: 'Oops' }, false, null],
  [
    'the same way',
    { status: 301, location: 'x' },
    { status: 301, location: 'x', hash: 'two' },
    false,
    null,
  ],
  [
    'another way',
    { status: 301, location: 'x' },
    { status: 301, location: 'y' },
    false,
    'it leads to y instead of x',
  ],
])('%s', (_name, before, after, loose, expected) => {
  const probe = { target, result: answer(before), changing: false }
  expect(probeDifference(probe, answer(after), loose)).toBe(expected)
})

test('a page that changes by itself is known by its title', () => {
  const probe = { target, result: answer(), changing: true }
  expect(probeDifference(probe, answer({ hash: 'two' }), false)).toBeNull()
  expect(probeDifference(probe, answer({ hash: 'two', title: 'Other' }), false)).toContain('title')
})
