import { describe, expect, it } from 'vitest'
import { cgiVariables } from '#adapters/node/php-backends/wire/cgi-variables.ts'
import { encodeParams } from '#adapters/node/php-backends/fastcgi/params.ts'
import { QuickHeaders, type Field } from '#adapters/node/messages/quick-headers.ts'
import { QuickRequest } from '#adapters/node/messages/quick-request.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'

const FIELDS: readonly Field[] = [
  ['host', 'a.test'],
  ['user-agent', 'x'.repeat(200)],
  ['cookie', 'a=1; b=2'],
  ['accept-language', 'de'],
]
const host = (root: string): VirtualHostConfig => ({ root }) as VirtualHostConfig
const SITE = host('/home/a/htdocs')
const CONTEXT: SiteContext = {
  ...{ clientAddress: '192.0.2.1', clientPort: 4711, serverAddress: '192.0.2.9', serverPort: 80 },
  ...{ secure: false, protocol: 'HTTP/1.1', rawTarget: '/' },
}
const callOf = (name: string, more: Partial<PhpCall> = {}): PhpCall => ({
  ...{ vhost: SITE, context: CONTEXT, host: 'a.test', scriptName: name, pathInfo: '' },
  ...{ scriptFilename: `/home/a/htdocs${name}`, requestUri: name, queryString: '' },
  streaming: () => {
    throw new Error('nothing is streamed here')
  },
  ...more,
})
const requestOf = (headers: QuickHeaders, method: 'GET' | 'HEAD' = 'GET'): Request =>
  new QuickRequest(method, 'http://a.test/', headers, () => new AbortController().signal)

/** The pairs of a PARAMS stream of one record, sorted. */
const decoded = (stream: Buffer): string[] => {
  const end = 8 + stream.readUInt16BE(4)
  const pairs: string[] = []
  let at = 8
  const length = (): number => {
    if ((stream[at] as number) < 128) return stream[at++] as number
    at += 4
    return stream.readUInt32BE(at - 4) & 0x7fffffff
  }
  while (at < end) {
    const name = length()
    const value = length()
    pairs.push(
      `${stream.toString('latin1', at, at + name)}=${stream.toString('latin1', at + name, at + name + value)}`,
    )
    at += name + value
  }
  return pairs.sort()
}

const wanted = (request: Request, call: PhpCall): string[] => {
  const pairs: string[] = []
  cgiVariables(request, call, null, (name, value) => pairs.push(`${name}=${value}`))
  return pairs.sort()
}

describe('variables of requests that repeat their header block', () => {
  it('are those of each request, whatever was remembered of the one before', () => {
    const env = new Map([['APP', 'one']])
    const secure = { ...CONTEXT, secure: true, serverPort: 443 }
    const calls = [
      callOf('/index.php'),
      callOf('/other.php', { queryString: 'a=b', requestUri: '/other.php?a=b', pathInfo: '/x' }),
      callOf('/index.php', { errorStatus: 404 }),
      callOf('/index.php', { host: 'www.a.test' }),
      callOf('/index.php', { vhost: host('/home/b/htdocs') }),
      callOf('/index.php', { context: { ...CONTEXT, clientPort: 4712 } }),
      callOf('/index.php', { context: { ...CONTEXT, clientAddress: '192.0.2.2' } }),
      callOf('/index.php', { context: { ...CONTEXT, serverAddress: '192.0.2.8' } }),
      callOf('/index.php', { context: { ...CONTEXT, serverPort: 8080 } }),
      callOf('/index.php', { context: { ...CONTEXT, protocol: 'HTTP/2.0' } }),
      callOf('/index.php', { context: secure }),
      callOf('/index.php', { env }),
      callOf('/index.php'),
    ]
    for (const call of [...calls, ...calls.toReversed()])
      for (const method of ['GET', 'HEAD'] as const) {
        const request = requestOf(new QuickHeaders(FIELDS), method)
        expect(decoded(encodeParams(request, call, null))).toEqual(wanted(request, call))
      }
  })

  it('are not remembered of fields that were changed', () => {
    encodeParams(requestOf(new QuickHeaders(FIELDS)), callOf('/index.php'), null)
    const headers = new QuickHeaders(FIELDS)
    headers.set('x-more', '1')
    const request = requestOf(headers)
    const first = decoded(encodeParams(request, callOf('/index.php'), null))
    expect(first).toContain('HTTP_X_MORE=1')
    headers.set('x-more', '2')
    const second = decoded(encodeParams(request, callOf('/index.php'), null))
    expect(second).toContain('HTTP_X_MORE=2')
    expect(second).not.toContain('HTTP_X_MORE=1')
  })

  it('never hold the panel’s session', () => {
    for (let round = 0; round < 2; round++) {
      const stream = encodeParams(requestOf(new QuickHeaders(FIELDS)), callOf('/i.php'), null)
      expect(decoded(stream)).toContain('HTTP_COOKIE=a=1; b=2')
    }
  })
})
