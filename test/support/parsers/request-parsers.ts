import { isHeadTooLong } from '#adapters/node/web-server/http1/write/raw-response.ts'
import { readRequestLine } from '#adapters/node/web-server/http1/head/read-request-line.ts'
import { contentBytes } from '#adapters/node/web-server/http2/frames/content-bytes.ts'
import { isMalformedField } from '#adapters/node/web-server/http2/streams/malformed-field.ts'
import { refusalOfMethod } from '#adapters/node/messages/served-methods.ts'
import { cgiEnvironment } from '#adapters/node/agent/php/cgi/cgi-environment.ts'
import { RequestDecoder } from '#adapters/node/agent/php/cgi/request-decoder.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { isApiPath } from '#adapters/shared/panel-http/api-path.ts'
import { requestUrl } from '#adapters/node/web-server/http1/slow/build-request.ts'
import { fieldsOfBlock } from '#adapters/node/web-server/http1/head/fields-of-block.ts'
import { queryOf } from '#adapters/node/web-server/http1/fast/file-fast-path.ts'
import { parseHead, parseRequestLine } from '#adapters/node/web-server/http1/head/head-parser.ts'
import { createHead } from '#adapters/node/web-server/http1/head/head.ts'
import { admitsHtml, cookieJudge } from '#adapters/node/web-server/http1/fast/fast-facts.ts'
import { FrameReader } from '#adapters/node/web-server/http2/frames/frame-reader.ts'
import { PREFACE } from '#adapters/node/web-server/http2/frames/frames.ts'
import { HpackDecoder } from '#adapters/node/web-server/http2/hpack/decoder.ts'
import { decodeHuffman } from '#adapters/node/web-server/http2/hpack/huffman.ts'
import { isWellFormed } from '#adapters/node/web-server/http2/streams/well-formed.ts'
import { escapeLogText } from '#adapters/node/web-server/log/access-log.ts'
import { forwardedFields } from '#adapters/node/web-server/proxy/forwarded-fields.ts'
import { listedFields } from '#adapters/node/web-server/proxy/hop-by-hop.ts'
import { QuickHeaders } from '#adapters/node/messages/quick-headers.ts'
import { mapPathsBack } from '#adapters/node/web-server/proxy/path-mapping.ts'
import { requestFields } from '#adapters/node/web-server/proxy/request-fields.ts'
import { bytesOf, fieldsOf, ignore, opened, parsersOf } from './parser-list.ts'

const CONTEXT: SiteContext = {
  clientAddress: '127.0.0.1',
  clientPort: 1,
  serverAddress: '127.0.0.1',
  serverPort: 80,
  secure: false,
  protocol: 'HTTP/1.1',
  rawTarget: '/',
}
const SINK = {
  begin: ignore,
  params: ignore,
  stdin: ignore,
  stdinEnd: ignore,
  abort: ignore,
  getValues: ignore,
}

/** `max_header_size` as it is unless somebody says otherwise. */
const HEAD_BYTES = 16 * 1024

