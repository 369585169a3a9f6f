import { createHash } from 'node:crypto'
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { pack, type Header } from 'tar-stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { close, newKeyPair } from '#adapters/node/agent/recovery/format/age.ts'
import { ownerNames } from '#adapters/node/agent/recovery/owner-names.ts'
import { readExport } from '#adapters/node/agent/recovery/format/read-export.ts'
import { proofOf, signManifest } from '#adapters/node/agent/recovery/format/recovery-keys.ts'
import { writeExport } from '#adapters/node/agent/recovery/format/write-export.ts'
import { aboutText, manifestText, type Member } from '#handlers/domain/recovery/export-manifest.ts'

const ID = '0123456789abcdef0123456789abcdef'
const LIMITS = { maxMembers: 100, maxBytes: 2 ** 20 }
const NOBODY = { root: true, panel: null, web: null, backup: null, link: null, confGid: null }

let room: string
let file: string
let staging: string
let pair: { identity: string; recipient: string }

const facts = {
  id: ID,
  made_at: '2026-11-23 10:00:00',
  made_by: '1.0.0',
  host: 'a.example',
  config_file: '/etc/berth/berth.toml',
  state_dir: '/var/lib/berth',
  accounts: [{ username: 'shop', uid: 20_000 }],
  needs: { php: [], engines: [] },
  kit: null,
  left_out: [],
}

beforeAll(async () => {
  pair = await newKeyPair()
})
beforeEach(() => {
  room = mkdtempSync(join(tmpdir(), 'berth-export-'))
  file = join(room, 'panel.age')
  staging = join(room, 'staging')
  mkdirSync(staging)
  mkdirSync(join(room, 'secrets'))
})
const rooms: string[] = []
afterAll(() => {
  for (const one of rooms) rmSync(one, { recursive: true, force: true })
})

/** An honest export, of a database and a secret. */
const write = async (lock: Parameters<typeof writeExport>[1][0]): Promise<void> => {
  rooms.push(room)
  const copy = join(room, 'panel.db')
  writeFileSync(copy, Buffer.alloc(300_000, 'row '))
  writeFileSync(join(room, 'jwt.key'), 'very secret', { mode: 0o600 })
  await writeExport(
    {
      databases: [{ name: 'store/panel.db', copy, user: 'panel' }],
      files: [{ name: 'secrets/panel-jwt.key', file: join(room, 'jwt.key') }],
      texts: [{ name: 'logins.json', text: '{}' }],
      facts,
      owners: ownerNames(NOBODY, new Set()),
      sign: (text) => signManifest(join(room, 'secrets'), text),
    },
    [lock],
    () => createWriteStream(file),
  )
}
const read = (key: { passphrase: string } | { identity: string }, proof: string | null = null) =>
  readExport(file, { key, proof }, staging, LIMITS)

test('an export comes back whole with its passphrase, and with no other', async () => {
  await write({ passphrase: 'right one' })
  const { manifest, files } = await read({ passphrase: 'right one' })
  expect(manifest.members.map(({ name }) => name)).toEqual([
    'store/panel.db',
    'logins.json',
    'secrets/panel-jwt.key',
  ])
  expect(readFileSync(files.get('secrets/panel-jwt.key') ?? '', 'utf8')).toBe('very secret')
  expect(readFileSync(files.get('store/panel.db') ?? '').length).toBe(300_000)
  expect(readFileSync(file, 'latin1')).not.toContain('very secret')
  await expect(read({ passphrase: 'wrong one' })).rejects.toThrow(/does not open/)
})

test('with the key of a kit an export counts only when its own panel signed it', async () => {
  await write({ recipient: pair.recipient })
  const { identity } = pair
  await expect(read({ identity }, proofOf(join(room, 'secrets')))).resolves.toBeTruthy()
  mkdirSync(join(room, 'other'))
  rmSync(staging, { recursive: true })
  mkdirSync(staging)
  await expect(read({ identity }, proofOf(join(room, 'other')))).rejects.toThrow(/was not made by/)
  await expect(read({ identity: (await newKeyPair()).identity })).rejects.toThrow(/does not open/)
})

test('a changed byte anywhere, and a missing end, are noticed', async () => {
  await write({ recipient: pair.recipient })
  const whole = readFileSync(file)
  const places = Array.from({ length: 60 }, (_, turn) => Math.floor((turn * whole.length) / 60))
  for (const at of [...places, whole.length - 1]) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
    await expect(readExport(file, { key: pair, proof: null }, null, LIMITS)).rejects.toThrow(
      /damaged|does not open/,
    )
  }
  for (const length of [0, 10, 200, whole.length - 1, whole.length - 16, whole.length - 65_552]) {
    writeFileSync(file, whole.subarray(0, Math.max(0, length)))
    await expect(readExport(file, { key: pair, proof: null }, null, LIMITS)).rejects.toThrow(
      /damaged|does not open|no panel export|no end/,
    )
  }
  writeFileSync(file, Buffer.concat([whole, Buffer.from('more')]))
  await expect(readExport(file, { key: pair, proof: null }, null, LIMITS)).rejects.toThrow()
})

