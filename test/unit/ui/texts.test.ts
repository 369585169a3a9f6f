import { describe, expect, it } from 'vitest'
import { de } from '../../../src/lib/texts/de/de.ts'
import { en } from '../../../src/lib/texts/en/en.ts'

type Text = string | ((...args: never[]) => string)

/** Words that are the same in both languages. */
const SAME: ReadonlySet<string> = new Set([
  'Reseller',
  ...['Cloudflare', 'deSEC', 'acme-dns', 'Repository'],
  ...['Shell', 'Shells', 'Backends'],
  ...['Berth', 'Community', 'Pro', 'Business', 'Basic', 'Standard', 'Premium', 'Enterprise'],
  ...['SSL', 'PHP', 'HSTS', 'SFTP', 'CPU', 'RAM', 'PID', 'FPM', 'CGI', 'LSAPI', 'Cache'],
  ...['scp', 'rsync'],
  ...['Node.js', 'Python', 'Socket'],
  ...['WordPress', 'WordPress von ‹0›', 'Plugins', 'Themes', 'Plugin', 'Theme'],
  ...['Administrator', 'System', 'Server', 'Hostname', 'Kernel', 'Host', 'Home', 'Webroot'],
  ...['Status', 'Name', 'Version', 'Code', 'Token', 'Domain', 'Domains', 'Alias', 'Uploads'],
  ...['English', 'Deutsch', 's', 'LSAPI (Pro oder Business)', 'Subdomain', 'PHP ‹0›'],
  ...[
    'Passkeys',
    'Port',
    'FileZilla, WinSCP, Cyberduck',
    'psql',
    'DBeaver',
    'Website',
    'Websites',
    '(UTC)',
    'SHA-256',
    'Redis',
    'WebSocket',
    'Webhook',
    'Mail',
    'Tag',
    'Tags',
    'Hooks',
    'Panel',
    'Agent',
    'Client',
    'S3',
    'Bucket',
    'Region',
    'Snapshot',
    'berth.toml',
    'Person',
    'Link',
    'Backends',
  ],
  ...['Debug', 'Info', 'Live', '2xx', '3xx', '4xx', '5xx'],
  ...['1 min', '5 min', '15 min', '1 h', '6 h', '24 h'],
  ...['‹0› · Berth', 'Status: ‹0›', '‹0>: ‹1›', '‹0› %', '‹0›: ‹1›', 'Token ‹0›'],
  // Looked up; `deeds.test.ts` has all of it.
  ...['‹0›'],
  ...['‹0› ‹2›', 'In ‹0›'],
])

/** Every text with its path, e.g. `accounts.form.title`. */
const textsOf = (value: unknown, path = ''): [string, Text][] => {
  if (typeof value === 'string' || typeof value === 'function') return [[path, value as Text]]
  return Object.entries(value as object).flatMap(([key, inner]) =>
    textsOf(inner, path === '' ? key : `${path}.${key}`),
  )
}
const arity = (text: Text): number => (typeof text === 'function' ? text.length : 0)
const said = (text: Text, args: unknown[]): string =>
  typeof text === 'function' ? text(...(args as never[])) : text
const MARKS = ['‹0›', '‹1›', '‹2›', '‹3›']
const marksIn = (text: string): string[] => MARKS.filter((mark) => text.includes(mark))

describe('texts in two languages', () => {
  const english = textsOf(en)
  const german = new Map(textsOf(de))

  it('have the same keys', () => {
    expect([...german.keys()].sort()).toEqual(english.map(([key]) => key).sort())
  })

  it('take the same and say the same of it', () => {
    for (const [key, text] of english) {
      const other = german.get(key)!
      expect([key, arity(other)]).toEqual([key, arity(text)])
      expect([key, marksIn(said(other, MARKS))]).toEqual([key, marksIn(said(text, MARKS))])
      for (const count of [0, 1, 2, -1, -3])
        for (const one of [text, other])
          expect([key, said(one, [count, count, count, count])]).toEqual([
            key,
            expect.not.stringMatching(/undefined|NaN|\[object|^\s*$/),
          ])
    }
  })

  it('are translated, unless a word is the same', () => {
    const left = english
      .filter(([key, text]) => said(german.get(key)!, MARKS) === said(text, MARKS))
      .map(([key, text]) => [key, said(text, MARKS)] as const)
      .filter(([, text]) => !SAME.has(text))
    expect(left).toEqual([])
  })
})
