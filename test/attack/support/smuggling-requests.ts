/**
 * Connections as they stand on the wire that try to make two readers of the same
 * bytes find different requests: where one ends, whose it is, what it asks for.
 */

const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n'
const NEXT = 'GET /next?1 HTTP/1.1\r\nHost: a.test\r\n\r\n'
const get = (fields: string, behind = ''): string =>
  `GET /page HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n\r\n${behind}`
const host = (value: string): string => `GET /page HTTP/1.1\r\nHost: ${value}\r\n\r\n`
const post = (fields: string, body = '', version = 'HTTP/1.1'): string =>
  `POST /post ${version}\r\nHost: a.test\r\n${fields}\r\n\r\n${body}`
const chunked = (body: string): string => post('Transfer-Encoding: chunked', body)

export interface SmugglingCase {
  name: string
  /** To the host `a.test`, as latin1. */
  bytes: string
  /** Statuses of the answers in order, each one of those it may have. */
  answers: readonly (readonly number[])[]
}

const OK = [200]
const BAD = [400]

const refused = (name: string, bytes: string, statuses = BAD): SmugglingCase => ({
  name,
  bytes,
  answers: [statuses],
})
const taken = (name: string, bytes: string, ...answers: number[][]): SmugglingCase => ({
  name,
  bytes,
  answers: answers.length === 0 ? [OK] : answers,
})

const LENGTHS: SmugglingCase[] = [
  refused('CL twice, equal', post('Content-Length: 5\r\nContent-Length: 5', `hello${SMUGGLED}`)),
  refused('CL twice, other case', post('Content-Length: 5\r\ncontent-length: 0', SMUGGLED)),
  refused('CL empty', post('Content-Length:', SMUGGLED)),
  refused('CL with a blank inside', post('Content-Length: 5 5', `hello${SMUGGLED}`)),
  refused('CL with a parameter', post('Content-Length: 5;a', `hello${SMUGGLED}`)),
  refused('CL with a point', post('Content-Length: 5.0', `hello${SMUGGLED}`)),
  refused('CL with NUL', post('Content-Length: 5\0', `hello${SMUGGLED}`)),
  refused('CL with a vertical tab', post('Content-Length: \x0b5', `hello${SMUGGLED}`)),
  refused('CL and TE identity', post('Content-Length: 5\r\nTransfer-Encoding: identity', 'hello')),
  refused('CL behind a bare LF', get('X: y\nContent-Length: 5', SMUGGLED)),
  refused('CL behind a bare CR', get('X: y\rContent-Length: 5', SMUGGLED)),
  refused('CL folded', post('Content-Length:\r\n 5', `hello${SMUGGLED}`)),
  refused('CL in a folded field', get(`X: y\r\n Content-Length: ${SMUGGLED.length}`, SMUGGLED)),
  refused('CL with a blank before the colon', post('Content-Length : 5', `hello${SMUGGLED}`)),
  taken('CL with leading zeros', post('Content-Length: 005', `hello${NEXT}`), OK, OK),
  taken('CL with blanks around', post('Content-Length: \t5 ', `hello${NEXT}`), OK, OK),
  taken('CL of another name', get(`Content_Length: ${SMUGGLED.length}`, NEXT), OK, OK),
  refused('GET with a body', get(`Content-Length: ${SMUGGLED.length}`, SMUGGLED)),
  taken('GET with an empty body', get('Content-Length: 0', NEXT), OK, OK),
]

