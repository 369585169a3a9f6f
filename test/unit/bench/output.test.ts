import { describe, expect, test } from 'vitest'
import { parseH2load } from '../../../bench/support/load/h2load.ts'
import { markdownTable } from '../../../bench/support/findings/markdown.ts'
import { renderReport, type Report } from '../../../bench/support/findings/report.ts'
import { selectRows } from '../../../bench/support/findings/select-rows.ts'
import { parseWrk, wrkScript } from '../../../bench/support/load/wrk.ts'

describe('what load generators print', () => {
  test('the line of the script is found among those of wrk', () => {
    const line =
      'BERTH-BENCH {"requests":1000,"microseconds":2000000,"bytes":5000000,"failures":3,"p99":1500}'
    expect(parseWrk(`Running 2s test\n  1 threads\n${line}\nTransfer/sec: 1MB\n`)).toEqual({
      ...{ requests: 1000, seconds: 2, bytes: 5_000_000, failures: 3, p99Ms: 1.5 },
    })
    expect(() => parseWrk('unable to connect')).toThrow('no result')
  })

  test('fields cannot leave their string of Lua', () => {
    const script = wrkScript({
      ...{ port: 1, path: '/a', host: 'h', connections: 1, protocol: 'h1' },
      headers: { x: 'a"b\\c' },
    })
    expect(script).toContain('wrk.headers["x"] = "a\\"b\\\\c"')
  })

  test('numbered pages are asked for from the first one on', () => {
    const script = wrkScript({
      ...{ port: 1, path: '/p/', host: 'h', connections: 1, protocol: 'h1', headers: { x: 'y' } },
      numbered: { from: 7, count: 3, order: 'next' },
    })
    expect(script).toContain('wrk.path = "/p/7"')
    // The first call is wrk's own look at a request, which is not sent.
    expect(script).toContain(
      'local start, tail, count, at = "GET /p/", " HTTP/1.1\\r\\nhost: h\\r\\nx: y\\r\\n\\r\\n", 3, -2',
    )
    expect(script).toContain('return start .. (7 + at % count) .. tail')
  })

  const summary = (succeeded: number, ok: number): string => `
finished in 3.00s, ${succeeded / 3} req/s, 1.17MB/s
requests: ${succeeded} total, ${succeeded} started, ${succeeded} done, ${succeeded} succeeded, 2 failed, 1 errored, 0 timeout
status codes: ${ok} 2xx, 0 3xx, ${succeeded - ok} 4xx, 0 5xx
traffic: 3.50MB (3670016) total, 120.00KB (122880) headers (space savings 30.00%), 3.00MB (3145728) data
`
  test('h2load: answers other than 2xx are failures', () => {
    expect(parseH2load(summary(900, 900), 3)).toEqual({
      ...{ requests: 900, seconds: 3, bytes: 3_670_016, failures: 2, p99Ms: null },
    })
    expect(parseH2load(summary(900, 890), 3).failures).toBe(12)
    expect(() => parseH2load('connection refused', 3)).toThrow('h2load printed nothing like')
  })
})

describe('the report', () => {
  test('cells cannot break a table', () => {
    expect(markdownTable(['a', 'b'], [['x|y', 'one\ntwo']], ['b'])).toBe(
      '| a | b |\n| --- | --: |\n| x\\|y | one two |',
    )
  })

  const report: Report = {
    date: '2026-11-22T00:00:00.000Z',
    machine: [['Node', 'v24']],
    effort: 'Once.',
    findings: [
      {
        ...{ row: 'near', work: 'a page', against: 'nginx', measure: 'requests per second' },
        ...{ unit: 'x', bar: { atLeast: 1.5 }, values: { min: 1, median: 1.4, max: 1.6 } },
      },
      {
        ...{ row: 'far', work: 'a page', against: 'varnish', measure: 'requests per second' },
        ...{ unit: 'x', bar: { atLeast: 1.5 }, values: { min: 2, median: 2.5, max: 3 } },
      },
    ],
    figures: [],
    failures: [{ row: 'gone', reason: 'no\nport' }],
    obstacles: { near: 'Too many copies.' },
    foreign: { median: 0.01, max: 0.2 },
  }

  test('what is short is named with its figure and what stands in the way', () => {
    const text = renderReport(report)
    expect(text).toContain(
      '- `near`, a page: 1.40 x against nginx (requests per second, asked for ≥ 1.50 x). Too many copies.',
    )
    expect(text).toContain('1 of 2 figures are at their bar')
    // First what is not as it should be.
    const order = ['## Short', '## Not measured', '## Bars', '## Measured with', '## Figures']
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    )
    expect(text).toMatch(/\| far .*\| 2\.50 x \| 3\.00 x \| reached \|/)
    expect(text).not.toContain('- `far`')
    expect(renderReport({ ...report, findings: [] })).toContain('## Short\n\nNone.')
    expect(text).toContain('- `gone`: no port')
    expect(text).not.toContain('not to be relied on')
  })

  test('a busy machine is named', () => {
    const text = renderReport({ ...report, foreign: { median: 0.3, max: 0.6 } })
    expect(text).toContain('not to be relied on')
  })
})

describe('--rows', () => {
  const families = [
    { name: 'one', rows: { a: '', b: '' } },
    { name: 'two', rows: { c: '' } },
  ]

  test('takes rows and families, all without a list, and refuses what there is not', () => {
    expect([...selectRows(families, undefined)]).toEqual(['a', 'b', 'c'])
    expect([...selectRows(families, 'one, c')]).toEqual(['a', 'b', 'c'])
    expect([...selectRows(families, 'b')]).toEqual(['b'])
    expect(() => selectRows(families, 'd')).toThrow('no row or family "d"')
  })
})
