import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSketchText, VisitorSketch } from '#handlers/domain/figures/visitor-sketch.ts'

const hashOf = (visitor: number): number =>
  createHash('sha256').update(String(visitor)).digest().readUInt32LE(0)

const sketchOf = (from: number, to: number): VisitorSketch => {
  const sketch = new VisitorSketch()
  for (let visitor = from; visitor < to; visitor++) sketch.add(hashOf(visitor))
  return sketch
}

describe('a sketch of visitors', () => {
  it('is exact while there are few, and about right for many', () => {
    for (const count of [0, 1, 2, 50, 256]) expect(sketchOf(0, count).count()).toBe(count)
    for (const count of [300, 1000, 5000, 11_000, 50_000, 200_000]) {
      const off = Math.abs(sketchOf(0, count).count() - count) / count
      expect(off, String(count)).toBeLessThan(0.05)
    }
  })

  it('counts nobody twice, here or in others', () => {
    const sketch = sketchOf(0, 200)
    sketch.merge(sketchOf(0, 200).toText())
    expect(sketch.count()).toBe(200)
    const [one, other] = [sketchOf(0, 30_000), sketchOf(10_000, 40_000)]
    one.merge(other.toText())
    expect(one.toText()).toBe(sketchOf(0, 40_000).toText())
    // Few into many, and many into few.
    const few = sketchOf(0, 10)
    few.merge(sketchOf(5, 3000).toText())
    expect(few.toText()).toBe(sketchOf(0, 3000).toText())
  })

  it('takes at most 6 KB, and texts that are none of its own add nothing', () => {
    expect(sketchOf(0, 256).toText().length).toBeLessThan(1400)
    expect(sketchOf(0, 100_000).toText().length).toBeLessThan(5500)
    const sketch = new VisitorSketch()
    const texts = ['', 'f', 'x', 'f===', `r${'A'.repeat(100)}`, `f${'A'.repeat(9000)}`, 'fäöü=']
    for (const text of texts) sketch.merge(text)
    expect(sketch.count()).toBe(0)
    expect(isSketchText(sketchOf(0, 999).toText())).toBe(true)
    expect(isSketchText('r')).toBe(false)
    // Registers that no hash can make are left out.
    sketch.merge(`r${Buffer.alloc(4096, 255).toString('base64')}`)
    expect(sketch.count()).toBe(0)
  })
})
