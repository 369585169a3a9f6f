import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'

const RULE = `<If "!(-R '127.0.0.0/8') && !(-R '::1')">\n  Require all denied\n</If>`
const apache = (address: string, listen: string): string =>
  `${listen}\n<VirtualHost ${address}>\nServerName a.test\nDocumentRoot /srv/a\n</VirtualHost>`
const nginx = (...listens: string[]): string =>
  `server { ${listens.map((one) => `listen ${one};`).join(' ')} server_name a.test; root /srv/a; }`

describe('a host that listens on this machine alone', () => {
  test.each([
    ['apache', apache('127.0.0.1:8080', 'Listen 127.0.0.1:8080')],
    ['apache', apache('[::1]:8080', 'Listen 8080')],
    ['apache', apache('*:8080', 'Listen 80\nListen 127.0.0.1:8080')],
    ['nginx', nginx('127.0.0.1:8080', '[::1]:8080')],
    ['nginx', nginx('unix:/run/x.sock')],
  ] as const)('refuses others (%s, %s)', (kind, text) => {
    const conversion = convertText(kind, text)
    expect(conversion.hosts[0]?.toml).toContain(RULE)
    expect(remarks(conversion)).toEqual([
      expect.stringMatching(/^changed .* refuses other visitors/),
    ])
  })

  test.each([
    ['apache', apache('*:80', 'Listen 80')],
    ['apache', apache('*:80', '')],
    ['apache', apache('*:80', 'Listen 127.0.0.1:80\nListen 10.0.0.5:80')],
    ['nginx', nginx('80', '127.0.0.1:8080')],
    ['nginx', nginx()],
  ] as const)('others stay open (%s, %s)', (kind, text) => {
    expect(convertText(kind, text).hosts[0]?.toml).not.toContain('Require')
  })
})
