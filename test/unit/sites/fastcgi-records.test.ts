import { describe, expect, it } from 'vitest'
import { CgiHeadReader } from '#adapters/node/php-backends/wire/cgi-head.ts'
import { RecordDecoder } from '#adapters/node/php-backends/fastcgi/record-decoder.ts'
import { encodeHeader, encodeStream, RECORD } from '#adapters/node/php-backends/fastcgi/records.ts'
import { cgiHeadOf } from '#adapters/node/php-backends/lsapi/response-head.ts'

const record = (type: number, content: Buffer, padding = 0): Buffer<ArrayBuffer> => {
  const header = encodeHeader(type, content.length)
  header[6] = padding
  return Buffer.concat([header, content, Buffer.alloc(padding, 0xee)])
}
const END = record(RECORD.endRequest, Buffer.from([0, 0, 1, 2, 3, 0, 0, 0]))

const decode = (bytes: Buffer<ArrayBuffer>, step: number): string[] => {
  const seen = { out: 'out ', err: 'err ', end: [] as string[] }
  const decoder = new RecordDecoder({
    stdout: (piece) => (seen.out += piece.toString()),
    stderr: (piece) => (seen.err += piece.toString()),
    end: (outcome) => {
      const { appStatus, protocolStatus } = outcome
      seen.end.push(seen.out, seen.err, `end ${appStatus} ${protocolStatus}`)
    },
  })
  for (let at = 0; at < bytes.length; at += step)
    decoder.push(Buffer.from(bytes.subarray(at, at + step)))
  expect(decoder.idle).toBe(true)
  return seen.end.length > 0 ? seen.end : [seen.out]
}

describe('FastCGI records', () => {
  it('are the same however they arrive', () => {
    const bytes = Buffer.concat([
      record(RECORD.stdout, Buffer.from('hello '), 3),
      record(RECORD.stdout, Buffer.from('world')),
      record(RECORD.stderr, Buffer.from('oh'), 255),
      record(RECORD.stdout, Buffer.alloc(0)),
      END,
    ])
    for (const step of [1, 2, 7, 8, 9, 1000]) {
      expect(decode(bytes, step)).toEqual(['out hello world', 'err oh', 'end 258 3'])
    }
  })

  it('of one chunk make one piece of output, before the end is told', () => {
    const heard: string[] = []
    const decoder = new RecordDecoder({
      stdout: (piece) => heard.push(`out ${piece.toString()}`),
      stderr: (piece) => heard.push(`err ${piece.toString()}`),
      end: () => heard.push('end'),
    })
    const text = 'abcdefghij'.repeat(300)
    const records = [...text].map((letter) => record(RECORD.stdout, Buffer.from(letter), 7))
    const message = record(RECORD.stderr, Buffer.from('a longer message of PHP'))
    decoder.push(Buffer.concat([...records.slice(0, 1500), message, ...records.slice(1500), END]))
    expect(heard).toEqual(['err a longer message of PHP', `out ${text}`, 'end'])
    // Two chunks are two pieces: nothing is held back.
    heard.length = 0
    decoder.push(Buffer.concat(records.slice(0, 3)))
    expect(heard).toEqual(['out abc'])
    decoder.push(Buffer.concat(records.slice(3, 5)))
    expect(heard).toEqual(['out abc', 'out de'])
  })

  it('are refused where they are none', () => {
    const wrong = (change: (header: Buffer) => void): Buffer<ArrayBuffer> => {
      const bytes = record(RECORD.stdout, Buffer.from('x'))
      change(bytes)
      return bytes
    }
    const cases = [
      wrong((header) => (header[0] = 2)),
      wrong((header) => (header[3] = 9)),
      wrong((header) => (header[1] = 99)),
      wrong((header) => (header[1] = RECORD.params)),
      record(RECORD.endRequest, Buffer.alloc(7)),
      Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
    ]
    for (const bytes of cases) expect(() => decode(bytes, 1000)).toThrow()
  })

  it('carry streams longer than a record', () => {
    const content = Buffer.alloc(150_000, 'p')
    const bytes = encodeStream(RECORD.stdout, content)
    expect(decode(bytes, 4096)).toEqual([`out ${content.toString()}`])
    expect(bytes.length).toBe(150_000 + 4 * 8)
  })
})

