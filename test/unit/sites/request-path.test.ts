import { describe, expect, it } from 'vitest'
import {
  encodePath,
  normalizePathText,
  normalizeTarget,
} from '#handlers/sites/paths/request-path.ts'

const pathOf = (target: string): string | null => normalizeTarget(target)?.path ?? null

describe('normalizeTarget', () => {
  it('has one spelling for what means the same', () => {
    const cases: Record<string, string> = {
      '/': '/',
      '/a/b.html': '/a/b.html',
      '/%61%2D%2e%5F%7Eb': '/a-._~b',
      '/a%20b': '/a b',
      '/%e6%97%a5': '/日',
      '/\xe6\x97\xa5': '/日',
      '/%22%3c%7C': '/"<|',
      '/a%2fb': '/a%2Fb',
      '/a%3b': '/a%3B',
      '/%2561': '/%2561',
      '/%ff%e6%97': '/%FF%E6%97',
      '/%c0%af': '/%C0%AF',
      '/%ed%a0%80': '/%ED%A0%80',
      '/%EF%BB%BFa': '/\uFEFFa',
      '/a/./b/../c': '/a/c',
      '/a/..': '/',
      '/a/.': '/a/',
      '/a/%2e%2E/b': '/b',
      '//a//b': '//a//b',
      '/...': '/...',
    }
    for (const [target, path] of Object.entries(cases)) {
      expect([target, pathOf(target)]).toEqual([target, path])
    }
  })

  it('refuses the rest', () => {
    const bad = [
      '',
      'a',
      '*',
      '/%',
      '/%1',
      '/%g1',
      '/\0',
      '/%00',
      '/%0A',
      '/\x7f',
      '/%7f',
      '/\\',
      '/%5C',
    ]
    for (const target of [
      ...bad,
      '/..',
      '/../a',
      '/a/../../b',
      '/%2e%2e',
      '/ ',
      '/#',
      '/日',
      '/?a b',
      '/?\0',
    ]) {
      expect([target, normalizeTarget(target)]).toEqual([target, null])
    }
  })

  it('knows the file and the query', () => {
    expect(normalizeTarget('/a%2Bb%25?x=%20?y')).toEqual({
      path: '/a%2Bb%25',
      file: '/a+b%',
      query: 'x=%20?y',
    })
    expect(normalizeTarget('/a%2Fb')?.file).toBeNull()
    expect(normalizeTarget('/%FF')?.file).toBeNull()
    expect(normalizeTarget('/a?')?.query).toBe('')
  })

  it('gives every path an address that leads back to it', () => {
    // A small generator with a fixed seed: the same targets in every run.
    let state = 7
    const pick = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit
    const parts = [
      '/',
      'a',
      '.',
      '..',
      '%2F',
      '%25',
      '%61',
      '%41',
      '%E6%97%A5',
      '%ff',
      ';',
      '%3B',
      '+',
      '%20',
      '"',
      '%C3',
    ]
    const meanings = new Map<string, string>()
    for (let round = 0; round < 20_000; round++) {
      const target = `/${Array.from({ length: 1 + pick(7) }, () => parts[pick(parts.length)]).join('')}`
      const path = pathOf(target)
      if (path === null) continue
      const address = encodePath(path)
      expect(address).toMatch(/^\/[\x21-\x7e]*$/)
      expect(pathOf(address)).toBe(path)
      const same = meanings.get(address) ?? path
      expect(same).toBe(path)
      meanings.set(address, path)
    }
  })
})

describe('normalizePathText', () => {
  it('reads what people write', () => {
    const cases: Record<string, string> = {
      '/日本 1': '/日本 1',
      '/%E6%97%A5': '/日',
      '/é': '/é',
      '/a b/': '/a b/',
      '/what?': '/what%3F',
      '/a%2fb': '/a%2Fb',
    }
    for (const [text, path] of Object.entries(cases)) expect(normalizePathText(text)).toBe(path)
    expect(normalizePathText('no slash')).toBeNull()
    expect(normalizePathText('/../x')).toBeNull()
  })
})

describe('bytes that are no ASCII', () => {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const pathOf = (bytes: readonly number[]): string | undefined =>
    normalizeTarget(`/${String.fromCharCode(...bytes)}`)?.path
  const textOf = (bytes: readonly number[]): string | null => {
    try {
      return utf8.decode(Uint8Array.from(bytes))
    } catch {
      return null
    }
  }

  it('are the characters that a decoder makes of them, and escapes where it makes none', () => {
    for (let lead = 0x80; lead < 0x100; lead++)
      for (let second = 0x80; second < 0x100; second++)
        for (const rest of [[], [0x80], [0xbf, 0x80]]) {
          const bytes = [lead, second, ...rest]
          const text = textOf(bytes)
          if (text !== null) expect(pathOf(bytes)).toBe(`/${text}`)
          else expect(pathOf(bytes)).toMatch(/%[89A-F][0-9A-F]/)
        }
  })

  it('are read quickly where none of them is a character', () => {
    expect(pathOf(new Array<number>(16_000).fill(0xe9))).toBe(`/${'%E9'.repeat(16_000)}`)
  })
})
