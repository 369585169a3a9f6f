import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Header } from 'tar-stream'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { createCoreSources } from '#adapters/node/agent/wordpress/sources/core-sources.ts'
import {
  coresIn,
  dropCore,
  storeCore,
  storedCores,
} from '#adapters/node/wordpress-cores/core-store.ts'
import { sumBeside, takePlacedCores } from '#adapters/node/wordpress-cores/placed-cores.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { smallCore, zipOf } from '#test/support/small-core.ts'

let directory: string
let state: string
let placed: string
beforeEach(() => {
  // Everything above it is root's alone, as that of an administrator is.
  directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  state = join(directory, 'state')
  placed = join(directory, 'placed')
  for (const path of [state, placed]) mkdirSync(path, { mode: 0o755 })
})

const cores = () => coresIn(state)
const tarOf = async (
  files: Record<string, string>,
  more: (Partial<Header> & { name: string })[] = [],
): Promise<Buffer> => {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content)
  for (const header of more) tar.entry(header, '')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks))
}
const put = (name: string, bytes: Buffer, at = placed): string => {
  const file = join(at, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes, { mode: 0o644 })
  return file
}
const sha256 = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')
const added = (file: string, sum: string | null = null) =>
  storeCore({ file, origin: 'archive', sha256: sum, key: null }, cores())
const take = (known = new Map<string, string>()) => takePlacedCores([placed], cores(), known)

