import { expect, test } from 'vitest'
import { hostLine } from '../../../src/lib/components/dashboard/host-line.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'

type Facts = Parameters<typeof hostLine>
const failed = { ok: false, status: 503, error: 'The host does not answer.' } as never

/** The line of a host with two cores, as the API tells of it. */
const line = (load: Facts[0] | [number, number, number], running = true, cores = 2): string => {
  const data = { hostname: 'web-01', cpu_count: cores, load_average: load }
  const info = Array.isArray(load) ? ({ ok: true, data } as unknown as Facts[0]) : load
  return hostLine(info, { ok: true, data: { running } } as unknown as Facts[1])
}

test('a host at rest runs, also while a backup takes a minute of it', () => {
  withTexts('en', () => {
    expect(line([0.1, 0.2, 0.3])).toBe('web-01 · everything is running')
    expect(line([5, 1.2, 0.9])).toBe('web-01 · everything is running')
    expect(line([2, 2.04, 2])).toBe('web-01 · everything is running')
  })
})

test('load beyond the cores is told with both', () => {
  withTexts('en', () => {
    expect(line([6.2, 6.01, 4])).toBe(
      'web-01 · everything is running, but busy: load 6.0 on 2 cores',
    )
    expect(line([0.5, 2.1, 3])).toContain('load 2.1 on 2 cores')
    expect(line([1, 1.3, 1], true, 1)).toContain('load 1.3 on 1 core')
    expect(line([6, 6, 6], true, 8)).toBe('web-01 · everything is running')
  })
  withTexts('de', () => expect(line([3, 3.24, 3])).toContain('Load 3,2 bei 2 Kernen'))
})

test('what does not run, or is not known, is not said to run', () => {
  withTexts('en', () => {
    expect(line([0, 0, 0], false)).toBe('web-01 · the web server is not running')
    expect(line(failed)).toBe('The state of the host is not known')
    expect(hostLine(failed, failed)).toBe('The state of the host is not known')
  })
})
