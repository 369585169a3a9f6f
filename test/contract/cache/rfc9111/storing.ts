import type { Fields, Step } from '../http-mode/harness.ts'
import { answered, control, type Sentence } from './sentence.ts'

const HOUR = control('max-age=3600')
const BASIC = { authorization: 'Basic dTpw' }
const LATER = 'Thu, 18 Aug 2050 02:01:18 GMT'

/** An answer, then whether the same request is answered by it. */
const kept = (
  section: string,
  says: string,
  headers: Fields,
  from: 'cache' | 'origin',
  more: Partial<Step> & { status?: number } = {},
): Sentence => [section, says, [answered(headers, more), answered(headers, { ...more, from })]]

const MAY: Sentence[] = [
  ...['POST', 'OPTIONS', 'PROPFIND', 'QUERY'].map((method): Sentence => [
    '3',
    `an answer to ${method} is not stored: its caching is not understood`,
    [answered(HOUR, { method }), answered(HOUR)],
  ]),
  kept('3', 'a part is not stored', { ...HOUR, 'content-range': 'bytes 0-1/9' }, 'origin', {
    status: 206,
  }),
  kept('3', 'a 304 to the condition of a client is not stored', HOUR, 'origin', {
    status: 304,
    headers: { 'if-none-match': '"a"' },
  }),
  kept('3', 'no-store forbids it', control('no-store, max-age=60'), 'origin'),
  kept('3', 'no-store forbids it beside public', control('public, no-store, max-age=60'), 'origin'),
  kept('3', 'private forbids it', control('private, max-age=60'), 'origin'),
  kept('3', 'private forbids it beside s-maxage', control('private, s-maxage=60'), 'origin'),
  kept('3', 'public is a permission', { ...control('public'), etag: '"a"' }, 'origin', {
    status: 302,
    origin: {},
  }),
  kept('3', 'Expires is a permission', { expires: LATER }, 'cache', { status: 302 }),
  kept('3', 'max-age is a permission', HOUR, 'cache', { status: 302 }),
  kept('3', 's-maxage is a permission', control('s-maxage=60'), 'cache', { status: 302 }),
  kept('3', 'so is a status that allows heuristics, with a ttl of the host', {}, 'cache', {
    rule: { ttl: 60 },
    status: 410,
  }),
  kept('3', 'no other status is', {}, 'origin', { rule: { ttl: 60 }, status: 302 }),
  kept('3', 'an unknown final status may be stored that says how long', HOUR, 'cache', {
    status: 299,
  }),
  kept('3', 'an error may be stored that says how long', HOUR, 'cache', { status: 500 }),
  kept(
    '3',
    'must-understand forbids a status nobody knows',
    control('must-understand, max-age=60'),
    'origin',
    { status: 299 },
  ),
]

const FIELDS: Sentence[] = [
  [
    '3.1',
    'all fields are stored, unknown ones too, and those that stand twice',
    [
      answered({
        ...HOUR,
        'x-unknown': 'ä b',
        link: '</a>, </b>',
        'content-md5': 'x',
        'set-cookie2': 'a=b',
      }),
      {
        from: 'cache',
        answered: {
          'x-unknown': 'ä b',
          link: '</a>, </b>',
          'content-md5': 'x',
          'set-cookie2': 'a=b',
        },
      },
    ],
  ],
  [
    '3.1',
    'fields of the connection and of the proxy are not',
    [
      answered({
        ...HOUR,
        connection: 'x-hop, close',
        'x-hop': '1',
        'keep-alive': 'timeout=5',
        'proxy-authenticate': 'Basic',
        'proxy-authentication-info': 'x',
        'proxy-authorization': 'x',
        'proxy-connection': 'x',
        te: 'x',
        upgrade: 'x',
      }),
      {
        from: 'cache',
        answered: {
          connection: null,
          'x-hop': null,
          'keep-alive': null,
          'proxy-authenticate': null,
          'proxy-authentication-info': null,
          'proxy-authorization': null,
          'proxy-connection': null,
          te: null,
          upgrade: null,
        },
      },
    ],
  ],
  [
    '3.1',
    'fields that private and no-cache name are not',
    [
      answered({ ...control('max-age=60, private="x-a", no-cache="x-b"'), 'x-a': '1', 'x-b': '1' }),
      { from: 'cache', answered: { 'x-a': null, 'x-b': null } },
    ],
  ],
]

