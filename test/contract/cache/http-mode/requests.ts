import type { ContractCase } from '../page-mode/cache-case.ts'
import { stepsCase, type Fields, type From } from './harness.ts'

type Row = readonly [name: string, stored: Fields, after: number, request: Fields, from: From]

const control = (value: string): Fields => ({ 'cache-control': value })
const HOUR = control('max-age=3600')

/** What a request says of stored answers (RFC 9111, 5.2.1). */
const DIRECTIVES: Row[] = [
  ['no-cache asks the origin', HOUR, 1, control('no-cache'), 'origin'],
  ['Pragma: no-cache does too', HOUR, 1, { pragma: 'no-cache' }, 'origin'],
  [
    'Pragma counts not beside Cache-Control',
    HOUR,
    1,
    { pragma: 'no-cache', ...control('max-age=99') },
    'cache',
  ],
  ['no-store may be answered by what is stored', HOUR, 1, control('no-store'), 'cache'],
  ['max-age=0 asks the origin once time has passed', HOUR, 1, control('max-age=0'), 'origin'],
  ['max-age admits younger answers', HOUR, 10, control('max-age=10'), 'cache'],
  ['max-age refuses older ones', HOUR, 11, control('max-age=10'), 'origin'],
  [
    'max-age counts the Age they came with',
    { ...HOUR, age: '100' },
    0,
    control('max-age=99'),
    'origin',
  ],
  ['an unreadable max-age refuses', HOUR, 1, control('max-age=x'), 'origin'],
  ['min-fresh admits what stays fresh', HOUR, 100, control('min-fresh=3500'), 'cache'],
  ['min-fresh refuses what does not', HOUR, 101, control('min-fresh=3500'), 'origin'],
  ['min-fresh refuses what is stale', control('max-age=1'), 5, control('min-fresh=1'), 'origin'],
  ['max-stale admits any stale answer', control('max-age=1'), 300, control('max-stale'), 'cache'],
  [
    'max-stale admits one that is not too stale',
    control('max-age=1'),
    10,
    control('max-stale=9'),
    'cache',
  ],
  ['max-stale refuses one that is', control('max-age=1'), 11, control('max-stale=9'), 'origin'],
  [
    'max-stale does not overrule must-revalidate',
    control('max-age=1, must-revalidate'),
    5,
    control('max-stale=99'),
    'origin',
  ],
  [
    'max-stale does not overrule proxy-revalidate',
    control('max-age=1, proxy-revalidate'),
    5,
    control('max-stale=99'),
    'origin',
  ],
  [
    'max-stale does not overrule s-maxage',
    control('s-maxage=1'),
    5,
    control('max-stale=99'),
    'origin',
  ],
  [
    'max-stale does not overrule max-age',
    control('max-age=1'),
    20,
    control('max-age=10, max-stale=99'),
    'origin',
  ],
  ['only-if-cached is answered by what is stored', HOUR, 1, control('only-if-cached'), 'cache'],
  [
    'only-if-cached is 504 when that is stale',
    control('max-age=1'),
    5,
    control('only-if-cached'),
    'neither',
  ],
  ['only-if-cached with no-cache is 504', HOUR, 1, control('only-if-cached, no-cache'), 'neither'],
  ['unknown directives do no harm', HOUR, 1, control('foo, bar=1'), 'cache'],
  ['a body goes to the origin', HOUR, 1, { 'content-length': '3' }, 'origin'],
  ['If-Match is the business of the origin', HOUR, 1, { 'if-match': '"x"' }, 'origin'],
  [
    'If-Unmodified-Since too',
    HOUR,
    1,
    { 'if-unmodified-since': 'Thu, 18 Aug 2050 02:01:18 GMT' },
    'origin',
  ],
  ['credentials do not get what others got', HOUR, 1, { authorization: 'Basic x' }, 'origin'],
  [
    'credentials get what is public',
    control('public, max-age=60'),
    1,
    { authorization: 'Basic x' },
    'cache',
  ],
]

const BODY = '0123456789'
const STORED = { ...HOUR, etag: '"a"', 'last-modified': 'Thu, 01 Jan 2015 00:00:00 GMT' }

type ConditionRow = readonly [
  name: string,
  request: Fields,
  status: number,
  body: string,
  over?: { status?: number; headers?: Fields; method?: string },
]

