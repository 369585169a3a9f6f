import { describe, expect, it } from 'vitest'
import { createEventStreams } from '#handlers/panel/frame/event-stream.ts'
import { createOpenSlots } from '#handlers/panel/frame/open-slots.ts'

describe('open slots', () => {
  it('are bounded for a user and for all, and given back once', () => {
    const slots = createOpenSlots({ ofUser: 2, all: 3 }, 'too many')
    const leave = slots.enter('one')
    slots.enter('one')
    expect(() => slots.enter('one')).toThrow('too many')
    slots.enter('two')
    expect(() => slots.enter('three')).toThrow('too many')
    leave()
    leave()
    slots.enter('three')
    expect(() => slots.enter('four')).toThrow('too many')
  })

  it('of an event stream are free when its reader is gone', async () => {
    const streams = createEventStreams({ ofUser: 1, all: 1 })
    const open = () => streams.open('one', () => Promise.resolve([]))
    const { body } = open()
    expect(open).toThrow('Too many')
    await body?.cancel()
    await open().body?.cancel()
  })
})
