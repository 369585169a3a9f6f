import { parse } from 'smol-toml'
import { expect, it } from 'vitest'
import { emptySite } from '#handlers/domain/legacy/empty-site.ts'
import { renderHost } from '#handlers/domain/legacy/render-toml.ts'

const host = (value: string) => ({
  names: ['example.test'],
  from: [{ file: 'httpd.conf', line: 1 }],
  root: '/srv/www',
  site: {
    ...emptySite(),
    headers: { 'x-value': value },
    rewrites: [{ pattern: value, target: '-', flags: '', conditions: [] }],
  },
  certificate: null,
  key: null,
  redirectHttps: false,
  hstsMaxAgeSecs: 0,
  isFallback: false,
})

it.each(['plain', 'a "quote" and \\', "it's", 'tab\tline\nend', '\u001b[31m\u007f\u009b', 'grüße'])(
  'writes %j as TOML reads it, without what a terminal obeys',
  (value) => {
    const text = renderHost(host(value))
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    expect(parse(text)).toMatchObject({
      virtualhost: [{ headers: { 'x-value': value }, rewrites: [{ pattern: value }] }],
    })
  },
)

it('replaces what is no character', () => {
  expect(renderHost(host('\ud800'))).toContain('"\ufffd"')
})
