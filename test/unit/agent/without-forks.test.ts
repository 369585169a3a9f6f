import { expect, it } from 'vitest'
import { withoutForks } from '#adapters/node/agent/host/process-facts.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'

const facts = (pid: number, parent: number): ProcessFacts => ({
  pid,
  parent,
  startTicks: 1,
  group: pid,
  uid: 1000,
  exe: '/usr/lib/postgresql/15/bin/postgres',
  commandLine: '/usr/lib/postgresql/15/bin/postgres --data_directory=/srv/data',
})

it('tells a server from what it forked, whichever has the smaller number', () => {
  const server = facts(900, 1)
  expect(withoutForks([facts(12, 900), server, facts(901, 900), facts(902, 901)])).toEqual([server])
})

it('keeps servers that have nothing to do with each other', () => {
  const both = [facts(900, 1), facts(800, 1)]
  expect(withoutForks(both)).toEqual(both)
})
