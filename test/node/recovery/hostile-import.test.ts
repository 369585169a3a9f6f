import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownerNames } from '#adapters/node/agent/recovery/owner-names.ts'
import { checkImport } from '#adapters/node/agent/recovery/import/check-import.ts'
import type { ImportJournal } from '#adapters/node/agent/recovery/import/import-journal.ts'
import { placeFiles } from '#adapters/node/agent/recovery/import/place-files.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Member } from '#handlers/domain/recovery/export-manifest.ts'

let room: string
let config: ServerConfig
let staged: string
let skipped: string[]
const files = new Map<string, string>()
let members: Member[]

beforeEach(async () => {
  room = mkdtempSync(join(tmpdir(), 'berth-import-'))
  staged = join(room, 'staged')
  mkdirSync(staged)
  mkdirSync(join(room, 'etc'))
  const file = join(room, 'etc', 'berth.toml')
  writeFileSync(
    file,
    `include = "sites.d/*.toml"\n[paths]\nstate_dir = "../state"\nhome_base = "../home"\nrun_dir = "../run"\nlog_dir = "../log"\n`,
  )
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  config = loaded.config
  files.clear()
  members = []
  skipped = []
})
afterEach(() => {
  rmSync(room, { recursive: true, force: true })
})

const add = (name: string, text: string, more: Partial<Member> = {}): void => {
  const file = join(staged, String(files.size))
  writeFileSync(file, text)
  files.set(name, file)
  members.push({
    ...{ name, size: text.length, sha256: '', mode: 0o600, user: 'root', group: 'root' },
    ...more,
  })
}
const journal = (facts: Partial<ImportJournal['manifest']> = {}): ImportJournal => ({
  manifest: {
    format: 'berth panel export',
    version: 1,
    id: '0'.repeat(32),
    made_at: '2026-11-23 10:00:00',
    made_by: '1.0.0',
    host: 'a',
    config_file: config.file,
    state_dir: config.paths.state_dir,
    accounts: [],
    needs: { php: [], engines: [] },
    kit: null,
    left_out: [],
    members,
    ...facts,
  },
  files,
  isBegun: false,
  isDone: () => false,
  markDone: () => undefined,
  skip: (what) => void skipped.push(what),
  skipped: () => skipped,
})
const place = (): void =>
  placeFiles(
    journal(),
    config,
    ownerNames(
      { root: true, panel: null, web: null, backup: null, link: null, confGid: null },
      new Set(),
    ),
  )
const at = (...parts: string[]): string => join(room, ...parts)

