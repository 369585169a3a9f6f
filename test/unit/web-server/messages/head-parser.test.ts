import { describe, expect, it } from 'vitest'
import {
  HAND_OVER,
  INCOMPLETE,
  MAX_HEAD_BYTES,
  parseHead,
} from '#adapters/node/web-server/http1/head/head-parser.ts'
import { createHead } from '#adapters/node/web-server/http1/head/head.ts'
import { RequestReader } from '#adapters/node/web-server/http1/head/request-reader.ts'

const parse = (text: string) => {
  const bytes = Buffer.from(text, 'latin1')
  const head = createHead()
  return { result: parseHead(bytes, 0, bytes.length, head), head, bytes }
}
const text = (bytes: Buffer, from: number, to: number): string | null =>
  from === -1 ? null : bytes.toString('latin1', from, to)

const PLAIN = 'GET /a/b.html HTTP/1.1\r\nHost: Example.com:8080\r\n\r\n'

describe('heads that are taken', () => {
  it('reads a plain GET', () => {
    const { result, head, bytes } = parse(PLAIN)
    expect(result).toBe(PLAIN.length)
    expect(text(bytes, head.targetStart, head.targetEnd)).toBe('/a/b.html')
    expect(text(bytes, head.hostStart, head.hostEnd)).toBe('Example.com:8080')
    expect(head).toMatchObject({ isHead: false, plainPath: true, special: false, close: false })
  })

  it("reads a browser's head", () => {
    const { result, head, bytes } = parse(
      'HEAD /?q=1 HTTP/1.1\r\nhost:  example.com \t\r\nUser-Agent: Mozilla/5.0 (X11; Linux) "x"\r\n' +
        'Accept: text/html,*/*;q=0.8\r\nReferer: http://example.com/\r\nConnection: Keep-Alive\r\n' +
        'Upgrade-Insecure-Requests: 1\r\nX-Empty:\r\nX-\xe4: no\r\n'.replace('X-\xe4: no\r\n', '') +
        'X-Text: gr\xfc\xdfe\tund\r\nIf-None-Match: "abc"\r\n\r\n',
    )
    expect(result).toBe(bytes.length)
    expect(head).toMatchObject({ isHead: true, hasQuery: true, plainPath: false, special: false })
    expect(text(bytes, head.hostStart, head.hostEnd)).toBe('example.com')
    expect(text(bytes, head.agentStart, head.agentEnd)).toBe('Mozilla/5.0 (X11; Linux) "x"')
    expect(text(bytes, head.etagStart, head.etagEnd)).toBe('"abc"')
  })

  it.each([
    ['Cookie: a=b\r\ncookie: c=d'],
    ['X-Requested-With: XMLHttpRequest'],
    ['HX-Request: true'],
    ['AUTHORIZATION: Basic x'],
    ['Range: bytes=0-1'],
    ['If-Modified-Since: x'],
    ['If-None-Match: "a"\r\nIf-None-Match: "b"'],
  ])('sends %j the slow path', (field) => {
    const { result, head } = parse(`GET / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`)
    expect(result).toBeGreaterThan(0)
    expect(head.special).toBe(true)
  })

  it('sees Connection: close', () => {
    expect(parse('GET / HTTP/1.1\r\nConnection: CLOSE\r\nHost: a\r\n\r\n').head.close).toBe(true)
  })

  it.each(['/a//b', '/.env', '/a/../b', '/%41', '/a;b', '/x?y'])(
    'does not call the path %j plain',
    (target) => {
      const { result, head } = parse(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
      expect(result).toBeGreaterThan(0)
      expect(head.plainPath).toBe(false)
    },
  )
})

describe('incomplete heads', () => {
  it('waits at every byte but the last', () => {
    for (let length = 1; length < PLAIN.length; length++) {
      expect(parse(PLAIN.slice(0, length)).result, PLAIN.slice(0, length)).toBe(INCOMPLETE)
    }
  })

  it('gives up a head that is too long', () => {
    const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(MAX_HEAD_BYTES)}`
    expect(parse(long).result).toBe(HAND_OVER)
  })
})

const field = (line: string): string => `GET / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`

describe('heads that are refused', () => {
  it.each([
    ['POST', 'POST / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['lower-case method', 'get / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['method with a prefix', 'GETX / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'],
    ['HTTP/1.2', 'GET / HTTP/1.2\r\nHost: a\r\n\r\n'],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no version', 'GET /\r\nHost: a\r\n\r\n'],
    ['absolute form', 'GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['asterisk', 'GET * HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two blanks', 'GET  / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['blank in the target', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['tab in the request line', 'GET /\tHTTP/1.1\r\nHost: a\r\n\r\n'],
    ['fragment', 'GET /#x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['backslash', 'GET /\\x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['NUL in the target', 'GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['raw high byte in the target', 'GET /\xe6 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['leading empty line', '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['bare LF after the request line', 'GET / HTTP/1.1\nHost: a\r\n\r\n'],
    ['bare LF after a field', 'GET / HTTP/1.1\r\nHost: a\n\r\n'],
    ['bare LF at the end', 'GET / HTTP/1.1\r\nHost: a\r\n\n'],
    ['bare CR in a value', field('X: a\rb')],
    ['bare CR as a line end', 'GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n'],
    ['NUL in a value', field('X: a\0b')],
    ['folding', field('X: a\r\n b')],
    ['folding at the first field', 'GET / HTTP/1.1\r\n Host: a\r\n\r\n'],
    ['blank before the colon', field('X : a')],
    ['empty name', field(': a')],
    ['no colon', field('X')],
    ['high byte in a name', field('X\xe4: a')],
    ['no Host', 'GET / HTTP/1.1\r\nX: a\r\n\r\n'],
    ['empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
    ['second Host', field('Host: b')],
    ['second Host, other case', field('hOST: a')],
    ['Host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['Host with credentials', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['Host list', 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n'],
    ['Content-Length', field('Content-Length: 5')],
    ['Content-Length 0', field('content-length: 0')],
    ['Transfer-Encoding', field('Transfer-Encoding: chunked')],
    ['Transfer-Encoding, odd case', field('tRANSFER-eNCODING: identity')],
    ['Upgrade', field('Upgrade: websocket')],
    ['Expect', field('Expect: 100-continue')],
    ['Connection with another option', field('Connection: keep-alive, Upgrade')],
    ['TE', field('TE: trailers')],
  ])('%s', (_name, bytes) => {
    expect(parse(bytes).result).toBe(HAND_OVER)
  })
})

describe('the remembered header block', () => {
  const read = (reader: RequestReader, request: string, start = 0) => {
    const bytes = Buffer.from(request, 'latin1')
    return { result: reader.read(bytes, start), target: reader.target(bytes) }
  }
  it('is compared as a whole', () => {
    const reader = new RequestReader()
    expect(read(reader, PLAIN).result).toBe(PLAIN.length)
    const second = PLAIN.replace('/a/b.html', '/other/page')
    expect(read(reader, second)).toEqual({ result: second.length, target: '/other/page' })
    expect(reader.facts.host).toBe('example.com')
    // The same block with one more field behind it, instead of the empty line.
    const longer = PLAIN.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\nabc')
    expect(read(reader, longer).result).toBe(HAND_OVER)
    const other = PLAIN.replace('Example.com', 'other.test1')
    expect(read(reader, other).result).toBe(other.length)
    expect(reader.facts.host).toBe('other.test1')
    expect(read(reader, PLAIN.replace('HTTP/1.1', 'HTTP/1.0')).result).toBe(HAND_OVER)
    expect(read(reader, PLAIN.slice(0, -1)).result).toBe(INCOMPLETE)
  })
  it('knows no virtual host for a host that is none', () => {
    const reader = new RequestReader()
    const request = 'GET / HTTP/1.1\r\nHost: example.com:80:90\r\n\r\n'
    expect(read(reader, request).result).toBe(request.length)
    expect(reader.facts.host).toBe('')
  })
})
