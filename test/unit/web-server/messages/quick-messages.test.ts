import { describe, expect, it } from 'vitest'
import { buildRequest } from '#adapters/node/web-server/http1/slow/build-request.ts'
import { fieldsOfBlock } from '#adapters/node/web-server/http1/head/fields-of-block.ts'
import { FieldList } from '#adapters/node/messages/field-list.ts'
import { QuickHeaders, type Field } from '#adapters/node/messages/quick-headers.ts'
import { QuickResponse, wholeBodyOf } from '#adapters/node/messages/quick-response.ts'

/** Changes of fields, as many kinds as there are. */
const CHANGES: ((headers: Headers) => void)[] = [
  (headers) => headers.append('X-Two', ' second\t'),
  (headers) => headers.append('Set-Cookie', 'c=3; path=/'),
  (headers) => headers.set('set-cookie', 'only=1'),
  (headers) => headers.append('Cookie', 'b=2'),
  (headers) => headers.set('Accept', 'text/html'),
  (headers) => headers.set('X-New', ''),
  (headers) => headers.delete('x-two'),
  (headers) => headers.delete('SET-COOKIE'),
  (headers) => headers.delete('x-none'),
]
const START: [string, string][] = [
  ['x-two', 'first'],
  ['cookie', 'a=1'],
  ['set-cookie', 'a=1'],
  ['accept', '*/*'],
  ['set-cookie', 'b=2'],
]

const quick = (): QuickHeaders => {
  const list = new FieldList()
  for (const [name, value] of START) list.add(name, value)
  return new QuickHeaders(list.fields)
}

const shown = (headers: Headers): unknown => {
  const told: string[] = []
  headers.forEach((value, name) => told.push(`${name}: ${value}`))
  return {
    all: [...headers],
    ...{ keys: [...headers.keys()], values: [...headers.values()], told },
    cookies: headers.getSetCookie(),
    got: ['X-TWO', 'cookie', 'Set-Cookie', 'x-new', 'gone'].map((name) => [
      headers.get(name),
      headers.has(name),
    ]),
  }
}

describe('quick headers', () => {
  it('are what the runtime’s own are, whatever is changed in which order', () => {
    for (const first of CHANGES)
      for (const second of CHANGES) {
        const mine = quick()
        const own = new Headers(START)
        expect(shown(mine)).toEqual(shown(own))
        for (const change of [first, second]) {
          change(mine)
          change(own)
          expect(shown(mine)).toEqual(shown(own))
        }
        expect(shown(new Headers(mine))).toEqual(shown(own))
      }
  })

  it('leave the list alone that they were made from', () => {
    const fields: Field[] = [['b', '1'], ['a', '2']] // prettier-ignore
    for (const change of CHANGES) change(new QuickHeaders(fields))
    expect([...new QuickHeaders(fields)]).toEqual([['a', '2'], ['b', '1']]) // prettier-ignore
    expect(fields).toEqual([['b', '1'], ['a', '2']]) // prettier-ignore
  })

  it('are gathered however many there are', () => {
    const list = new FieldList()
    const own = new Headers()
    for (let number = 0; number < 200; number++) {
      const name = `x-${number % 70}`
      const cookie = `c${number}=1`
      for (const [field, value] of [
        [name, String(number)],
        ['set-cookie', cookie],
      ] as const) {
        // prettier-ignore
        list.add(field, value)
        own.append(field, value)
      }
    }
    expect([...new QuickHeaders(list.fields)]).toEqual([...own])
  })

  it('refuse what no field may hold', () => {
    for (const [name, value] of [
      ['a b', 'x'],
      ['', 'x'],
      ['a', 'x\r\ny'],
      ['a', 'x\0'],
      ['a', '\u0100'],
    ] as const) {
      expect(() => quick().append(name, value)).toThrow(TypeError)
      expect(() => quick().set(name, value)).toThrow(TypeError)
    }
  })
})

const request = (host: string, rawTarget: string): Request =>
  buildRequest(false, {
    ...{ method: 'GET', host, rawTarget },
    fields: fieldsOfBlock(
      `\r\nHost: ${host}\r\nX-A:  1 \r\nx-a:2\r\nCookie: a=1\r\ncookie: b=2\r\nX-Empty:\r\n\r\n`,
    ),
    signal: () => AbortSignal.abort(),
  })

describe('quick requests', () => {
  it('have the address and fields that the runtime’s own would have', () => {
    for (const target of ['/', '/a/../b?c=d&e', '/%41//x?', "/a'(b)|?q='"]) {
      const mine = request('a.test:8080', target)
      expect(mine.url).toBe(new Request(`http://a.test:8080${target}`).url)
      expect([...mine.headers]).toEqual([
        ['cookie', 'a=1; b=2'],
        ['host', 'a.test:8080'],
        ['x-a', '1, 2'],
        ['x-empty', ''],
      ])
      expect(mine.signal.aborted).toBe(true)
    }
  })

  it('become the runtime’s own', async () => {
    const own = request('a.test', '/x').clone()
    expect(own).toBeInstanceOf(Request)
    expect([own.url, own.headers.get('x-a'), own.method]).toEqual([
      'http://a.test/x',
      '1, 2',
      'GET',
    ])
    expect(await request('a.test', '/x').text()).toBe('')
  })

  it('are refused where the host is none, each time', () => {
    for (const host of ['1.2.3.999', 'a b', 'a.test:99999'])
      for (let times = 0; times < 2; times++)
        expect(() => request(host, '/')).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('quick responses', () => {
  const bytes = new TextEncoder().encode('{"a":1}')
  const response = (): QuickResponse =>
    new QuickResponse(bytes, 200, new QuickHeaders([['content-type', 'application/json']]))

  it('give their bytes as a whole until a stream is asked for, then by the stream alone', async () => {
    const one = response()
    expect(wholeBodyOf(one)).toBe(bytes)
    expect(one.bodyUsed).toBe(false)
    const { body } = one
    expect(one.body).toBe(body)
    expect(wholeBodyOf(one)).toBeNull()
    expect(await one.text()).toBe('{"a":1}')
    expect(one.bodyUsed).toBe(true)
    expect(wholeBodyOf(new Response('x'))).toBeNull()
  })

  it('are read in every way, and copied', async () => {
    expect(await response().json()).toEqual({ a: 1 })
    expect(await response().bytes()).toEqual(bytes)
    expect((await response().arrayBuffer()).byteLength).toBe(bytes.length)
    expect((await response().blob()).size).toBe(bytes.length)
    const one = response()
    const copy = one.clone()
    expect([await one.text(), await copy.text()]).toEqual(['{"a":1}', '{"a":1}'])
    expect(copy.headers.get('content-type')).toBe('application/json')
    const none = new QuickResponse(null, 304, new QuickHeaders())
    expect([none.body, none.ok, await none.text()]).toEqual([null, false, ''])
  })
})

describe('a list of fields that serves many', () => {
  it('stays the one that was given when somebody goes through it', () => {
    const given = [
      ['host', 'a.test'],
      ['accept', '*/*'],
    ] as const
    const headers = new QuickHeaders(given)
    expect([...headers.keys()]).toEqual(['accept', 'host'])
    // What was made of the list for one request is found again by the list itself.
    expect(headers.given).toBe(given)
    headers.set('x-added', '1')
    expect([...headers.keys()]).toEqual(['accept', 'host', 'x-added'])
    headers.delete('host')
    expect([...headers.keys()]).toEqual(['accept', 'x-added'])
    expect(headers.given).toBeNull()
    expect([...new QuickHeaders(given).keys()]).toEqual(['accept', 'host'])
  })
})
