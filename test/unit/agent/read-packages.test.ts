import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createReadPackages } from '#adapters/node/agent/wordpress/extensions/read-packages.ts'
import { makeZip } from '#test/support/make-zip.ts'
import type { ZipMember } from '#test/support/make-zip.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeEach(makeDirectory)

const place = (name: string, members: readonly ZipMember[]): string => {
  const file = join(directory, name)
  writeFileSync(file, makeZip(members))
  return file
}
const plugin = (version = '1.0'): string =>
  `<?php\n/*\n * Plugin Name: Shop\n * Version: ${version}\n */`
const read = () => createReadPackages([directory, join(directory, 'gone')])()

test('plugins and themes are told from what their files say', async () => {
  place('a.zip', [
    { name: '__MACOSX/shop/._shop.php', content: 'x' },
    { name: 'shop/' },
    { name: 'shop/inner/other.php', content: '<?php /* Plugin Name: Other\nVersion: 9 */' },
    { name: 'shop/style.css', content: 'a { color: red }' },
    { name: 'shop/main.php', content: plugin() + ' '.repeat(100_000) },
  ])
  place('b.zip', [{ name: 'hello.php', content: plugin('2.1') }])
  place('c.zip', [
    { name: 'blue/functions.php', content: '<?php' },
    { name: 'blue/style.css', content: '/*\nTheme Name: Blue\nVersion: 3.0\n*/' },
  ])
  expect((await read()).map(({ holds, problem }) => holds ?? problem)).toEqual([
    { kind: 'plugin', slug: 'shop', name: 'Shop', version: '1.0' },
    { kind: 'plugin', slug: 'hello.php', name: 'Shop', version: '2.1' },
    { kind: 'theme', slug: 'blue', name: 'Blue', version: '3.0' },
  ])
})

test.each<[string, ZipMember[], RegExp]>([
  ['leads out', [{ name: 'shop/../../x.php', content: plugin() }], /not one inside/],
  ['is absolute', [{ name: '/etc/x.php', content: plugin() }], /not one inside/],
  [
    'holds a link',
    [
      { name: 'shop/shop.php', content: plugin() },
      { name: 'shop/a', content: 'shop.php', mode: 0o120777 },
    ],
    /link/,
  ],
  [
    'holds a pipe',
    [
      { name: 'shop/shop.php', content: plugin() },
      { name: 'shop/a', mode: 0o010644 },
    ],
    /pipe/,
  ],
  [
    'is a bomb by what it announces',
    [
      { name: 'shop/shop.php', content: plugin() },
      { name: 'shop/a', content: 'x', says: { size: 2 ** 31 } },
    ],
    /larger/,
  ],
  [
    'is a bomb of one part many times',
    [
      { name: 'shop/shop.php', content: plugin() },
      ...Array.from({ length: 20_001 }, (_, n) => ({ name: `shop/${n}`, sameAs: 0 })),
    ],
    /more than 20000/,
  ],
  [
    'holds two',
    [
      { name: 'shop/shop.php', content: plugin() },
      { name: 'blue/blue.php', content: plugin() },
    ],
    /one folder/,
  ],
  ['is hidden', [{ name: '.shop/shop.php', content: plugin() }], /one folder/],
  ['is no plugin', [{ name: 'shop/shop.php', content: '<?php' }], /neither/],
  ['tells no version', [{ name: 'shop/shop.php', content: plugin('<b>') }], /version/],
  ['is empty', [], /empty/],
])('an archive that %s is refused', async (_, members, why) => {
  place('a.zip', members)
  expect(await read()).toMatchObject([{ holds: null, problem: expect.stringMatching(why) }])
})

test('what is no archive is refused or passed over, and one that changes is read anew', async () => {
  writeFileSync(join(directory, 'a.zip'), 'nothing of the kind')
  writeFileSync(join(directory, 'b.txt'), '')
  mkdirSync(join(directory, 'c.zip'))
  symlinkSync('a.zip', join(directory, 'd.zip'))
  const packages = createReadPackages([directory])
  expect(await packages()).toMatchObject([{ problem: expect.stringContaining('no zip') }])
  expect(await packages()).toMatchObject([{ problem: expect.stringContaining('no zip') }])
  place('a.zip', [{ name: 'shop/shop.php', content: plugin('4.0') }])
  expect(await packages()).toMatchObject([{ holds: { version: '4.0' }, problem: null }])
})
