import { describe, expect, it } from 'vitest'
import { requireOwnHost, sameText } from '#handlers/management/access.ts'
import { maskRedisUrl } from '#handlers/domain/config/redis-url.ts'

describe('token comparison', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'ab', false],
    ['ab', 'abc', false],
    ['abcabc', 'abc', false],
    ['', 'abc', false],
    ['ä', 'ä', true],
  ])('%j and %j: %s', (left, right, expected) => {
    expect(sameText(left, right)).toBe(expected)
  })
})

describe('host of a request', () => {
  const refused = (host: string, allowed: string[] = []): boolean => {
    // The address the request came to says nothing: the header counts.
    const request = new Request('http://127.0.0.1:8090/', { headers: { host } })
    try {
      requireOwnHost(request, allowed)
      return false
    } catch {
      return true
    }
  }
  it.each(['127.0.0.1', 'localhost:8090', 'LOCALHOST', '[::1]:1', '127.9.9.9'])(
    '%s is ours',
    (h) => {
      expect(refused(h)).toBe(false)
    },
  )
  it.each([
    'evil.test',
    'evil.test:8090',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'localhost@evil.test',
    '127.0.0.1/@evil.test',
    '127.0.0.1, evil.test',
    '10.0.0.1',
    '',
    ':',
  ])('%j is foreign', (host) => {
    expect(refused(host)).toBe(true)
  })
  it('takes the names the listener was given', () => {
    expect(refused('10.0.0.1:8090', ['10.0.0.1'])).toBe(false)
  })
})

describe('masked URL', () => {
  it.each([
    ['redis://127.0.0.1:6379/0', 'redis://127.0.0.1:6379'],
    ['redis://user:secret@h:1', 'redis://user:***@h:1'],
    ['redis://:secret@h:1/2', 'redis://:***@h:1/2'],
    ['redis://secret@h:1', 'redis://***@h:1'],
    ['unix:///run/redis.sock?password=secret', 'unix:///run/redis.sock?password=***'],
    ['user:secret@host', '***'],
    ['redis://user:12/secret@host', 'redis://user:***@host:6379'],
    ['no url', '***'],
  ])('%s', (url, expected) => {
    expect(maskRedisUrl(url, '***')).toBe(expected)
  })
})
