/** Requests as they stand on the wire, none of which is HTTP as RFC 9112 has it. */

const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n'
/** A GET of `/` with further fields. */
export const get = (fields: string): string => `GET / HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n\r\n`
const post = (fields: string, body = ''): string =>
  `POST /p HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n\r\n${body}`

/** Raw requests to the host `a.test` with the statuses they may be answered with; each is answered at most once, with what follows dropped. */
export const MALFORMED_REQUESTS: [name: string, bytes: string, statuses: number[]][] = [
  [
    'CL and TE',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`),
    [400],
  ],
  [
    'TE and CL',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${SMUGGLED}`),
    [400],
  ],
  ['two different CL', post('Content-Length: 0\r\nContent-Length: 40', SMUGGLED), [400]],
  ['CL list', post('Content-Length: 0, 40', SMUGGLED), [400]],
  ['CL with a sign', post('Content-Length: +5', `hello${SMUGGLED}`), [400]],
  ['CL negative', post('Content-Length: -1', SMUGGLED), [400]],
  ['CL hexadecimal', post('Content-Length: 0x5', `hello${SMUGGLED}`), [400]],
  ['CL huge', post('Content-Length: 99999999999999999999', SMUGGLED), [400]],
  ['TE unknown', post('Transfer-Encoding: xchunked', `0\r\n\r\n${SMUGGLED}`), [400, 501]],
  [
    'TE chunked not last',
    post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${SMUGGLED}`),
    [400, 501],
  ],
  ['TE with a control', post('Transfer-Encoding: \x0bchunked', `0\r\n\r\n${SMUGGLED}`), [400, 501]],
  ['blank before colon in TE', post('Transfer-Encoding : chunked', `0\r\n\r\n${SMUGGLED}`), [400]],
  ['TE folded', post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${SMUGGLED}`), [400, 501]],
  ['chunk size with a sign', post('Transfer-Encoding: chunked', `+0\r\n\r\n${SMUGGLED}`), [400]],
  ['chunk size with 0x', post('Transfer-Encoding: chunked', `0x0\r\n\r\n${SMUGGLED}`), [400]],
  ['chunk with bare LF', post('Transfer-Encoding: chunked', `0\n\n${SMUGGLED}`), [400]],
  [
    'chunk data too long',
    post('Transfer-Encoding: chunked', `1\r\nab\r\n0\r\n\r\n${SMUGGLED}`),
    [400],
  ],
  ['second Host', get(`Host: b.test`), [400]],
  ['Host with a path', get('X: y').replace('a.test', 'a.test/x'), [400]],
  ['Host with credentials', get('X: y').replace('a.test', 'u@a.test'), [400]],
  ['Host with two ports', get('X: y').replace('a.test', 'a.test:80:81'), [400]],
  ['Host empty label', get('X: y').replace('a.test', 'a..test'), [400]],
  ['Host missing', 'GET / HTTP/1.1\r\nX: y\r\n\r\n', [400]],
  ['absolute form of another host', get('X: y').replace('GET /', 'GET http://b.test/'), [400]],
  ['absolute form with credentials', get('X: y').replace('GET /', 'GET http://u@a.test/'), [400]],
  ['asterisk', get('X: y').replace('GET /', 'GET *'), [400]],
  ['CONNECT', 'CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n', [400, 405, 501]],
  ['TRACE', 'TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n', [400, 405, 501]],
  ['method that is none', 'BR(EW / HTTP/1.1\r\nHost: a.test\r\n\r\n', [400]],
  ['over-long method', `${'BREW'.repeat(20)} / HTTP/1.1\r\nHost: a.test\r\n\r\n`, [400]],
  ['lower-case method', 'get / HTTP/1.1\r\nHost: a.test\r\n\r\n', [400, 501]],
  ['bare LF', `GET / HTTP/1.1\nHost: a.test\n\n${SMUGGLED}`, [400]],
  ['bare CR in a value', get(`X: a\r${SMUGGLED}`), [400]],
  ['bare CR as line end', `GET / HTTP/1.1\r\nHost: a.test\rX: y\r\n\r\n${SMUGGLED}`, [400]],
  ['folding', get('X: a\r\n b'), [400]],
  ['NUL in a value', get('X: a\0b'), [400]],
  ['NUL in the target', 'GET /\0 HTTP/1.1\r\nHost: a.test\r\n\r\n', [400]],
  ['blank before colon', get('X : a'), [400]],
  ['field without a name', get(': a'), [400]],
  ['no colon', get('abc'), [400]],
  ['HTTP/3.7', get('X: y').replace('HTTP/1.1', 'HTTP/3.7'), [400, 505]],
  ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]],
  ['garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  ['huge head', get(`X: ${'y'.repeat(20_000)}`), [431]],
  ['huge target', get('X: y').replace('GET /', `GET /${'y'.repeat(20_000)}`), [414]],
  ['unknown expectation', post('Expect: magic\r\nContent-Length: 0'), [417]],
]
