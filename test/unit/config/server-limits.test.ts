import { expect, test } from 'vitest'
import { isTrustedAddress } from '#handlers/domain/text/client-address.ts'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

const parse = (text: string): ReturnType<typeof parseServerConfig> =>
  parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true })

test('limits of the web server have defaults, which the template shows', () => {
  const defaults = {
    header_timeout: 30,
    max_header_size: 16_384,
    max_connections: 20_000,
    max_connections_per_address: 1000,
    worker_start_secs: 60,
    worker_stall_secs: 5,
  }
  expect(parse('').config.server).toMatchObject(defaults)
  const template = parse(renderDefaultConfig({ root: true }))
  expect(template.problems).toEqual([])
  expect(template.config.server).toMatchObject(defaults)
})

test.each([
  ['header_timeout = 0', 'header_timeout: must be at least 1'],
  ['max_header_size = "2M"', 'max_header_size: must lie between "1K" and "1M".'],
  ['max_header_size = 100', 'max_header_size: must lie between "1K" and "1M".'],
  ['max_header_size = "long"', 'max_header_size: is not a size.'],
  ['worker_start_secs = 5', 'worker_start_secs: must be at least 10'],
  ['worker_stall_secs = 1', 'worker_stall_secs: must be at least 3'],
  ['max_connections = -1', 'max_connections: must be at least 0'],
  ['max_connections_per_address = "many"', 'max_connections_per_address: must be'],
])('%s is refused', (line, message) => {
  const [problem] = parse(`[server]\n${line}`).problems
  expect(`${problem?.key}: ${problem?.message}`).toContain(message)
  expect(problem?.line).toBe(2)
})

test('addresses are found in blocks of their own kind', () => {
  const blocks = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::1', '192.0.2.7'])
    expect(isTrustedAddress(inside, blocks)).toBe(true)
  for (const outside of ['11.0.0.1', '2001:db9::1', '192.0.2.8', 'x', ''])
    expect(isTrustedAddress(outside, blocks)).toBe(false)
  expect(isTrustedAddress('10.1.2.3', [])).toBe(false)
})
