import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { addressKey } from '#handlers/domain/text/client-address.ts'
import { ConnectionGate } from '#adapters/node/web-server/connections/connection-gate.ts'
import { ConnectionLedger } from '#adapters/node/web-server/connections/connection-ledger.ts'
import { RefusalLog } from '#adapters/node/web-server/connections/refusal-log.ts'

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string
  destroyed = false
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  resetAndDestroy(): void {
    this.destroyed = true
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}
const socketOf = (fake: FakeSocket): Socket => fake as unknown as Socket

interface Rig {
  gates: ConnectionGate[]
  ledger: ConnectionLedger<object>
  /** Opens at a worker; null when it is refused. */
  open(worker: number, address?: string): FakeSocket | null
  /** Lets all that was reported arrive everywhere. */
  settle(): Promise<void>
  views: number
}

let rig: Rig | null = null
const start = (limits: {
  workers: number
  max?: number
  maxPerAddress?: number
  trustedProxies?: string[]
}): Rig => {
  const names = new Map<object, ConnectionGate>()
  const made: Rig = {
    gates: [],
    ledger: new ConnectionLedger<object>((worker, view) => {
      made.views++
      names.get(worker)?.hear(view)
    }),
    open: (worker, address = '192.0.2.1') => {
      const fake = new FakeSocket(address)
      return made.gates[worker]?.admit(socketOf(fake)) === true ? fake : null
    },
    settle: async () => {
      for (let i = 0; i < 4; i++) await setImmediate()
    },
    views: 0,
  }
  for (let i = 0; i < limits.workers; i++) {
    const name = {}
    const gate = new ConnectionGate({
      max: 0,
      maxPerAddress: 0,
      trustedProxies: [],
      ...limits,
      report: (report) => made.ledger.note(name, report),
    })
    names.set(name, gate)
    made.gates.push(gate)
  }
  rig = made
  return made
}
afterEach(() => {
  for (const gate of rig?.gates ?? []) gate.close()
  rig = null
})

describe('connections', () => {
  test('of one address are limited over all workers, and free their place', async () => {
    const { open, settle, gates } = start({ workers: 2, maxPerAddress: 4 })
    await settle()
    const first = [open(0), open(0), open(0)]
    await settle()
    const last = open(1)
    await settle()
    expect([...first, last]).not.toContain(null)
    expect(open(0)).toBeNull()
    expect(open(1)).toBeNull()
    expect(open(1, '192.0.2.2')).not.toBeNull()
    first[0]?.destroy()
    await settle()
    expect(open(1)).not.toBeNull()
    await settle()
    expect(open(0)).toBeNull()
    expect(gates.map((gate) => gate.refused().address)).toEqual([2, 1])
  })

  test('of one IPv6 network count together, of a trusted proxy not at all', async () => {
    const { open, settle } = start({
      workers: 1,
      maxPerAddress: 1,
      trustedProxies: ['2001:db8:0:9::7', '198.51.100.0/24'],
    })
    await settle()
    expect(open(0, '2001:db8:0:1::1')).not.toBeNull()
    expect(open(0, '2001:db8:0:1:ffff::2')).toBeNull()
    expect(open(0, '2001:db8:0:2::1')).not.toBeNull()
    expect(addressKey('::ffff:192.0.2.9')).toBe('192.0.2.9')
    for (const address of ['2001:db8:0:9::7', '::ffff:198.51.100.3'])
      for (let i = 0; i < 3; i++) expect(open(0, address)).not.toBeNull()
  })

  test('of ordinary visitors are not told of one by one; the limit is exact to an eighth', async () => {
    const limit = 800
    const made = start({ workers: 4, maxPerAddress: limit })
    const { open, settle, gates } = made
    await settle()
    // 800 / (8 * 4) = 25: from there on others hear of it.
    for (let worker = 0; worker < 4; worker++)
      for (let i = 0; i < 24; i++) open(worker, `10.0.${worker}.${i % 3}`)
    await settle()
    expect(made.views).toBe(0)
    let admitted = 0
    for (let i = 0; i < 2000; i++) {
      if (open(i % 4) !== null) admitted++
      await setImmediate()
      await setImmediate()
    }
    expect(admitted).toBeGreaterThanOrEqual(limit)
    expect(admitted).toBeLessThanOrEqual(limit * 1.125)
    expect(gates[0]?.refused().address).toBeGreaterThan(0)
  })

  test('of a worker that ended are forgotten', async () => {
    const views: number[] = []
    const ledger = new ConnectionLedger<{ name: string }>(({ name }, { addresses }) => {
      if (name === 'b') views.push(...addresses.map(([, count]) => count))
    })
    const [a, b] = [{ name: 'a' }, { name: 'b' }]
    ledger.note(b, { total: 0, addresses: [], refused: [] })
    ledger.note(a, { total: 9, addresses: [['192.0.2.1', 9]], refused: [] })
    await setImmediate()
    ledger.retire(a)
    await setImmediate()
    expect(views).toEqual([9, 0])
  })

  test('that idle longest make room when the server is full', async () => {
    const { open, settle, gates } = start({ workers: 1, max: 3 })
    const gate = gates[0] as ConnectionGate
    const open3 = [open(0), open(0), open(0)] as FakeSocket[]
    await settle()
    const idle = open3.map((socket, index) => ({
      get idleSinceMs() {
        return socket.destroyed ? null : 100 - index
      },
      closeIdle: () => socket.destroy(),
    }))
    gate.room.add(() => idle.slice(0, 2))
    expect(open(0)).not.toBeNull()
    expect(open3.map(({ destroyed }) => destroyed)).toEqual([false, true, false])
    expect(open(0)).not.toBeNull()
    expect(open3.map(({ destroyed }) => destroyed)).toEqual([true, true, false])
    // The third is busy.
    expect(open(0)).toBeNull()
    expect(gate.refused()).toEqual({ server: 1, address: 0 })
  })
})

test('refusals are logged once a minute for each address, and not without end', () => {
  const lines: unknown[] = []
  let nowMs = 0
  const log = new RefusalLog(
    { info: () => undefined, warn: (_text, fields) => lines.push(fields), error: () => undefined },
    () => nowMs,
  )
  for (; nowMs < 60_000; nowMs += 1000) log.note([['192.0.2.1', 5]])
  expect(lines).toHaveLength(1)
  log.note([['192.0.2.1', 5]])
  expect(lines).toHaveLength(2)
  for (let i = 0; i < 500; i++) log.note([[`10.0.0.${i}`, 1]])
  expect(lines.length).toBeLessThanOrEqual(102)
})
