import { describe, expect, it } from 'vitest'
import { renderMetrics } from '#handlers/management/metrics-text.ts'

const family = (labels: Record<string, string>, value = 1) =>
  renderMetrics([{ name: 'x_total', help: 'Help.', type: 'counter', samples: [{ labels, value }] }])

describe('Prometheus text', () => {
  it('escapes what a label holds, so that no value can begin a line or a label', () => {
    const text = family({ host: 'a"} 9\ny{z="\\\r\ud800' })
    expect(text).toBe(
      '# HELP x_total Help.\n# TYPE x_total counter\nx_total{host="a\\"} 9\\ny{z=\\"\\\\ \ufffd"} 1\n',
    )
    expect(text.split('\n')).toHaveLength(4)
  })

  it('writes numbers as the format has them', () => {
    for (const [value, text] of [
      [0, '0'],
      [1.5, '1.5'],
      [Number.NaN, 'NaN'],
      [Infinity, '+Inf'],
      [-Infinity, '-Inf'],
    ] as const) {
      expect(family({}, value)).toContain(`x_total ${text}\n`)
    }
  })

  it('leaves out empty families and refuses names that would break the text', () => {
    expect(renderMetrics([{ name: 'x', help: '', type: 'gauge', samples: [] }])).toBe('')
    expect(() => family({ 'a b': '' })).toThrow('no name')
    const bad = { name: 'x y', help: '', type: 'gauge', samples: [{ value: 1 }] } as const
    expect(() => renderMetrics([bad])).toThrow('no name')
  })
})