const STALE = {
  ...control('max-age=1'),
  etag: '"a"',
  'x-a': '1',
  'x-b': '1',
  'content-type': 'text/a',
}
/** What a 304 makes of the stored fields, for the client who caused it and for the next one. */
const updates = (says: string, in304: Fields, after: Record<string, string | null>): Sentence => [
  '3.2',
  says,
  [
    answered(STALE),
    {
      after: 2,
      origin: { status: 304, headers: { ...control('max-age=60'), etag: '"a"', ...in304 } },
      from: 'validated',
      status: 200,
      body: '#0',
      answered: after,
    },
    { from: 'cache', status: 200, body: '#0', answered: after },
  ],
]

const UPDATES: Sentence[] = [
  updates(
    'fields are replaced',
    { 'x-a': '2', 'content-type': 'text/b' },
    { 'x-a': '2', 'content-type': 'text/b' },
  ),
  updates(
    'fields are added',
    { 'x-new': '1', 'content-md5': 'y' },
    { 'x-new': '1', 'content-md5': 'y' },
  ),
  updates(
    'fields that are not said stay',
    {},
    { 'x-a': '1', 'x-b': '1', 'content-type': 'text/a' },
  ),
  updates('Content-Length is not updated', { 'content-length': '99' }, { 'content-length': '2' }),
  updates(
    'what the stored bytes depend on is not',
    { 'content-encoding': 'gzip', 'content-range': 'bytes 0-0/9' },
    { 'content-encoding': null, 'content-range': null },
  ),
  updates(
    'fields that are not stored are not taken either',
    { connection: 'x-b', 'x-b': '2', 'proxy-authenticate': 'x', 'keep-alive': 'x' },
    { 'x-b': '1', 'proxy-authenticate': null, 'keep-alive': null },
  ),
  [
    '3.2',
    'what then may not be stored goes to the client who asked, with its new fields',
    [
      answered(STALE),
      {
        after: 2,
        origin: { status: 304, headers: { ...control('no-store'), 'x-a': '2' } },
        from: 'validated',
        body: '#0',
        answered: { 'cache-control': 'no-store', 'x-a': '2' },
      },
      answered(STALE, { headers: control('max-stale') }),
    ],
  ],
  [
    '3.2',
    'a cookie in a 304 is for the client who asked alone',
    [
      answered(STALE),
      {
        after: 2,
        origin: { status: 304, headers: { 'set-cookie': 'a=1' } },
        from: 'validated',
        answered: { 'set-cookie': 'a=1' },
      },
      {
        origin: { status: 304, headers: control('max-age=60') },
        from: 'validated',
        answered: { 'set-cookie': null },
      },
      { from: 'cache', body: '#0', answered: { 'set-cookie': null } },
    ],
  ],
]

const AUTHORIZATION: Sentence[] = [
  kept('3.5', 'an answer to Authorization is not stored', HOUR, 'origin', { headers: BASIC }),
  kept('3.5', 'nor where Expires alone allows it', { expires: LATER }, 'origin', {
    headers: BASIC,
  }),
  ...['public', 'must-revalidate', 's-maxage=60'].map((directive) =>
    kept('3.5', `${directive} allows it`, control(`max-age=60, ${directive}`), 'cache', {
      headers: BASIC,
    }),
  ),
  [
    '3.5',
    'what was stored without credentials is not given to those who have some',
    [answered(HOUR), answered(HOUR, { headers: BASIC })],
  ],
]

/** Section 3: what is stored, and what of it. */
export const STORING: readonly Sentence[] = [
  ...MAY,
  ...FIELDS,
  ...UPDATES,
  [
    '3.3',
    'a part of an answer is not put together with another one',
    [
      answered(
        { ...HOUR, 'content-range': 'bytes 0-1/4', etag: '"a"' },
        { status: 206, headers: { range: 'bytes=0-1' } },
      ),
      answered(
        { ...HOUR, 'content-range': 'bytes 2-3/4', etag: '"a"' },
        { status: 206, headers: { range: 'bytes=2-3' } },
      ),
      answered(HOUR, { body: '#2' }),
    ],
  ],
  ...AUTHORIZATION,
]
