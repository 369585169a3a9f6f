import { expect, it } from 'vitest'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'

const first = vhostOf({ domain: 'a.test', aliases: ['www.a.test', 'panel.test', 'B.test'] })
const second = vhostOf({ domain: 'b.test', aliases: ['www.a.test'] })

it('a domain wins over an alias, and the earlier alias over the later', () => {
  const { find, size } = createVirtualHostTable([first, second])
  expect([find('a.test'), find('b.test'), find('www.a.test')]).toEqual([first, second, first])
  expect(find('panel.test')).toBe(first)
  expect(size).toBe(2)
})

it('nobody answers at the panel’s name, whoever claims it', () => {
  const { find } = createVirtualHostTable([first, second], 'panel.test')
  expect([find('panel.test'), find('a.test')]).toEqual([null, first])
  expect(createVirtualHostTable([second], 'b.test').find('b.test')).toBeNull()
})

it.each(['192.0.2.7', '3221225991', '0xc0000207', '192.0.519', '[2001:db8::1]', '', '*', '*.test'])(
  'nobody answers at %j, an address or no name',
  (name) => {
    const greedy = ['192.0.2.7', '3221225991', '0xc0000207', '192.0.519']
    const { find } = createVirtualHostTable([vhostOf({ aliases: greedy }), second], null)
    expect(find(name)).toBeNull()
  },
)

it('a wildcard answers for one label more, but never in place of an exact name', () => {
  const wild = vhostOf({ domain: '*.a.test', aliases: [] })
  const below = vhostOf({ domain: 'b.test', aliases: ['*.c.test'] })
  const one = vhostOf({ domain: 'x.a.test', aliases: [] })
  const { find, isNamed } = createVirtualHostTable([wild, below, one, first], 'panel.c.test')
  expect([find('y.a.test'), find('_y.a.test'), find('*.a.test')]).toEqual([wild, wild, wild])
  expect([find('x.a.test'), find('a.test'), find('www.a.test')]).toEqual([one, first, first])
  expect([find('z.y.a.test'), find('.a.test'), find('ya.test'), find('c.test')]).toEqual([
    null,
    null,
    null,
    null,
  ])
  expect([find('1.c.test'), find('panel.c.test')]).toEqual([below, null])
  expect(['y.a.test', 'x.a.test', '*.a.test'].map(isNamed)).toEqual([false, true, true])
})

it('nobody answers at an address below a wildcard', () => {
  const { find } = createVirtualHostTable([vhostOf({ aliases: ['*.0.2.7'] })])
  expect(find('192.0.2.7')).toBeNull()
})

it('names of nobody lead to the virtual host that is for them, but never those of the machine', () => {
  const open = vhostOf({ domain: 'open.test', aliases: [], default_host: true })
  const rules = { machineNames: ['Server1.host.test'] }
  const table = createVirtualHostTable([first, open], 'panel.test', rules)
  expect([table.find('x.test'), table.answering('x.test'), table.isCaught('x.test')]).toEqual([
    null,
    open,
    true,
  ])
  expect([table.answering('a.test'), table.isCaught('a.test')]).toEqual([first, false])
  const ours = ['panel.test', 'localhost', 'server1.host.test', '192.0.2.7', '[::1]', '']
  expect(ours.map(table.answering)).toEqual(ours.map(() => null))
  expect(ours.some(table.isCaught)).toBe(false)
  for (const closed of [{ suspended: true }, { over_bandwidth: true }]) {
    const gone = createVirtualHostTable([first, { ...open, ...closed }])
    expect([gone.answering('x.test'), gone.isCaught('x.test')]).toEqual([null, false])
  }
})
