import { describe, expect, it } from 'vitest'
import { FillBroker } from '#adapters/node/web-server/workers/fill-broker.ts'

describe('fills of several workers', () => {
  it('has one leader for a key, and tells the others what came of it', async () => {
    const broker = new FillBroker<string>()
    expect(await broker.join('one', 'key')).toEqual({ role: 'leader', fill: 1 })
    const other = broker.join('two', 'key')
    expect(broker.settle('one', 1, 'stored')).toBe(true)
    const entry = Uint8Array.of(1)
    broker.give('one', 1, entry)
    expect(await other).toEqual({ role: 'follower', report: { kind: 'stored', entry } })
    expect(await broker.join('two', 'key')).toEqual({ role: 'leader', fill: 2 })
  })

  it('lets all workers go on at once for some seconds where a page proved to be nobody else’s', async () => {
    let nowMs = 0
    const broker = new FillBroker<string>(() => nowMs)
    await broker.join('one', 'key')
    const waiting = broker.join('two', 'key')
    broker.settle('one', 1, 'uncacheable')
    const refused = { role: 'follower', report: { kind: 'uncacheable' } }
    expect(await waiting).toEqual(refused)
    for (const worker of ['one', 'two', 'three'])
      expect(await broker.join(worker, 'key')).toEqual(refused)
    expect(await broker.join('three', 'other')).toMatchObject({ role: 'leader' })
    nowMs = 10_000
    expect(await broker.join('three', 'key')).toMatchObject({ role: 'leader' })
  })

  it('knows whether workers may take a page that is stored now to be nobody else’s', async () => {
    let nowMs = 0
    const broker = new FillBroker<string>(() => nowMs)
    expect(broker.stored('key')).toBe(false)
    await broker.join('one', 'key')
    broker.settle('one', 1, 'uncacheable')
    // This worker believes it from now on, as long as the first did.
    nowMs = 9999
    expect(await broker.join('two', 'key')).toMatchObject({ role: 'follower' })
    nowMs = 19_000
    expect(broker.stored('other')).toBe(false)
    expect(broker.stored('key')).toBe(true)
    expect(broker.stored('key')).toBe(false)
    // What is stored is no longer said to be uncacheable.
    await broker.join('one', 'soon')
    broker.settle('one', 2, 'uncacheable')
    expect(broker.stored('soon')).toBe(true)
    expect(await broker.join('two', 'soon')).toMatchObject({ role: 'leader' })
  })

  it('remembers no failure, and fails those who wait for a worker that is gone', async () => {
    const broker = new FillBroker<string>()
    await broker.join('one', 'key')
    broker.settle('one', 1, 'failed')
    expect(await broker.join('one', 'key')).toEqual({ role: 'leader', fill: 2 })
    const waiting = broker.join('two', 'key')
    broker.forget('one')
    expect(await waiting).toEqual({ role: 'follower', report: { kind: 'failed' } })
  })
})
