import { describe, expect, it } from 'vitest'
import { FrequentNames } from '#handlers/domain/figures/frequent-names.ts'

describe('names that are met often', () => {
  it('are counted exactly while there are few', () => {
    const names = new FrequentNames(10)
    for (let turn = 0; turn < 100; turn++)
      for (let name = 0; name <= turn % 10; name++) names.add(`/${name}`)
    expect(names.list()).toEqual(
      Array.from({ length: 10 }, (_, name) => [`/${name}`, 100 - 10 * name]),
    )
  })

  it('stay among however many that come once, in bounded room', () => {
    const capacity = 50
    const names = new FrequentNames(capacity)
    let met = 0
    for (let turn = 0; turn < 100_000; turn++) {
      names.add(`/attack/${turn}`)
      met++
      if (turn % 20 !== 0) continue
      names.add('/shop')
      met++
    }
    expect(names.size).toBeLessThanOrEqual(2 * capacity)
    const [[first = '', count = 0] = []] = names.list()
    expect(first).toBe('/shop')
    expect(count).toBeLessThanOrEqual(5000)
    expect(count).toBeGreaterThanOrEqual(5000 - met / capacity)
  })

  it('share a room, and give back what they forget', () => {
    const room = { left: 30 }
    const [one, other] = [new FrequentNames(10, room), new FrequentNames(10, room)]
    for (let turn = 0; turn < 100; turn++) one.add(`/${turn}`)
    for (let turn = 0; turn < 100; turn++) other.add(`/${turn}`)
    expect(one.size + other.size).toBe(30 - room.left)
    expect(room.left).toBeGreaterThanOrEqual(0)
    const full = new FrequentNames(10, { left: 0 })
    expect(full.of('/')).toBeNull()
    expect(full.list()).toEqual([])
  })

  it('are told that they are no longer counted', () => {
    const names = new FrequentNames(2)
    const first = names.of('/first')
    for (const name of ['/a', '/b', '/c', '/d', '/e']) names.add(name, 5)
    expect(first?.isKept).toBe(false)
    expect(names.of('/a')?.isKept).toBe(true)
  })

  it('have how often and how long, where times are counted, also when they come together', () => {
    const names = new FrequentNames(10)
    names.addTime('/slow', 100)
    names.addTime('/slow', 300)
    const other = new FrequentNames(10)
    other.addTime('/slow', 500)
    names.merge(other.list(true))
    expect(names.list(true)).toEqual([['/slow', 900, 3, 500]])
    expect(names.list()).toEqual([['/slow', 900]])
  })
})
