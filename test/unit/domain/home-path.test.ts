import { describe, expect, test } from 'vitest'
import { parseDocumentRoot } from '#handlers/domain/domains/document-root.ts'
import { parseFileMode } from '#handlers/domain/files/file-mode.ts'
import { parseHomePath, parsePathBelowHome } from '#handlers/domain/files/home-path.ts'

describe('parseHomePath', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['./', ''],
    ['a', 'a'],
    ['a//b/./c/', 'a/b/c'],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
    ['%2e%2e/x', '%2e%2e/x'], // a name with percent signs; nothing decodes it again
    ['日本/é', '日本/é'],
    ['a'.repeat(255), 'a'.repeat(255)],
  ])('takes %j', (input, expected) => {
    expect(parseHomePath(input)).toBe(expected)
  })

  test.each([
    '..',
    '../x',
    'a/../b',
    '/..',
    '/a',
    '//etc/passwd',
    'a/..',
    '/a',
    '//a/b',
    '/etc/passwd',
    'a\0',
    'a\nb',
    'a\u0085b',
    '..\\x',
    'a\\b',
    'a'.repeat(256),
    'é'.repeat(128),
    'a/'.repeat(2100),
    '\ud800',
  ])('refuses %j', (input) => {
    expect(() => parseHomePath(input)).toThrow(
      expect.objectContaining({ status: 400, field: 'path' }),
    )
  })

  test('below the home something must be named', () => {
    expect(() => parsePathBelowHome('/')).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('parseDocumentRoot', () => {
  test.each([
    ['/home/a/public_html', 'public_html'],
    ['/home/a//x/./y/', 'x/y'],
    ['/home/a/tmpfiles', 'tmpfiles'],
  ])('takes %s', (input, relative) => {
    expect(parseDocumentRoot(input, '/home/a')).toEqual({
      absolute: `/home/a/${relative}`,
      relative,
    })
  })

  test.each([
    '',
    'public_html',
    '/',
    '/home',
    '/home/a',
    '/home/a/.',
    '/home/ab/x',
    '/home/b/x',
    '//home/a/x',
    '/home/a/../b',
    '/home/a/tmp/x',
    '/home/a/./sessions',
    '/home/a/.ssh',
    '/home/a/x\ny',
    '/etc/passwd',
  ])('refuses %j', (input) => {
    expect(() => parseDocumentRoot(input, '/home/a')).toThrow(
      expect.objectContaining({ status: 400, field: 'document_root' }),
    )
  })
})

describe('parseFileMode', () => {
  test.each([
    ['644', '644'],
    ['0755', '755'],
    ['000', '000'],
  ])('takes %s', (input, mode) => expect(parseFileMode(input)).toBe(mode))

  test.each(['', '4755', '1777', '7777', '64', '08', '888', 'u+s', '-644', '0o644', '644\n'])(
    'refuses %j',
    (input) => {
      expect(() => parseFileMode(input)).toThrow(
        expect.objectContaining({ status: 400, field: 'mode' }),
      )
    },
  )
})
