import { spawn } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

const RUNNER = join(import.meta.dirname, '../../../adapters/wordpress/runner.php')

let place = ''
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'berth-copy-'))
  await mkdir(join(place, 'outside'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

type Piece = readonly [kind: string, bytes: string]

const framed = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(
    pieces.map(([kind, said]) => {
      const bytes = Buffer.from(said, 'utf8')
      const head = Buffer.alloc(5)
      head.write(kind, 'latin1')
      head.writeUInt32BE(bytes.length, 1)
      return Buffer.concat([head, bytes])
    }),
  )

/** What the runner answers that takes files, when it is sent these bytes. */
const take = async (bytes: Buffer): Promise<{ ok: boolean; error?: string }> => {
  await rm(join(place, 'new'), { recursive: true, force: true })
  const child = spawn('php', ['-d', 'display_errors=0', '-f', RUNNER], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const [, , , answer, pieces] = child.stdio
  if (!(answer instanceof Readable) || !(pieces instanceof Writable)) throw new Error('no pipes')
  pieces.on('error', () => undefined)
  pieces.end(bytes)
  child.stdin?.end(JSON.stringify({ op: 'unpack-files', folder: join(place, 'new') }))
  return JSON.parse(await text(answer)) as { ok: boolean; error?: string }
}
const END: Piece = ['z', '']

test('what a site sends is taken as it is, with its modes and its links', async () => {
  const sent: Piece[] = [
    ['d', '0750sub'],
    ['f', '0640sub/a.txt'],
    ['c', 'one '],
    ['c', 'two'],
    ['l', 'sub/b.txt\0a.txt'],
    END,
  ]
  expect(await take(framed(sent))).toMatchObject({ ok: true })
  const made = join(place, 'new/sub')
  expect(await readFile(join(made, 'b.txt'), 'utf8')).toBe('one two')
  expect((await lstat(made)).mode & 0o7777).toBe(0o750)
  expect((await lstat(join(made, 'a.txt'))).mode & 0o7777).toBe(0o640)
})

test.each<[string, Piece[]]>([
  ['a path upwards', [['f', '0644../outside/x']]],
  [
    'one in the middle',
    [
      ['d', '0755a'],
      ['f', '0644a/../../outside/x'],
    ],
  ],
  ['an absolute path', [['f', '0644/outside/x']]],
  ['an empty part', [['f', '0644a//x']]],
  ['a NUL', [['f', '0644x\0.php']]],
  ['a link that leads out', [['l', 'x\0../outside']]],
  ['a link to an absolute path', [['l', 'x\0/etc/passwd']]],
  ['a link without a target', [['l', 'x']]],
  [
    'a file through a link',
    [
      ['l', 'x\0sub'],
      ['f', '0644x/y'],
    ],
  ],
  [
    'the same file twice',
    [
      ['f', '0644x'],
      ['f', '0644x'],
    ],
  ],
  ['bytes of no file', [['c', 'x']]],
  ['a kind that is none', [['q', '0644x']]],
])('refuses %s', async (_, pieces) => {
  expect(await take(framed([...pieces, END]))).toMatchObject({ ok: false })
  expect(await readdir(join(place, 'outside'))).toEqual([])
})

test('sets no further bits', async () => {
  expect(await take(framed([['f', '4755x'], END]))).toMatchObject({ ok: true })
  expect((await lstat(join(place, 'new/x'))).mode & 0o7777).toBe(0o755)
})

test('refuses what ends too early, and what says to be larger than it may', async () => {
  const whole = framed([['f', '0644x'], ['c', 'abc'], END])
  for (const cut of [0, 3, whole.length - 6, whole.length - 1])
    expect(await take(whole.subarray(0, cut))).toMatchObject({
      ...{ ok: false, error: 'What was sent is not whole.' },
    })
  const large = Buffer.from([0x63, 0xff, 0xff, 0xff, 0xff])
  expect(await take(large)).toMatchObject({ ok: false, error: 'What was sent is too large.' })
})