/** What the web server reads a request with. */
export const requestParsers = parsersOf('visitor', HEAD_BYTES, {
  'adapters/node/web-server/http1/head/head-parser.ts parseRequestLine': opened(
    ['GET /', 'GET /?'],
    (text) => {
      const bytes = bytesOf(text)
      return parseRequestLine(bytes, 0, bytes.length, createHead())
    },
  ),
  'adapters/node/web-server/http1/head/head-parser.ts parseHead': opened(
    ['GET / HTTP/1.1\r\nHost: a.test\r\nX: '],
    (text) => {
      const bytes = bytesOf(text)
      return parseHead(bytes, 0, bytes.length, createHead(), bytes.length)
    },
  ),
  'adapters/node/web-server/http1/head/fields-of-block.ts fieldsOfBlock': (text) =>
    fieldsOfBlock(`\r\na: ${text.replace(/[\r\n]/g, ' ')}\r\n`),
  'adapters/node/web-server/http1/fast/file-fast-path.ts queryOf': opened(['/a?'], (text) =>
    queryOf(text),
  ),
  'adapters/node/web-server/http1/fast/fast-facts.ts admitsHtml': opened(['text/html;q='], (text) =>
    admitsHtml(text),
  ),
  'adapters/node/web-server/http1/fast/fast-facts.ts cookieJudge': opened(['a='], (text) =>
    cookieJudge(text),
  ),
  'adapters/node/web-server/http1/slow/build-request.ts requestUrl': opened(['/', '/?'], (text) =>
    requestUrl(false, 'a.test', text),
  ),
  'adapters/node/web-server/http2/hpack/huffman.ts decodeHuffman': (text) => {
    const bytes = bytesOf(text)
    return decodeHuffman(bytes, 0, bytes.length)
  },
  'adapters/node/web-server/http2/hpack/decoder.ts HpackDecoder': opened(['\x40', '\x82'], (text) =>
    new HpackDecoder({ maxFields: 1000, maxListBytes: 2 ** 20 }).decode(bytesOf(text)),
  ),
  'adapters/node/web-server/http2/frames/frame-reader.ts FrameReader': opened(
    [PREFACE.toString('latin1')],
    (text) => new FrameReader(() => undefined).read(bytesOf(text)),
  ),
  'adapters/node/web-server/http2/streams/well-formed.ts isWellFormed': opened(
    ['/', '/?'],
    (text) =>
      isWellFormed([
        ':method',
        'GET',
        ':path',
        text,
        ':scheme',
        'https',
        ':authority',
        text,
        'cookie',
        text,
      ]),
  ),
  'adapters/node/web-server/log/access-log.ts escapeLogText': escapeLogText,
  'adapters/node/web-server/proxy/hop-by-hop.ts listedFields': listedFields,
  'adapters/node/web-server/proxy/path-mapping.ts mapPathsBack': (text) => {
    const headers = new QuickHeaders()
    headers.set('location', text)
    headers.append('set-cookie', `a=b; path=${text}`)
    headers.append('set-cookie', text)
    mapPathsBack(
      headers,
      { replace_prefix: { from: '/wiki', to: '/' } },
      { visitors: ['a.test'], own: [] },
    )
  },
  'adapters/node/web-server/proxy/forwarded-fields.ts forwardedFields': (text) =>
    forwardedFields(
      fieldsOf(
        [
          'forwarded',
          'x-forwarded-for',
          'x-forwarded-proto',
          'x-forwarded-host',
          'x-forwarded-port',
        ],
        text,
      ),
      CONTEXT,
      'a.test',
      ['127.0.0.1'],
    ),
  'adapters/node/web-server/proxy/request-fields.ts requestFields': (text) =>
    requestFields(fieldsOf(['connection', 'cookie', 'te'], text)),
  'adapters/node/agent/php/cgi/request-decoder.ts RequestDecoder': opened(
    ['\x01\x04\x00\x01', '\x01\x01\x00\x01\x00\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00'],
    (text) => new RequestDecoder(SINK).push(bytesOf(text)),
  ),
  'adapters/node/agent/php/cgi/cgi-environment.ts cgiEnvironment': opened(['\x01\x01Aa'], (text) =>
    cgiEnvironment(bytesOf(text)),
  ),
  'adapters/node/web-server/http1/write/raw-response.ts isHeadTooLong': opened(
    ['GET / HTTP/1.1\r\n'],
    (text) => isHeadTooLong(bytesOf(text), HEAD_BYTES / 2),
  ),
  'adapters/node/web-server/http1/head/read-request-line.ts readRequestLine': opened(
    ['GET /', 'LOCK /'],
    (text) => readRequestLine(bytesOf(text)),
  ),
  'adapters/node/web-server/http2/frames/content-bytes.ts contentBytes': opened(['1'], (text) =>
    contentBytes(['content-length', text]),
  ),
  'adapters/node/web-server/http2/streams/malformed-field.ts isMalformedField': (text) => [
    isMalformedField('a', text),
    isMalformedField(text, 'a'),
  ],
  'adapters/node/messages/served-methods.ts refusalOfMethod': refusalOfMethod,
  'adapters/shared/panel-http/api-path.ts isApiPath': opened(['/api'], isApiPath),
})
