import { describe, expect, it } from 'vitest'
import { parseGitUrl } from '#handlers/domain/applications/git-url.ts'
import {
  readSubmodules,
  submoduleFault,
  submoduleSource,
  type SubmoduleSource,
} from '#handlers/domain/applications/submodules.ts'

const source = (url: string): SubmoduleSource => {
  const parsed = parseGitUrl(url)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}
const HTTPS = source('https://example.com:8443/team/shop.git')
const SSH = source('git@example.com:team/shop.git')
const OWN: SubmoduleSource = { kind: 'own', application: 'shop' }

describe('the address of a submodule', () => {
  it.each([
    [HTTPS, '../lib.git', 'https://example.com:8443/team/lib.git'],
    [HTTPS, './../../other/lib', 'https://example.com:8443/other/lib'],
    [HTTPS, './lib.git', 'https://example.com:8443/team/shop.git/lib.git'],
    [SSH, '../lib.git', 'ssh://git@example.com/team/lib.git'],
    [SSH, 'https://example.org/x.git', 'https://example.org/x.git'],
    [OWN, 'git@example.org:a/b.git', 'ssh://git@example.org/a/b.git'],
  ])('beside %o: %s is %s', (base, url, full) => {
    expect(submoduleSource(base, url)).toMatchObject({ url: full })
  })
  it.each(['../lib.git', '../lib', './../lib.git'])('%s beside an own one is one too', (url) => {
    expect(submoduleSource(OWN, url)).toEqual({ kind: 'own', application: 'lib' })
  })
  it.each([
    [HTTPS, '../../../x.git'],
    [HTTPS, '../a/../../b.git'],
    [HTTPS, '../'],
    [HTTPS, '../?x'],
    [HTTPS, '../a b'],
    [HTTPS, '/etc'],
    [HTTPS, 'lib.git'],
    [HTTPS, '..'],
    [HTTPS, 'file:///etc'],
    [HTTPS, 'ext::sh -c x'],
    [HTTPS, 'http://example.com/a.git'],
    [HTTPS, 'git://example.com/a.git'],
    [HTTPS, '//example.com/a.git'],
    [HTTPS, 'https://user:word@example.com/a.git'],
    [HTTPS, '--upload-pack=x'],
    [SSH, 'ssh://-oProxyCommand=x/a.git'],
    [SSH, 'git@-oProxyCommand=x:a.git'],
    [OWN, '../../lib.git'],
    [OWN, '../a/lib.git'],
    [OWN, '../Lib.git'],
    [OWN, '../-x.git'],
    [OWN, './lib.git'],
  ])('beside %o is not %s', (base, url) => {
    expect(submoduleSource(base, url)).toBeTypeOf('string')
  })
})

describe('name and path of a submodule', () => {
  it('are those of a folder in the repository', () => {
    expect(submoduleFault({ name: 'libs/a.b', path: 'vendor/lib' })).toBeNull()
  })
  it.each([
    '../x',
    'a/../b',
    '.',
    'a//b',
    '/a',
    'a/',
    '-x',
    '.git/x',
    'a/.GIT',
    'a\\b',
    'a\nb',
    '',
    'x'.repeat(301),
  ])('are not %j', (text) => {
    expect(submoduleFault({ name: 'a', path: text })).not.toBeNull()
    expect(submoduleFault({ name: text, path: 'a' })).not.toBeNull()
  })
})

describe('what git lists', () => {
  it('is read, the first of a kind, also with line breaks and dots', () => {
    const text = [
      ...['submodule.a.b.path\nx', 'submodule.a.b.url\n../y\nz', 'submodule.a.b.url\nlater'],
      ...['submodule.none.path\nq', 'submodule.none.url\nu', 'submodule.none.update\nnone'],
      ...['submodule.half.path\nq', 'core.editor\nx', 'submodule.flag.path', ''],
    ].join('\0')
    expect(readSubmodules(text)).toEqual([
      { name: 'a.b', path: 'x', url: '../y\nz', isLeft: false },
      { name: 'none', path: 'q', url: 'u', isLeft: true },
    ])
    expect(readSubmodules('')).toEqual([])
  })
})
