import { expect, test } from 'vitest'
import { createChangedHosts } from '#adapters/node/agent/domains/changed-hosts.ts'

test('tells what was changed after an edition', () => {
  const hosts = createChangedHosts()
  const first = hosts.edition()
  hosts.note(['a.example', 'b.example'])
  const second = hosts.edition()
  hosts.note(['b.example'])
  const changed = (edition: string) =>
    ['a.example', 'b.example', 'c.example'].filter(hosts.since(edition))
  expect(changed(first)).toEqual(['a.example', 'b.example'])
  expect(changed(second)).toEqual(['b.example'])
  expect(changed(hosts.edition())).toEqual([])
})

test('refuses editions of another run, and those it has forgotten changes of', () => {
  const hosts = createChangedHosts(2)
  const first = hosts.edition()
  hosts.note(['a.example'])
  const second = hosts.edition()
  hosts.note(['b.example'])
  hosts.note(['c.example'])
  expect(() => hosts.since(first)).toThrow('Try again')
  expect(['a.example', 'b.example', 'c.example'].filter(hosts.since(second))).toEqual([
    'b.example',
    'c.example',
  ])
  expect(() => createChangedHosts().since(second)).toThrow('Try again')
  expect(() => hosts.since('nonsense')).toThrow('Try again')
})