describe('heads of CGI answers', () => {
  const read = (text: string, step = 10_000): ReturnType<CgiHeadReader['push']> => {
    const bytes = Buffer.from(text, 'latin1')
    const reader = new CgiHeadReader()
    for (let at = 0; at < bytes.length; at += step) {
      const head = reader.push(bytes.subarray(at, at + step))
      if (head) return head
    }
    return null
  }

  it('that repeat share nothing that one answer may change', () => {
    const text = 'Status: 201\r\nX-A: 1\r\nSet-Cookie: a=1\r\n\r\n'
    const first = read(text)?.headers
    first?.set('x-a', 'changed')
    first?.append('set-cookie', 'b=2')
    first?.set('content-length', '5')
    const second = read(text)
    expect(second?.status).toBe(201)
    expect([...(second?.headers ?? [])]).toEqual([
      ['set-cookie', 'a=1'],
      ['x-a', '1'],
    ])
    second?.headers.delete('x-a')
    expect(read(text)?.headers.get('x-a')).toBe('1')
  })

  it('are read whatever the line ends and pieces', () => {
    for (const newline of ['\r\n', '\n']) {
      for (const step of [1, 3, 1000]) {
        const lines = ['Status: 404 Not Here', 'X-A:  b ', 'Set-Cookie: a=1', 'Set-Cookie: b=2']
        const head = read(
          `${[...lines, 'Connection: close'].join(newline)}${newline}${newline}B`,
          step,
        )
        expect(head?.status).toBe(404)
        expect([...(head?.headers ?? [])]).toEqual([
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['x-a', 'b'],
        ])
      }
    }
    expect(read('\r\nbody')?.rest.toString()).toBe('body')
    expect(read('Location: /x\n\n')?.status).toBe(302)
    expect(read('Location: /x\nStatus: 201 Made\n\n')?.status).toBe(201)
  })

  it('are refused where they are none', () => {
    const bad = [
      'no colon',
      'a b: c',
      ': x',
      'Status: 99',
      'Status: 101 Up',
      'Status: 700',
      'Content-Length: x',
    ]
    for (const line of [...bad, 'X: a\0b', 'Content-Length: 1\nContent-Length: 2']) {
      expect(() => read(`${line}\n\n`), line).toThrow()
    }
    expect(() => read(`X: ${'a'.repeat(300_000)}\n\n`)).toThrow('too many')
    expect(() => read('X: a\n'.repeat(70_000), 5)).toThrow('too many')
  })

  it('hold 500 lines', () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, at) => `X-LiteSpeed-${at}: 1`).join('\n')
    expect([...(read(`${lines(500)}\n\n`)?.headers ?? [])]).toHaveLength(500)
    expect(() => read(`${lines(501)}\n\n`)).toThrow('more than 500 header lines')
    expect(() => read(`${'Set-Cookie: a=1\n'.repeat(501)}\n`)).toThrow('more than 500')
  })

  it('hold lines of 16 KiB, and more in all', () => {
    const head = (...lines: string[]): Buffer<ArrayBuffer> =>
      Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    const line = (name: string, length: number): string =>
      `${name}: ${'v'.repeat(length - name.length - 2)}`
    const whole = new CgiHeadReader().push(head(line('X-A', 16_384), line('X-B', 16_384)))
    expect(whole?.headers.get('x-b')).toHaveLength(16_384 - 5)
    const long = head('X-A: 1', line('X-Long', 16_385))
    expect(() => new CgiHeadReader().push(long)).toThrow('more than 16 KiB: X-Long')
    expect(() => new CgiHeadReader().push(head('x'.repeat(20_000)))).toThrow('without a name')
    const blanks = head(`X-A: a${' '.repeat(16_000)}b`)
    expect(new CgiHeadReader().push(blanks)?.headers.get('x-a')).toHaveLength(16_002)
    const lsapi = Buffer.alloc(8 + 2 + 20_000)
    lsapi.writeInt32LE(1, 0)
    lsapi.writeUInt16LE(20_000, 8)
    lsapi.write(line('X-Long', 19_999), 10, 'latin1')
    expect(() => new CgiHeadReader().push(cgiHeadOf(lsapi))).toThrow('more than 16 KiB: X-Long')
  })
})
