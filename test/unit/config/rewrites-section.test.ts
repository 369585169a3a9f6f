import { describe, expect, it } from 'vitest'
import { parseVirtualHosts } from '#handlers/domain/config/vhost-config-parse.ts'

const parse = (table: Record<string, unknown>) =>
  parseVirtualHosts([{ domain: 'a.test', root: '/srv/a', ...table }], {
    file: '/etc/berth/a.toml',
    lineOf: () => 1,
  })

describe('rules of a virtual host', () => {
  it('are off for hand-written hosts and on for accounts', () => {
    expect(parse({}).hosts[0]?.host.htaccess).toBe(false)
    expect(parse({ username: 'anna' }).hosts[0]?.host.htaccess).toBe(true)
    expect(parse({ username: 'anna', htaccess: false }).hosts[0]?.host.htaccess).toBe(false)
  })

  it('keep their order; flags may be left out', () => {
    const rewrites = [
      { pattern: '^/a$', target: '/b', flags: 'R=301,L' },
      { pattern: '^/c$', target: '-' },
    ]
    expect(parse({ rewrites }).hosts[0]?.host.rewrites).toEqual([
      rewrites[0],
      { ...rewrites[1], flags: '' },
    ])
  })

  it.each([
    { rewrites: [{ pattern: '^/a$' }] },
    { rewrites: [{ pattern: '', target: '/b' }] },
    { rewrites: [{ pattern: 'a', target: 'b', more: 1 }] },
    { htaccess: 'yes' },
    { htaccess_unknown: 'warn' },
  ])('refuse %j', (table) => {
    expect(parse(table).problems).toHaveLength(1)
  })
})