/** Preconditions and ranges answered from what is stored (RFC 9111, 4.3.2; RFC 9110, 13 and 14). */
const CONDITIONS: ConditionRow[] = [
  ['If-None-Match that matches', { 'if-none-match': '"a"' }, 304, ''],
  ['If-None-Match of a list', { 'if-none-match': '"x", "a"' }, 304, ''],
  ['If-None-Match compares weakly', { 'if-none-match': 'W/"a"' }, 304, ''],
  ['If-None-Match: *', { 'if-none-match': '*' }, 304, ''],
  ['If-None-Match of another version', { 'if-none-match': '"b"' }, 200, BODY],
  [
    'If-None-Match of a weak stored tag',
    { 'if-none-match': '"a"' },
    304,
    '',
    { headers: { ...HOUR, etag: 'W/"a"' } },
  ],
  ['If-Modified-Since of the same date', { 'if-modified-since': STORED['last-modified'] }, 304, ''],
  [
    'If-Modified-Since of an earlier date',
    { 'if-modified-since': 'Wed, 31 Dec 2014 00:00:00 GMT' },
    200,
    BODY,
  ],
  [
    'If-None-Match counts before If-Modified-Since',
    { 'if-none-match': '"b"', 'if-modified-since': STORED['last-modified'] },
    200,
    BODY,
  ],
  ['HEAD with a condition', { 'if-none-match': '"a"' }, 304, '', { method: 'HEAD' }],
  ['HEAD', {}, 200, '', { method: 'HEAD' }],
  ['conditions are not about a 404', { 'if-none-match': '"a"' }, 404, BODY, { status: 404 }],
  ['a range from the start', { range: 'bytes=0-3' }, 206, '0123'],
  ['a range to the end', { range: 'bytes=6-' }, 206, '6789'],
  ['the last bytes', { range: 'bytes=-2' }, 206, '89'],
  ['a range that begins too late', { range: 'bytes=10-' }, 416, ''],
  ['another unit than bytes', { range: 'lines=1-2' }, 200, BODY],
  ['If-Range that matches', { range: 'bytes=0-0', 'if-range': '"a"' }, 206, '0'],
  ['If-Range of another version', { range: 'bytes=0-0', 'if-range': '"b"' }, 200, BODY],
  ['ranges are not about a 404', { range: 'bytes=0-3' }, 404, BODY, { status: 404 }],
]

/** How requests decide over what is stored. */
export const httpRequestsContract = (): ContractCase[] => [
  ...DIRECTIVES.map(([name, stored, after, headers, from]) =>
    stepsCase(`request: ${name}`, [
      { origin: { headers: stored }, from: 'origin' },
      { after, headers, from, ...(from === 'neither' ? { status: 504 } : {}) },
    ]),
  ),
  ...CONDITIONS.map(([name, headers, status, body, over = {}]) =>
    stepsCase(`from the cache: ${name}`, [
      {
        origin: { headers: over.headers ?? STORED, body: BODY, status: over.status ?? 200 },
        from: 'origin',
      },
      { after: 1, headers, status, body, from: 'cache', method: over.method ?? 'GET' },
    ]),
  ),
  stepsCase('only-if-cached without anything stored', [
    { headers: control('only-if-cached'), from: 'neither', status: 504 },
  ]),
  stepsCase('a 304 to the condition of a client is not stored', [
    {
      headers: { 'if-none-match': '"a"' },
      origin: { status: 304, headers: STORED },
      from: 'origin',
      status: 304,
    },
    { origin: { headers: STORED }, from: 'origin', status: 200, body: '#1' },
  ]),
  stepsCase('a part is not stored', [
    {
      headers: { range: 'bytes=0-1' },
      origin: { status: 206, headers: { ...HOUR, 'content-range': 'bytes 0-1/9' } },
      from: 'origin',
    },
    { origin: { headers: HOUR }, from: 'origin', body: '#1' },
  ]),
  stepsCase('a whole answer to a request for a part is stored', [
    {
      headers: { range: 'bytes=0-1' },
      origin: { headers: HOUR, body: BODY },
      from: 'origin',
      body: BODY,
    },
    { from: 'cache', body: BODY },
    { headers: { range: 'bytes=0-1' }, from: 'cache', status: 206, body: '01' },
  ]),
  stepsCase('HEAD stores nothing and does not touch what is stored', [
    { method: 'HEAD', origin: { headers: HOUR }, from: 'origin' },
    { origin: { headers: HOUR }, from: 'origin', body: '#1' },
    { method: 'HEAD', from: 'cache', body: '', answered: { 'content-length': '2' } },
    { from: 'cache', body: '#1' },
  ]),
  stepsCase('Age is how old the answer is, on every hit', [
    { origin: { headers: { ...HOUR, age: '5' } }, from: 'origin' },
    {
      after: 7,
      from: 'cache',
      answered: { age: '12', 'x-cache': 'HIT', 'cache-status': 'berth; hit; ttl=3588' },
    },
  ]),
  stepsCase('headers are replayed; Date is added, those of the connection are not', [
    {
      origin: {
        headers: { ...HOUR, 'x-a': '1', connection: 'x-hop', 'x-hop': '1', 'x-cache-tag': 't' },
      },
      answered: { 'x-cache-tag': null },
    },
    {
      after: 1,
      from: 'cache',
      answered: {
        'x-a': '1',
        'x-hop': null,
        'x-cache-tag': null,
        date: 'Tue, 14 Nov 2023 22:13:20 GMT',
      },
    },
  ]),
  stepsCase('fields that the origin withholds are not replayed', [
    {
      origin: {
        headers: {
          ...control('max-age=60, private="x-a", no-cache="x-b, x-c"'),
          'x-a': '1',
          'x-b': '1',
          'x-d': '1',
        },
      },
      answered: { 'x-a': '1' },
    },
    { from: 'cache', answered: { 'x-a': null, 'x-b': null, 'x-d': '1' } },
  ]),
]