describe('an archive of WordPress', () => {
  test.each(['zip', 'tar.gz'] as const)(
    'that is a .%s is unpacked, for all to read',
    async (kind) => {
      const bytes = kind === 'zip' ? zipOf(smallCore('6.5.2')) : await tarOf(smallCore('6.5.2'))
      const file = put(`wordpress-6.5.2.${kind}`, bytes, directory)
      const stored = await added(file, sha256(file).toUpperCase())
      expect(stored).toMatchObject({ name: '6.5.2', locale: null, compared: true })
      expect(statSync(join(stored.directory, 'wp-admin')).mode & 0o777).toBe(0o755)
      expect(statSync(join(stored.directory, 'wp-load.php')).mode & 0o777).toBe(0o644)
      await expect(added(file)).rejects.toThrow(/6\.5\.2 is there already/)
      expect(readdirSync(cores())).toEqual(['core-6.5.2'])
      const [one] = await storedCores(cores())
      await dropCore(one!, cores())
      expect(readdirSync(cores())).toEqual([])
    },
  )

  test('for one language stands beside the one for all', async () => {
    await added(put('wordpress-6.5.2-de_DE.zip', zipOf(smallCore('6.5.2', 'de_DE'))))
    await added(put('any-name.zip', zipOf(smallCore('6.5.2'))))
    expect((await storedCores(cores())).map(({ name }) => name)).toEqual(['6.5.2', '6.5.2-de_DE'])
  })

  const without = (name: string) => {
    const { [name]: _, ...files } = smallCore('6.5.2')
    return files
  }
  const evil: [string, RegExp, () => Buffer | Promise<Buffer>][] = [
    [
      'leads out by its names',
      /not one inside/,
      () => tarOf({ ...smallCore('6.5.2'), '../evil.php': 'x' }),
    ],
    [
      'leads out further down',
      /not one inside/,
      () => zipOf({ ...smallCore('6.5.2'), 'wordpress/a/../../../evil.php': 'x' }),
    ],
    [
      'has an absolute name',
      /not one inside/,
      () => tarOf({ ...smallCore('6.5.2'), '/tmp/evil.php': 'x' }),
    ],
    [
      'has a link',
      /a link/,
      () =>
        tarOf(smallCore('6.5.2'), [
          { name: 'wordpress/l', type: 'symlink', linkname: 'wp-load.php' },
        ]),
    ],
    [
      'has a link that leads out',
      /leads out/,
      () => tarOf(smallCore('6.5.2'), [{ name: 'wordpress/l', type: 'symlink', linkname: '/etc' }]),
    ],
    [
      'has a hard link',
      /hard link/,
      () =>
        tarOf(smallCore('6.5.2'), [{ name: 'wordpress/l', type: 'link', linkname: '/etc/passwd' }]),
    ],
    [
      'has a device',
      /device/,
      () => tarOf(smallCore('6.5.2'), [{ name: 'wordpress/d', type: 'character-device' }]),
    ],
    [
      'is a bomb',
      /larger than/,
      () => zipOf(smallCore('6.5.2'), [{ name: 'wordpress/b', says: { size: 2 ** 30 } }]),
    ],
    [
      'has more in a file than it announces',
      /damaged/,
      () =>
        zipOf(smallCore('6.5.2'), [
          { name: 'wordpress/b', content: 'x'.repeat(9999), says: { size: 9 } },
        ]),
    ],
    [
      'announces more than there may be',
      /larger than/,
      async () => {
        const tar = pack()
        tar.entry({ name: 'wordpress/bomb', size: 2 ** 31 })
        for await (const chunk of tar)
          return gzipSync(Buffer.concat([chunk as Buffer, Buffer.alloc(2048)]))
        throw new Error('there is no header')
      },
    ],
    [
      'has links as Unix packs them',
      /a link/,
      () =>
        zipOf(smallCore('6.5.2'), [
          { name: 'wordpress/l', content: 'wp-load.php', mode: 0o120777 },
        ]),
    ],
    [
      'is damaged',
      /checksum/,
      () => zipOf(smallCore('6.5.2'), [{ name: 'wordpress/b', content: 'x', says: { crc: 1 } }]),
    ],
    ['is cut off', /damaged|end/, async () => (await tarOf(smallCore('6.5.2'))).subarray(0, 200)],
    [
      'has another product in it',
      /no WordPress: wp-load\.php/,
      () => zipOf(without('wordpress/wp-load.php')),
    ],
    [
      'has ClassicPress in it',
      /ClassicPress/,
      () =>
        zipOf({
          ...smallCore('6.2.4'),
          'wordpress/wp-includes/version.php':
            "<?php\n$cp_version = '2.0';\n$wp_version = '6.2.4';",
        }),
    ],
    [
      'is the copy of a site',
      /the copy of a site/,
      () => zipOf({ ...smallCore('6.5.2'), 'wordpress/wp-config.php': '<?php // secrets' }),
    ],
    [
      'tells no version',
      /tells no version/,
      () => zipOf({ ...smallCore('6.5.2'), 'wordpress/wp-includes/version.php': '<?php' }),
    ],
    [
      'tells a version that is none',
      /tells no version/,
      () =>
        zipOf({
          ...smallCore('6.5.2'),
          'wordpress/wp-includes/version.php': "<?php $wp_version = '../6';",
        }),
    ],
    [
      'has two folders',
      /one folder alone/,
      () => zipOf({ ...smallCore('6.5.2'), 'other/file': 'x' }),
    ],
    [
      'has files beside its folder',
      /one folder alone/,
      () => zipOf({ ...smallCore('6.5.2'), file: 'x' }),
    ],
    [
      'has a name twice',
      /twice/,
      () => tarOf(smallCore('6.5.2'), [{ name: 'wordpress/wp-load.php', size: 0 }]),
    ],
    ['is none', /neither/, () => Buffer.from('#!/bin/sh\nexit 0\n')],
    ['is empty', /neither/, () => Buffer.alloc(0)],
    [
      'holds another version than it is called by',
      /holds WordPress 6\.4, and should hold 6\.5\.2/,
      () => zipOf(smallCore('6.4')),
    ],
  ]
  test.each(evil)('that %s is refused, and nothing stays of it', async (_, reason, make) => {
    const file = put('wordpress-6.5.2.zip', await make(), directory)
    await expect(added(file)).rejects.toThrow(reason)
    expect(readdirSync(cores())).toEqual([])
    expect(existsSync('/tmp/evil.php')).toBe(false)
    expect(readdirSync(directory).sort()).toEqual(['placed', 'state', 'wordpress-6.5.2.zip'])
  })

  test('with another sum than was said is refused', async () => {
    const file = put('wordpress-6.5.2.zip', zipOf(smallCore('6.5.2')), directory)
    await expect(added(file, 'a'.repeat(64))).rejects.toThrow(
      /its SHA-256 is [0-9a-f]{64}, and should be aaa/,
    )
    writeFileSync(`${file}.sha256`, `${'b'.repeat(64)}  another.zip\n`)
    await expect(sumBeside(file)).rejects.toThrow(/tells no SHA-256/)
    writeFileSync(
      `${file}.sha256`,
      `${'b'.repeat(64)}  another.zip\n${sha256(file)} *wordpress-6.5.2.zip\n`,
    )
    expect(await sumBeside(file)).toBe(sha256(file))
  })

  test('that is no regular file is refused without waiting for one', async () => {
    const fifo = join(directory, 'wordpress-6.5.2.zip')
    execFileSync('mkfifo', [fifo])
    await expect(added(fifo)).rejects.toThrow(/no file/)
  })
})

