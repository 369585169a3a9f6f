import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isInKit, missingInKit, parseKit, renderKit } from '#handlers/domain/recovery/kit-text.ts'
import { parseMemberName } from '#handlers/domain/recovery/member-name.ts'
import { allOff, countOff, hostsOff, hostsOn } from '#handlers/domain/recovery/switch-off.ts'

const IDENTITY = `AGE-SECRET-KEY-1${'QZ'.repeat(29)}`
const PROOF = 'a-_9'.repeat(11).slice(0, 43)
const target = {
  name: 'away',
  lines: ['type: s3', 'endpoint: https://s3.example', 'secret key: top'],
}
const kit = {
  identity: IDENTITY,
  proof: PROOF,
  archiveKey: 'ab'.repeat(32),
  snapshotKey: 'cd'.repeat(32),
  host: 'a.example',
  madeAt: '2026-11-23 10:00:00',
  configFile: '/etc/berth/berth.toml',
  targets: [target],
}

test('a kit is read back from its text, also typed with other line ends around it', () => {
  const text = renderKit(kit)
  expect(parseKit(text)).toEqual({ identity: IDENTITY, proof: PROOF })
  expect(parseKit(`> ${text.replaceAll('\n', '\r\n')}`)).toEqual(parseKit(text))
  expect(isInKit(text, 'ab'.repeat(32))).toBe(true)
  expect(text.split('\n').every((line) => line.length <= 100)).toBe(true)
  expect(/^[\x20-\x7e\n]*$/.test(text)).toBe(true)
})

test('the commands in a kit are those of docs/disaster-recovery.md, for the configuration of its panel', () => {
  const page = readFileSync('docs/disaster-recovery.md', 'utf8')
  const [, commands = ''] = /## After: six commands[^]*?```sh\n([^]*?)```/.exec(page) ?? []
  const text = renderKit(kit)
  expect(commands.trim().split('\n')).toHaveLength(6)
  for (const command of commands.trim().split('\n')) expect(text).toContain(command)
  const elsewhere = renderKit({ ...kit, configFile: '/srv/berth.toml' })
  expect(elsewhere).toContain('berth backups restore-all --config /srv/berth.toml')
})

test('a text without both keys, or with two kits, is no kit', () => {
  const text = renderKit(kit)
  expect(() => parseKit(text.replace(IDENTITY, ''))).toThrow(/not in it/)
  expect(() => parseKit(text.replace(PROOF, 'short'))).toThrow(/not in it/)
  expect(() => parseKit(text + text.replaceAll('QZ', 'ZQ'))).toThrow(/several/)
})

test('a kit tells which targets it does not know as they are now', () => {
  const text = renderKit(kit)
  expect(missingInKit(text, [target])).toEqual([])
  const changed = { ...target, lines: ['type: s3', 'secret key: other'] }
  expect(missingInKit(text, [changed, { name: 'box', lines: ['type: sftp'] }])).toEqual([
    'away',
    'box',
  ])
})

test.each([
  'secrets/panel-jwt.key',
  'certificates/shop.example/v1/key.pem',
  'hooks/account.created/10-x',
])('%s is a name of a member', (name) => {
  expect(parseMemberName(name)).toEqual({
    place: name.slice(0, name.indexOf('/')),
    path: name.slice(name.indexOf('/') + 1),
  })
})

test.each([
  '',
  'secrets',
  'secrets/',
  'secrets/..',
  'secrets/./a',
  'secrets/a/../b',
  '/secrets/a',
  '../secrets/a',
  'secrets\\a/b',
  'secrets/a\0b',
  'secrets/a\nb',
  'Secrets/a',
  `secrets/${'a'.repeat(1100)}`,
])('%j is none', (name) => {
  expect(parseMemberName(name)).toBeNull()
})

const MAIN = `[panel]
listen = "0.0.0.0:7070"

[[virtualhost]]
domain = "a.example"
aliases = [
  "b.example",
]
[virtualhost.cache]
enable = true
[[virtualhost.rewrites]]
pattern = "x"

[backups]
schedule = 3
[[virtualhost]]
domain = "c.example"
`

test('hosts in the main file are switched off alone, and on again as they were', () => {
  const off = hostsOff(MAIN)
  expect(off).toContain('#off# domain = "a.example"')
  expect(off).toContain('#off# enable = true')
  expect(off).toContain('\nschedule = 3\n')
  expect(countOff(off)).toBe(2)
  expect(hostsOff(off)).toBe(off)
  expect(hostsOn(off)).toBe(MAIN)
  const none = '[panel]\n'
  expect(hostsOff(none)).toBe(none)
})

test('hosts that cannot be told from the rest are refused, never left on', () => {
  expect(() => hostsOff('virtualhost = [{ domain = "a.example" }]\n')).toThrow(/cannot be told/)
  const hidden = `[[virtualhost]]\nheaders = """\n[panel]\ndomain = "x"\n"""\n`
  expect(() => hostsOff(hidden)).toThrow(/cannot be told/)
})

test('an included file is off as a whole', () => {
  const text = '[[virtualhost]]\ndomain = "a.example"\n\n# note\n'
  expect(allOff(text)).toBe('#off# [[virtualhost]]\n#off# domain = "a.example"\n\n#off# # note\n')
  expect(hostsOn(allOff(text))).toBe(text)
})
