import { describe, expect, test } from 'vitest'
import { browserHead, HEAD_BYTES } from '../../../bench/support/load/browser-head.ts'
import { comparedFindings } from '../../../bench/support/findings/compared-findings.ts'
import { busyTicks } from '../../../bench/support/load/cpu-load.ts'
import { formatBar, formatValue } from '../../../bench/support/findings/format-value.ts'
import { pageBody } from '../../../bench/support/page-body.ts'
import { parseStat, treeOf } from '../../../bench/support/process-tree.ts'
import { ratios, spread } from '../../../bench/support/findings/spread.ts'
import { verdict } from '../../../bench/support/findings/verdict.ts'
import type { Finding } from '../../../bench/support/findings/row.ts'

describe('figures of a run', () => {
  test('least, middle and greatest do not depend on the order', () => {
    expect(spread([3, 1, 2])).toEqual({ min: 1, median: 2, max: 3 })
    expect(spread([10, 1, 3, 2])).toEqual({ min: 1, median: 2.5, max: 10 })
    expect(spread([7])).toEqual({ min: 7, median: 7, max: 7 })
  })

  test('ratios are of the same round', () => {
    expect(ratios([2, 9, 8], [1, 3, 0])).toEqual([2, 3])
    expect(ratios([2, 9], [4])).toEqual([0.5])
  })

  test('both measures stand in the table, each with its bar', () => {
    const run = (perSecond: number, perCpuSecond: number) => ({
      ...{ perSecond, perCpuSecond, p99Ms: null },
    })
    const runs = new Map([
      ['berth', [run(30, 40), run(20, 40), run(25, 40)]],
      ['nginx', [run(10, 50), run(10, 20), run(10, 10)]],
    ])
    const against = [{ name: 'nginx', bar: { atLeast: 2.5 }, by: 'requests' as const }]
    const { findings, figures } = comparedFindings(
      { row: 'r', work: 'w', ours: 'berth', against },
      runs,
    )
    expect(findings.map(({ values, bar }) => [values, bar])).toEqual([
      [{ min: 2, median: 2.5, max: 3 }, { atLeast: 2.5 }],
      [{ min: 0.8, median: 2, max: 4 }, null],
    ])
    expect(findings.map(verdict)).toEqual(['reached', ''])
    expect(figures.map(({ server, perSecond }) => [server, perSecond.median])).toEqual([
      ['berth', 25],
      ['nginx', 10],
    ])
  })

  test('the middle value is what a bar is held against', () => {
    const finding = (median: number, bar: Finding['bar']): Finding => ({
      ...{ row: 'r', work: 'w', against: '', measure: 'm', unit: 'ms', bar },
      values: { min: 0, median, max: 1000 },
    })
    expect(verdict(finding(20, { atMost: 20 }))).toBe('reached')
    expect(verdict(finding(20.1, { atMost: 20 }))).toBe('short')
    expect(verdict(finding(0.9, { atLeast: 1 }))).toBe('short')
    expect(verdict(finding(Number.NaN, { atLeast: 1 }))).toBe('short')
  })

  test('values and bars as they are written', () => {
    expect(formatValue(1.499, 'x')).toBe('1.50 x')
    expect(formatValue(12.34, 'ms')).toBe('12.3 ms')
    expect(formatValue(731.4, 'B')).toBe('731 B')
    expect(formatBar({ atLeast: 1.5 }, 'x')).toBe('≥ 1.50 x')
    expect(formatBar({ atMost: 100 }, 'ms')).toBe('≤ 100 ms')
    expect(formatBar(null, 'x')).toBe('told')
  })
})

describe('what /proc says', () => {
  const line = (pid: number, name: string, parent: number, state = 'S'): string =>
    `${pid} (${name}) ${state} ${parent} 1 1 0 -1 4194304 101 0 0 0 70 30 5 2 20 0 1 0 17 31 38`

  test('a name with blanks and parentheses moves no field', () => {
    expect(parseStat(line(42, 'a) R 1 (b', 7))).toEqual({
      ...{ pid: 42, state: 'S', parent: 7, ticks: 100, endedTicks: 7 },
    })
  })

  test('a tree has all descendants, wherever they stand in the list, and no dead ones', () => {
    const all = [
      parseStat(line(30, 'grandchild', 20)),
      parseStat(line(10, 'root', 1)),
      parseStat(line(20, 'child', 10)),
      parseStat(line(21, 'dead', 10, 'Z')),
      parseStat(line(40, 'stranger', 1)),
    ]
    expect(
      treeOf([10], all)
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([10, 20, 30])
  })

  test('a processor that idles or waits for a disk is not busy', () => {
    const stat =
      'cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 4 1000 2000 8 16 32 500 600\ncpu1 7 0 0 0 0 0 0 0 0 0\n'
    expect(busyTicks(stat, 0)).toBe(63)
    expect(busyTicks(stat, 1)).toBe(7)
  })
})

describe('what is asked for', () => {
  test('the head has the bytes of a browser, whatever host and path', () => {
    for (const [host, path] of [
      ['bench.test', '/page/1024'],
      ['b.test', '/'],
    ] as const) {
      const fields = browserHead(host, path, 'gzip, deflate, br')
      const lines = Object.entries({ host, ...fields }).map(([name, value]) => `${name}: ${value}`)
      expect(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`).toHaveLength(HEAD_BYTES)
    }
  })

  test('a page has its length and is always the same', () => {
    expect(pageBody(1024)).toHaveLength(1024)
    expect(pageBody(49_152)).toBe(pageBody(49_152))
    expect(pageBody(1024, 2)).not.toBe(pageBody(1024))
  })
})
