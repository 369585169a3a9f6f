import { describe, expect, it } from 'vitest'
import { cgiEnvironment, ParamsError } from '#adapters/node/agent/php/cgi/cgi-environment.ts'

const length = (size: number): Buffer => {
  if (size < 128) return Buffer.of(size)
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE((size | 0x80000000) >>> 0)
  return bytes
}
const pair = (name: string, value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([length(name.length), length(bytes.length), Buffer.from(name), bytes])
}
const read = (...pairs: [string, string | Buffer][]): Record<string, string> =>
  cgiEnvironment(Buffer.concat(pairs.map(([name, value]) => pair(name, value))))

describe('cgiEnvironment', () => {
  it('holds what was sent, long values too', () => {
    const long = 'x'.repeat(70_000)
    expect(read(['SCRIPT_NAME', '/a.php'], ['HTTP_COOKIE', long], ['PATH_INFO', '/ü'])).toEqual({
      SCRIPT_NAME: '/a.php',
      HTTP_COOKIE: long,
      PATH_INFO: '/ü',
      REDIRECT_STATUS: '200',
    })
  })

  it.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'PATH',
    'HOME',
    'PHPRC',
    'PHP_INI_SCAN_DIR',
    'PHP_VALUE',
    'PHP_ADMIN_VALUE',
    'BASH_ENV',
    'HTTP_PROXY',
    'TMPDIR',
    'A=B',
    'A-B',
    '',
  ])('leaves %j out', (name) => {
    expect(read([name, 'x'])).toEqual({ REDIRECT_STATUS: '200' })
  })

  it('takes bytes that are no UTF-8 for Latin-1, and drops what holds a NUL', () => {
    expect(read(['HTTP_X', Buffer.of(0x63, 0xe9)], ['HTTP_Y', Buffer.of(0x61, 0)])).toEqual({
      HTTP_X: 'cé',
      REDIRECT_STATUS: '200',
    })
  })

  it.each([
    ['-s', '&-s'],
    ['-d+x', '&-d+x'],
    ['%2Ds', '&%2Ds'],
    ['+%20%09-s', '&+%20%09-s'],
    ['-s=1', '-s=1'],
    ['a-s', 'a-s'],
    ['', ''],
  ])('makes the query %j %j', (given, expected) => {
    expect(read(['QUERY_STRING', given])['QUERY_STRING']).toBe(expected)
  })

  it('refuses pairs that are cut off', () => {
    const whole = pair('NAME', 'value')
    for (let size = 1; size < whole.length; size++)
      expect(() => cgiEnvironment(whole.subarray(0, size))).toThrow(ParamsError)
  })
})