describe('archives in a configured directory', () => {
  it('count while they are there, and are read again when they change', async () => {
    const file = put('wordpress-6.5.2.zip', zipOf(smallCore('6.5.2')))
    put('readme.txt', Buffer.from('not looked at'))
    const first = await take()
    expect(first).toMatchObject({ cores: [{ name: '6.5.2', compared: false }], refused: [] })
    const before = statSync(first.cores[0]!.directory).ino
    expect(statSync((await take()).cores[0]!.directory).ino).toBe(before)
    writeFileSync(`${file}.sha256`, sha256(file))
    expect((await take()).cores).toMatchObject([{ name: '6.5.2', compared: true }])
    rmSync(file)
    expect((await take()).cores).toEqual([])
  })

  it('are refused with the reason, and read again once that may have gone', async () => {
    const file = put('wordpress-6.5.2.zip', zipOf(smallCore('6.5.2')))
    writeFileSync(`${file}.sha256`, 'c'.repeat(64))
    const known = new Map<string, string>()
    const problem = expect.stringMatching(/should be ccc/)
    expect(await take(known)).toEqual({ cores: [], refused: [{ file, problem }] })
    expect(known.size).toBe(1)
    expect((await take(known)).refused).toEqual([{ file, problem }])
    rmSync(`${file}.sha256`)
    expect(await take(known)).toMatchObject({ cores: [{ name: '6.5.2' }], refused: [] })
    expect(known.size).toBe(0)
  })

  it('are taken only where nobody but root can change them', async () => {
    const file = put('wordpress-6.5.2.zip', zipOf(smallCore('6.5.2')))
    chmodSync(file, 0o666)
    expect((await take()).refused[0]?.problem).toMatch(/root alone can change/)
    chmodSync(file, 0o644)
    chmodSync(placed, 0o777)
    expect((await take()).refused[0]?.problem).toMatch(/Others than root can change/)
    chmodSync(placed, 0o755)
    expect((await take()).cores).toHaveLength(1)
  })

  it('do not take the place of what was added by hand', async () => {
    await added(put('one.zip', zipOf(smallCore('6.5.2')), directory))
    put('wordpress-6.5.2.zip', zipOf(smallCore('6.5.2')))
    expect((await take()).refused[0]?.problem).toMatch(/6\.5\.2 is there already/)
    const [one] = await storedCores(cores())
    await dropCore(one!, cores())
    expect(await take()).toMatchObject({ cores: [{ name: '6.5.2' }], refused: [] })
  })
})

test('sources tell where each is from, newest first, and warn once of what is refused', async () => {
  put('wordpress-6.5.2-de_DE.zip', zipOf(smallCore('6.5.2', 'de_DE')))
  put('wordpress-9.9.zip', Buffer.from('no'))
  await added(put('one.zip', zipOf(smallCore('6.4')), directory))
  const tree = join(directory, 'tree')
  for (const [name, content] of Object.entries(smallCore('6.5.3'))) {
    mkdirSync(dirname(join(tree, name)), { recursive: true })
    writeFileSync(join(tree, name), content)
  }
  const warned: unknown[] = []
  const sources = createCoreSources({
    ...{ folders: [tree], archives: [placed], official: null, stateDir: state },
    official: null,
    log: { warn: (...said) => void warned.push(said) },
  })
  const [all] = await Promise.all([sources.trees(), sources.trees()])
  expect(all).toMatchObject([
    { version: '6.5.3', source: 'folder', localised: null },
    { version: '6.5.2', source: 'archive', localised: 'de_DE', locales: ['de_DE'] },
    { version: '6.4', source: 'archive', localised: null },
  ])
  await sources.trees()
  expect(warned).toHaveLength(1)
})
