import { describe, expect, test } from 'vitest'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

const address = { host: 'localhost', port: 5432, user: 'berth', database: 'panel', tls: false }

describe('parseStoreUrl', () => {
  test.each([
    ['postgres://berth@localhost/panel', address],
    ['postgresql://berth@127.0.0.1:5433/panel', { ...address, host: '127.0.0.1', port: 5433 }],
    ['postgres://berth@[::1]/panel', { ...address, host: '::1' }],
    ['postgres://berth@localhost/panel?sslmode=verify-full', { ...address, tls: true }],
    ['postgres://berth@/panel?host=/run/postgresql', { ...address, host: '/run/postgresql' }],
    [
      'postgres:///panel?host=/run/postgresql&user=berth&port=5433',
      { ...address, host: '/run/postgresql', port: 5433 },
    ],
    [
      'postgres://the%20panel@db.example.com/p%25?sslmode=verify-full',
      { ...address, user: 'the panel', database: 'p%', host: 'db.example.com', tls: true },
    ],
  ])('reads %s', (url, read) => {
    expect(parseStoreUrl(url)).toEqual(read)
  })

  test.each([
    ['mysql://berth@localhost/panel', 'is not the URL'],
    ['/run/postgresql', 'is not the URL'],
    ['postgres://berth:secret@localhost/panel', 'store_password_file'],
    ['postgres://berth@/panel?host=/run&password=secret', 'store_password_file'],
    ['postgres://localhost/panel', 'names no user'],
    ['postgres://berth@localhost', 'names no database'],
    ['postgres://berth@localhost/a/b', 'names no database'],
    ['postgres://berth@db.example.com/panel', 'verify-full'],
    ['postgres://berth@10.0.0.1/panel?sslmode=require', 'verify-full'],
    ['postgres://berth@localhost.example.com/panel?sslmode=disable', 'verify-full'],
    ['postgres://berth@localhost/panel?host=db.example.com', 'verify-full'],
    ['postgres://berth@/panel?host=/run&sslmode=verify-full', 'unix socket'],
    ['postgres://berth@localhost/panel?options=-c', 'not known: "options"'],
    ['postgres://berth@localhost/panel?port=0', 'between 1 and 65535'],
    ['postgres://berth@localhost/%zz', '% escape'],
  ])('refuses %s', (url, why) => {
    const read = parseStoreUrl(url)
    expect(read).toContain(why)
    expect(read).not.toContain('secret')
  })
})

test.each([
  ['store = "x"', '2 panel.store: is not the URL'],
  ['store_password_file = "p"', '1 panel.store: is missing.'],
  [
    'store = "postgres://berth@localhost/berth"\nstore_ca_file = "ca"',
    '3 panel.store_ca_file: is of no use',
  ],
])('[panel] %s is told with its line', (lines, start) => {
  const { problems } = parseServerConfig({ file: '/b.toml', text: `[panel]\n${lines}`, root: true })
  const told = problems.map(({ line, key, message }) => `${line} ${key}: ${message}`)
  expect(told).toEqual([expect.stringContaining(start)])
})