const CHUNKS: SmugglingCase[] = [
  refused('TE identity', post('Transfer-Encoding: identity', SMUGGLED)),
  refused('TE in quotes', post('Transfer-Encoding: "chunked"', `0\r\n\r\n${SMUGGLED}`)),
  refused('TE empty', post('Transfer-Encoding:', `0\r\n\r\n${SMUGGLED}`)),
  refused('TE with NUL', post('Transfer-Encoding: chunked\0', `0\r\n\r\n${SMUGGLED}`)),
  refused('TE behind a bare LF', post('X: y\nTransfer-Encoding: chunked', `0\r\n\r\n${SMUGGLED}`)),
  refused(
    'TE twice, the second unknown',
    post('Transfer-Encoding: chunked\r\nTransfer-encoding: cow', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'TE twice, the first unknown',
    post('Transfer-Encoding: cow\r\nTransfer-Encoding: cow', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused('chunk size without a digit', chunked(`\r\n\r\n${SMUGGLED}`)),
  refused('chunk size negative', chunked(`-1\r\n\r\n${SMUGGLED}`)),
  refused('chunk size over 64 bits', chunked(`10000000000000005\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('chunk size with a blank before', chunked(` 5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('chunk size ended by LF', chunked(`5\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('chunk size ended by CR', chunked(`5\rhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('chunk extension ended by LF', chunked(`0;a\n\r\n${SMUGGLED}`)),
  refused('chunk data without its line end', chunked(`5\r\nhello0\r\n\r\n${SMUGGLED}`)),
  refused('chunk data ended by LF', chunked(`5\r\nhello\n0\r\n\r\n${SMUGGLED}`)),
  refused('last chunk without its empty line', chunked(`0\r\n${SMUGGLED}`)),
  refused('chunk extensions without end', chunked(`5;${'a'.repeat(20_000)}\r\nhello\r\n`), [413]),
  taken('chunk extension', chunked(`5;a="b;c"\r\nhello\r\n0\r\n\r\n${NEXT}`), OK, OK),
  taken('chunk size with leading zeros', chunked(`0005\r\nhello\r\n0\r\n\r\n${NEXT}`), OK, OK),
  taken(
    'fields behind the last chunk',
    chunked(`0\r\nHost: b.test\r\nX: y\r\n\r\n${NEXT}`),
    OK,
    OK,
  ),
  taken('a request inside a chunk', chunked(`27\r\n${SMUGGLED.slice(0, 39)}\r\n0\r\n\r\n`)),
  taken('TE in capitals', post('TRANSFER-ENCODING: CHUNKED', `0\r\n\r\n${NEXT}`), OK, OK),
]

const NAMES: SmugglingCase[] = [
  refused('Host twice, equal', get('Host: a.test')),
  refused('Host behind a blank', `GET /page HTTP/1.1\r\n Host: b.test\r\nHost: a.test\r\n\r\n`),
  refused('Host of port 0', host('a.test:0')),
  refused('Host of port 99999', host('a.test:99999')),
  refused('Host with a port that is none', host('a.test:80b')),
  refused('Host with a name as port', host('a.test:80@b.test')),
  refused('Host with a fragment', host('a.test#b.test')),
  refused('Host with a query', host('a.test?b.test')),
  refused('Host with a backslash', host('a.test\\b.test')),
  refused('Host with a tab', host('a.test\tb.test')),
  refused('Host list', host('a.test, b.test')),
  refused('Host of an open bracket', host('[::1')),
  refused('Host with a high byte', host('a.test\xe4')),
  refused(
    'absolute form of another port',
    'GET http://a.test:81/page HTTP/1.1\r\nHost: a.test\r\n\r\n',
  ),
  refused('authority form', 'GET a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n'),
  refused(
    'a second request line in the target',
    `GET /page HTTP/1.1\r\nHost: b.test HTTP/1.1\r\nHost: a.test\r\n\r\n`,
  ),
  taken('Host in capitals, with the final dot', host('A.TEST.')),
  taken('Host with an empty port', host('a.test:')),
  refused(
    'line ends in the target, escaped',
    'GET /page%0d%0aHost:%20b.test HTTP/1.1\r\nHost: a.test\r\n\r\n',
  ),
  taken('Connection that names Host', get('Connection: Host, close, X-Forwarded-For')),
]

const ENDS: SmugglingCase[] = [
  refused('HTTP/0.9', 'GET /page\r\n'),
  refused('HTTP/0.9, told', 'GET /page HTTP/0.9\r\nHost: a.test\r\n\r\n', [505]),
  refused('HTTP/2.0, told', 'GET /page HTTP/2.0\r\nHost: a.test\r\n\r\n', [505]),
  refused('ten thousand fields', get('X: y\r\n'.repeat(10_000).trimEnd()), [431]),
  taken('two thousand fields that fit', get('A:\r\n'.repeat(2000).trimEnd())),
  taken('garbage behind a request', get('X: y', '\0garbage'), OK, BAD),
  taken('a body that no length announced', get('X: y', `a=1\r\n\r\n${SMUGGLED}`), OK, BAD),
  taken('empty lines between requests', get('X: y', `\r\n\r\n${NEXT}`), OK, OK),
  refused(
    'a request behind a refused one',
    `POST /post HTTP/1.1\r\nHost: a.test/x\r\nContent-Length: 0\r\n\r\n${SMUGGLED}`,
  ),
  taken('a request behind Connection: close', get('Connection: close', SMUGGLED)),
  taken('a request behind HTTP/1.0', `GET /page HTTP/1.0\r\nHost: a.test\r\n\r\n${SMUGGLED}`),
  taken(
    'a POST that waits for 100',
    post('Expect: 100-continue\r\nContent-Length: 5', `hello${NEXT}`),
    [100],
    OK,
    OK,
  ),
  refused(
    'an upgrade with a body',
    get(
      `Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${SMUGGLED.length}`,
      SMUGGLED,
    ),
  ),
  taken('an upgrade to h2c', get('Connection: Upgrade\r\nUpgrade: h2c', SMUGGLED)),
  taken(
    'a POST behind Connection: close',
    post('Content-Length: 5\r\nConnection: close', `hello${SMUGGLED}`),
  ),
]

/** Cases of the attack suite beside `MALFORMED_REQUESTS`; none may make `/smuggled` a request. */
export const SMUGGLING_REQUESTS: readonly SmugglingCase[] = [
  ...LENGTHS,
  ...CHUNKS,
  ...NAMES,
  ...ENDS,
]
