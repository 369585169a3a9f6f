import { describe, expect, it } from 'vitest'
import { TrafficLedger } from '#adapters/node/web-server/traffic/traffic-ledger.ts'
import { TrafficMeter } from '#adapters/node/web-server/traffic/traffic-meter.ts'

describe('traffic of a worker', () => {
  it('is summed by virtual host, aliases included, and read once', () => {
    const names: Record<string, string> = {
      'a.test': 'a.test',
      'www.a.test': 'a.test',
      'b.test': 'b.test',
    }
    const meter = new TrafficMeter(
      (host) => names[host] ?? null,
      (host) => host in names,
    )
    meter.add('a.test', 10)
    meter.add('www.a.test', 5)
    meter.add('b.test', 0)
    meter.add('stranger.test', 99)
    expect(meter.take()).toEqual({ 'a.test': 15 })
    expect(meter.take()).toEqual({})
  })
})

describe('traffic of all workers', () => {
  it('is answered again until it is acknowledged, and never twice after that', () => {
    const ledger = new TrafficLedger()
    ledger.note({ 'a.test': 1 })
    const first = ledger.read(null)
    ledger.note({ 'a.test': 2, 'b.test': 3 })
    expect(ledger.read(null)).toEqual(first)
    expect(ledger.read('something else')).toEqual(first)
    const second = ledger.read(first.batch)
    expect([first.bytes, second.bytes]).toEqual([{ 'a.test': 1 }, { 'a.test': 2, 'b.test': 3 }])
    expect(ledger.read(second.batch).bytes).toEqual({})
  })
})
