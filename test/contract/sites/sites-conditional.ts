import { describe, expect, it } from 'vitest'
import type { MakeSite, Tree } from './sites-harness.ts'

const TREE: Tree = { '/a.txt': '0123456789', '/empty.txt': '' }
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT'
const EARLIER = 'Fri, 02 Jan 2026 03:04:04 GMT'
const LATER = 'Fri, 02 Jan 2026 03:04:06 GMT'

/** Conditional and partial answers (RFC 9110, 13 and 14). */
export const conditionalSuite = (name: string, make: MakeSite): void => {
  describe(`${name}: conditions and ranges`, () => {
    it('gives validators and answers 304 to those who have them', async () => {
      const { visit } = await make(TREE)
      const full = await visit('/a.txt')
      const etag = full.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]+"$/)
      expect(full.headers.get('last-modified')).toBe(DATE)
      const same: Record<string, string>[] = [
        { 'if-none-match': etag },
        { 'if-none-match': `"x", W/${etag}` },
        { 'if-none-match': '*' },
        { 'if-modified-since': DATE },
        { 'if-modified-since': LATER },
      ]
      for (const headers of same) {
        const response = await visit('/a.txt', { headers })
        expect([response.status, response.headers.get('etag')]).toEqual([304, etag])
        expect(response.body).toBeNull()
      }
      const changed: Record<string, string>[] = [
        { 'if-none-match': '"x"' },
        { 'if-none-match': '"x"', 'if-modified-since': LATER },
        { 'if-modified-since': EARLIER },
        { 'if-modified-since': 'nonsense' },
        { 'if-modified-since': '2050-01-01T00:00:00Z' },
        { 'if-match': etag },
      ]
      for (const headers of changed) expect((await visit('/a.txt', { headers })).status).toBe(200)
      expect((await visit('/a.txt', { headers: { 'if-match': '"x"' } })).status).toBe(412)
      expect((await visit('/a.txt', { headers: { 'if-unmodified-since': EARLIER } })).status).toBe(
        412,
      )
    })

    it('sends one range', async () => {
      const { visit } = await make(TREE)
      const cases: [string, string, string][] = [
        ['bytes=0-0', '0', '0-0'],
        ['bytes=2-4', '234', '2-4'],
        ['bytes=7-', '789', '7-9'],
        ['bytes=-2', '89', '8-9'],
        ['bytes=-99', '0123456789', '0-9'],
        ['bytes=5-99', '56789', '5-9'],
      ]
      for (const [range, text, shown] of cases) {
        const response = await visit('/a.txt', { headers: { range } })
        expect([range, response.status, await response.text()]).toEqual([range, 206, text])
        expect(response.headers.get('content-range')).toBe(`bytes ${shown}/10`)
        expect(response.headers.get('content-length')).toBe(String(text.length))
      }
    })

    it('sends several ranges as parts', async () => {
      const { visit } = await make(TREE)
      const response = await visit('/a.txt', { headers: { range: 'bytes=7-8,,0-1, -1,99-' } })
      expect(response.status).toBe(206)
      expect(response.headers.get('content-range')).toBeNull()
      const type = response.headers.get('content-type') ?? ''
      const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(type)?.[1] ?? ''
      const text = await response.text()
      expect(response.headers.get('content-length')).toBe(String(text.length))
      expect(text.split(`--${boundary}`).map((part) => part.split('\r\n').slice(2, 5))).toEqual([
        [],
        ['content-range: bytes 7-8/10', '', '78'],
        ['content-range: bytes 0-1/10', '', '01'],
        ['content-range: bytes 9-9/10', '', '9'],
        [],
      ])
      expect(text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true)
    })

    it('answers ranges it does not serve as the RFC says', async () => {
      const { visit } = await make(TREE)
      for (const range of ['bytes=10-', 'bytes=-0', 'bytes=99-100']) {
        const response = await visit('/a.txt', { headers: { range } })
        expect([range, response.status]).toEqual([range, 416])
        expect(response.headers.get('content-range')).toBe('bytes */10')
      }
      for (const range of [
        'bytes=4-2',
        'bytes=0-8,3-4',
        'items=0-1',
        'bytes=x-',
        'bytes=0-1;3-4',
      ]) {
        expect([range, (await visit('/a.txt', { headers: { range } })).status]).toEqual([
          range,
          200,
        ])
      }
      expect((await visit('/empty.txt', { headers: { range: 'bytes=0-' } })).status).toBe(416)
      expect(await (await visit('/empty.txt')).text()).toBe('')
    })

    it('sends a range only of the version the client knows', async () => {
      const { visit } = await make(TREE)
      const etag = (await visit('/a.txt')).headers.get('etag') ?? ''
      const range = 'bytes=0-1'
      const cases: [string, number][] = [
        [etag, 206],
        [`W/${etag}`, 200],
        ['"x"', 200],
        [DATE, 206],
        [EARLIER, 200],
        [LATER, 200],
      ]
      for (const [ifRange, status] of cases) {
        const headers = { range, 'if-range': ifRange }
        expect([ifRange, (await visit('/a.txt', { headers })).status]).toEqual([ifRange, status])
      }
    })
  })
}