test('hooks and hosts by hand are placed off, also when they come as other files', () => {
  add('hooks/account.created/10-x', '#!/bin/sh\n', { mode: 0o755 })
  add('config/hooks.d/account.created/20-y', '#!/bin/sh\n', { mode: 0o755 })
  add('config/sites.d/a.toml', '[[virtualhost]]\ndomain = "a.example"\n')
  add('config/notes.txt', 'a note')
  place()
  expect(existsSync(at('etc/hooks.d'))).toBe(false)
  expect(readFileSync(at('etc/hooks.d.off/account.created/10-x'), 'utf8')).toBe('#!/bin/sh\n')
  expect(readFileSync(at('etc/sites.d/a.toml'), 'utf8')).toMatch(/^#off# \[\[virtualhost/)
  expect(readFileSync(at('etc/notes.txt'), 'utf8')).toBe('a note')
  expect(skipped).toEqual([expect.stringContaining('hooks.d/account.created/20-y')])
})

test('files for elsewhere are kept aside, and never over what is there', () => {
  const cron = at('cron.d/evil')
  mkdirSync(at('cron.d'))
  writeFileSync(at('etc/license.json'), 'of this machine')
  add('named/0-evil', 'x', { path: cron })
  add('named/1-passwd', 'x', { path: '/etc/passwd' })
  add('named/2-license.json', 'x', { path: at('etc/license.json') })
  add('named/3-hook', 'x', { path: at('etc/hooks.d/account.created/1') })
  const before = readFileSync('/etc/passwd', 'utf8')
  place()
  expect(existsSync(cron)).toBe(false)
  expect(readFileSync('/etc/passwd', 'utf8')).toBe(before)
  expect(readFileSync(at('etc/license.json'), 'utf8')).toBe('of this machine')
  expect(existsSync(at('etc/hooks.d'))).toBe(false)
  expect(skipped).toHaveLength(4)
  expect(readFileSync(at('state/recovery/named/0-evil'), 'utf8')).toBe('x')
})

test('secrets, records and the main file do not come as files of the configuration', () => {
  const secrets = config.paths.secrets_dir
  writeFileSync(at('target'), 'untouched')
  mkdirSync(secrets, { recursive: true })
  symlinkSync(at('target'), join(secrets, 'a.key'))
  add('secrets/a.key', 'secret', { mode: 0o640 })
  add('config/berth.toml', 'other = 1')
  add('agent/registry.db', 'no database')
  place()
  // A link in its place is replaced, not followed.
  expect(readFileSync(at('target'), 'utf8')).toBe('untouched')
  expect(readFileSync(join(secrets, 'a.key'), 'utf8')).toBe('secret')
  expect(statSync(join(secrets, 'a.key')).mode & 0o777).toBe(0o640)
  expect(readFileSync(config.file, 'utf8')).not.toContain('other')
  expect(existsSync(at('state/agent/registry.db'))).toBe(false)
})

/** The records of an export with one account. */
const records = async (username: string, uid: number): Promise<void> => {
  add('config/berth.toml', readFileSync(config.file, 'utf8'))
  add('store/panel.db', '')
  add('registry/registry.db', '')
  const store = await openStore(files.get('store/panel.db') ?? '')
  store.close()
  const registry = openRegistry(files.get('registry/registry.db') ?? '')
  const home = join(config.paths.home_base, username)
  registry.records.reserve({ username, home, diskQuotaMb: 100 }, { uid, gid: uid })
  registry.records.setState(username, 'ready')
  registry.close()
}

test('an account that fits is planned; nothing is changed by looking', async () => {
  await records('shopxyz1', 58_111)
  const plan = await checkImport(journal(), config)
  expect(plan.accounts).toMatchObject([{ username: 'shopxyz1', uid: 58_111 }])
  expect(existsSync(config.paths.state_dir)).toBe(false)
})

test.each<[string, string, number, RegExp]>([
  ['a name of the system', 'daemon', 58_111, /another user daemon/],
  ['a uid of somebody else', 'shopxyz1', 1, /uid 1 of shopxyz1 is taken by daemon/],
])('an account with %s is refused before anything is changed', async (_what, name, uid, reason) => {
  await records(name, uid)
  await expect(checkImport(journal(), config)).rejects.toThrow(reason)
  expect(existsSync(config.paths.state_dir)).toBe(false)
})

test('a home of somebody else, other places and hidden hosts are refused', async () => {
  await records('shopxyz1', 58_111)
  const home = join(config.paths.home_base, 'shopxyz1')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'x'), '')
  await expect(checkImport(journal(), config)).rejects.toThrow(/belongs to somebody else/)
  const elsewhere = journal({ config_file: '/etc/berth/berth.toml' })
  await expect(checkImport(elsewhere, config)).rejects.toThrow(/Name it with --config/)
  const other = journal({ state_dir: '/var/lib/other' })
  await expect(checkImport(other, config)).rejects.toThrow(/set \[paths\] state_dir/)
  writeFileSync(files.get('config/berth.toml') ?? '', 'virtualhost = [{ domain = "a.example" }]')
  await expect(checkImport(journal(), config)).rejects.toThrow(/cannot be told/)
})

test('a machine that has accounts is refused', async () => {
  await records('shopxyz1', 58_111)
  mkdirSync(join(config.paths.state_dir, 'agent'), { recursive: true })
  const registry = openRegistry(join(config.paths.state_dir, 'agent', 'registry.db'))
  registry.records.reserve(
    { username: 'other1', home: '/home/other1', diskQuotaMb: 1 },
    { uid: 58_112, gid: 58_112 },
  )
  registry.close()
  await expect(checkImport(journal(), config)).rejects.toThrow(/has 1 accounts/)
})