type Part = [Partial<Header> & { name: string }, string]
const text = (name: string, content: string): Part => [{ name }, content]
const listed = (name: string, content: string): Member => ({
  name,
  size: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
  mode: 0o600,
  user: 'root',
  group: 'root',
})
/** A file as somebody who knows the passphrase would forge it. */
const forge = async (parts: readonly Part[]): Promise<void> => {
  rooms.push(room)
  const tar = pack()
  for (const [header, content] of parts) tar.entry(header as Header, content)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(Buffer.from(chunk as Uint8Array))
  const closed = await close(Readable.from([gzipSync(Buffer.concat(chunks))]), [pair])
  await pipeline(closed, createWriteStream(file))
}
const about = text('about.json', aboutText(ID))
const end = (members: Member[], more: object = {}): Part[] => [
  text('manifest.json', manifestText({ ...facts, members, ...more })),
  text('manifest.sig', 'AAAA\n'),
]
const key = listed('secrets/a.key', 'x')

test.each<[string, Part[], RegExp]>([
  [
    'a name that climbs',
    [about, text('secrets/../../etc/passwd', 'x'), ...end([])],
    /name that is not taken/,
  ],
  ['an absolute name', [about, text('/etc/passwd', 'x'), ...end([])], /name that is not taken/],
  ['an empty part', [about, text('secrets//a', 'x'), ...end([])], /name that is not taken/],
  ['a place of its own', [about, text('home/a', 'x'), ...end([])], /name that is not taken/],
  ['a line break', [about, text('secrets/a\nb', 'x'), ...end([])], /name that is not taken/],
  [
    'a link',
    [about, [{ name: 'secrets/a', type: 'symlink', linkname: '/etc/shadow' }, ''], ...end([])],
    /holds a symlink/,
  ],
  [
    'a hard link',
    [about, [{ name: 'secrets/a', type: 'link', linkname: 'store/panel.db' }, ''], ...end([])],
    /holds a link/,
  ],
  [
    'a device',
    [about, [{ name: 'secrets/a', type: 'character-device' }, ''], ...end([])],
    /holds a character-device/,
  ],
  [
    'a file twice',
    [about, text('secrets/a.key', 'x'), text('secrets/a.key', 'y'), ...end([key])],
    /twice/,
  ],
  ['no beginning', [text('secrets/a.key', 'x'), ...end([key])], /no panel export/],
  ['no end', [about, text('secrets/a.key', 'x')], /no end/],
  [
    'more behind the list',
    [about, ...end([key]).slice(0, 1), text('secrets/a.key', 'x')],
    /behind the list/,
  ],
  ['more behind the end', [about, ...end([key]), text('secrets/a.key', 'x')], /behind its end/],
  [
    'other content than listed',
    [about, text('secrets/a.key', 'y'), ...end([key])],
    /not what its list says/,
  ],
  ['less than listed', [about, ...end([key])], /not what its list says/],
  [
    'more than listed',
    [about, text('secrets/a.key', 'x'), text('secrets/b', 'x'), ...end([key])],
    /list does not name/,
  ],
  ['a list twice', [about, text('secrets/a.key', 'x'), ...end([key, key])], /names a file twice/],
  [
    'a list of another export',
    [about, ...end([], { id: ID.replaceAll('0', '9') })],
    /put together/,
  ],
  [
    'a newer form',
    [text('about.json', aboutText(ID).replace('"version":1', '"version":2'))],
    /newer Berth/,
  ],
  [
    'an unknown owner',
    [about, ...end([{ ...key, user: 'mysql' as 'root' }])],
    /form that is not known/,
  ],
  ['a setuid mode', [about, ...end([{ ...key, mode: 0o4755 }])], /form that is not known/],
  [
    'too much',
    [about, text('store/panel.db', 'a'.repeat(2 ** 20 + 1)), ...end([])],
    /more than the/,
  ],
  [
    'too many',
    [about, ...Array.from({ length: 120 }, (_, n) => text(`secrets/${n}`, '')), ...end([])],
    /more than 100 files/,
  ],
])('an export with %s is refused, and leaves nothing outside', async (_what, parts, reason) => {
  await forge(parts)
  await expect(read(pair)).rejects.toThrow(reason)
  for (const name of readdirSync(staging)) expect(name).toMatch(/^\d+$/)
  expect(readdirSync(room).sort()).toEqual(['panel.age', 'secrets', 'staging'])
})

test('a key that is none fails the export before its file is there', async () => {
  await expect(write({ recipient: 'age1no' })).rejects.toThrow()
  expect(readdirSync(room)).not.toContain('panel.age')
})

test('a sink that is full fails the export', async () => {
  const full = createWriteStream('/dev/full')
  rooms.push(room)
  await expect(
    writeExport(
      {
        databases: [],
        files: [],
        texts: [{ name: 'logins.json', text: 'a'.repeat(3 * 2 ** 20) }],
        facts,
        owners: ownerNames(NOBODY, new Set()),
        sign: () => '',
      },
      [pair],
      () => full,
    ),
  ).rejects.toThrow(/ENOSPC/)
})
