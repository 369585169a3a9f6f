import type { IncomingMessage, ServerResponse } from 'node:http'

type Fields = Record<string, string | string[]>
/** What the application does with its n-th request for the row's address, from 0. */
type Serve = (n: number, message: IncomingMessage, out: ServerResponse) => void
/** `times` over as many connections, whichever worker takes them; each must be answered alike. */
export interface Look {
  times?: number
  method?: string
  headers?: Fields
  status?: number
  body?: string
  from?: 'HIT' | 'MISS'
  answered?: Record<string, string | undefined>
}
type Row = readonly [
  section: string,
  says: string,
  serve: Serve,
  looks: readonly Look[],
  /** Requests the application sees; null: as many as there are looks that reach it. */
  runs: number | null,
]

/** Hits enough that both workers answer some. */
const ALL = { times: 6, from: 'HIT' } as const
const answers =
  (fields: Fields, status = 200): Serve =>
  (n, _, out) =>
    out.writeHead(status, fields).end(`#${n}`)
const HOUR = { 'cache-control': 'max-age=3600' }
/** Stale when it arrives, so that no test has to wait. */
const OLD = { 'cache-control': 'max-age=60', age: '61', etag: '"a"' }
const BASIC = { authorization: 'Basic dTpw' }

/** Answers in full once, and then that it still holds. */
const thenHolds =
  (first: Fields, in304: Fields): Serve =>
  (n, message, out) => {
    if (n === 0) out.writeHead(200, first).end('#0')
    else if (message.headers['if-none-match'] === '"a"') out.writeHead(304, in304).end()
    else out.writeHead(200, HOUR).end(`#${n}`)
  }

/** What two workers hold to together, by section of RFC 9111 unless it says otherwise. */
export const SHARED_ROWS: Row[] = [
  ['4', 'a fresh answer serves all', answers(HOUR), [{ from: 'MISS' }, { ...ALL, body: '#0' }], 1],
  [
    '3',
    'no-store, private',
    answers({ 'cache-control': 'private, max-age=9' }),
    [{ times: 4, from: 'MISS' }],
    4,
  ],
  [
    '3.1',
    'fields of the connection are not stored',
    answers({ ...HOUR, connection: 'x-a', 'x-a': '1', 'x-b': '1' }),
    [{ from: 'MISS' }, { ...ALL, answered: { 'x-a': undefined, 'x-b': '1' } }],
    1,
  ],
  [
    '3.2',
    'a 304 updates what all get, but not the length',
    thenHolds({ ...OLD, 'x-a': '1', 'x-b': '1' }, { ...HOUR, etag: '"a"', 'x-a': '2' }),
    [
      { from: 'MISS' },
      { from: 'HIT', body: '#0', answered: { 'x-a': '2' } },
      { ...ALL, body: '#0', answered: { 'x-a': '2', 'x-b': '1', 'content-length': '2' } },
    ],
    2,
  ],
  [
    '3.3',
    'an answer that breaks off is not stored',
    (_, message, out) => {
      out.writeHead(200, HOUR)
      out.write('half', () => message.socket.destroy())
    },
    [{ times: 2, status: 0 }],
    2,
  ],
  [
    '3.5',
    'an answer to Authorization is not stored',
    answers(HOUR),
    [{ times: 3, headers: BASIC, from: 'MISS' }],
    3,
  ],
  [
    '3.5',
    'unless it is public',
    answers({ 'cache-control': 'public, max-age=60' }),
    [
      { headers: BASIC, from: 'MISS' },
      { ...ALL, headers: BASIC },
    ],
    1,
  ],
  [
    '4.1',
    'each gets what was chosen for him',
    answers({ ...HOUR, vary: 'x-a' }),
    [
      { headers: { 'x-a': '1' } },
      { headers: { 'x-a': '2' } },
      { ...ALL, headers: { 'x-a': '1' }, body: '#0' },
      { ...ALL, headers: { 'x-a': '2' }, body: '#1' },
    ],
    2,
  ],
  [
    '4.1',
    'a default that forgets Vary does not take its place',
    (n, message, out) =>
      out
        .writeHead(200, message.headers['x-a'] === undefined ? HOUR : { ...HOUR, vary: 'x-a' })
        .end(`#${n}`),
    [
      { headers: { 'x-a': '1' } },
      { from: 'MISS' },
      { ...ALL, headers: { 'x-a': '1' }, body: '#0' },
      { ...ALL, body: '#1' },
    ],
    2,
  ],
  [
    '4.2',
    'dates count in any case',
    answers({ expires: 'THU, 18 AUG 2050 02:01:18 gmt' }),
    [{ from: 'MISS' }, ALL],
    1,
  ],
  [
    '4.2.1',
    'two Expires make it stale',
    answers({ expires: ['Thu, 18 Aug 2050 02:01:18 GMT', 'Thu, 18 Aug 2050 02:01:18 GMT'] }),
    [{ times: 3, from: 'MISS' }],
    3,
  ],
  [
    '4.2.4',
    'must-revalidate: nothing stale for an origin that is gone',
    (n, message, out) => {
      if (n === 0)
        out
          .writeHead(200, {
            ...OLD,
            'cache-control': 'max-age=60, must-revalidate, stale-if-error=900',
          })
          .end('#0')
      else message.socket.destroy()
    },
    [{ from: 'MISS' }, { times: 2, from: 'MISS', status: 502 }],
    null,
  ],
  [
    '4.2.4',
    'but where the origin allows it',
    (n, message, out) => {
      if (n === 0)
        out.writeHead(200, { ...OLD, 'cache-control': 'max-age=60, stale-if-error=900' }).end('#0')
      else message.socket.destroy()
    },
    [{ from: 'MISS' }, { ...ALL, status: 200, body: '#0' }],
    null,
  ],
  [
    '4.3.2',
    'conditions are answered from what is stored',
    answers({ ...HOUR, etag: '"a"' }),
    [
      { from: 'MISS' },
      {
        ...ALL,
        headers: { 'if-none-match': 'W/"a"' },
        status: 304,
        answered: { etag: '"a"', 'cache-control': 'max-age=3600', 'content-length': undefined },
      },
      { ...ALL, headers: { 'if-none-match': '"b"' } },
    ],
    1,
  ],
  [
    '4.3.2',
    'by the Date without Last-Modified',
    answers({
      ...HOUR,
      date: 'Sun, 22 Nov 2020 00:00:00 GMT',
      'cache-control': 'max-age=2000000000',
    }),
    [
      { from: 'MISS' },
      {
        ...ALL,
        headers: { 'if-modified-since': 'Sun, 22 Nov 2020 00:00:00 GMT' },
        status: 304,
        answered: { date: 'Sun, 22 Nov 2020 00:00:00 GMT' },
      },
    ],
    1,
  ],
  [
    '4.3.4',
    'a 304 about something else counts for nothing',
    thenHolds(OLD, { ...HOUR, etag: '"b"' }),
    [{ from: 'MISS' }, { from: 'MISS', status: 200, body: '#2' }, { ...ALL, body: '#2' }],
    3,
  ],
  ...['POST', 'DELETE', 'PATCH', 'M-SEARCH'].map((method): Row => [
    '4.4',
    `${method} ends it at every worker`,
    answers(HOUR),
    [{ from: 'MISS' }, ALL, { method }, { from: 'MISS', body: '#2' }, { ...ALL, body: '#2' }],
    3,
  ]),
  [
    '4.4',
    'not when it failed',
    (n, message, out) => out.writeHead(message.method === 'GET' ? 200 : 403, HOUR).end(`#${n}`),
    [{ from: 'MISS' }, { method: 'POST', status: 403 }, { ...ALL, body: '#0' }],
    2,
  ],
  ...['abc', '-7200', '7200.0', '7200;foo=bar', '0, 7200'].map((age): Row => [
    '5.1',
    `Age: ${age}`,
    answers({ ...HOUR, age }),
    [{ from: 'MISS' }, ALL],
    1,
  ]),
  ...['7200', '7200, 0', '99999999999999999999'].map((age): Row => [
    '5.1',
    `Age: ${age}`,
    answers({ ...HOUR, age }),
    [{ times: 2, from: 'MISS' }],
    2,
  ]),
  [
    '5.1',
    'the first of two lines of Age counts',
    answers({ ...HOUR, age: ['0', '7200'] }),
    [{ from: 'MISS' }, ALL],
    1,
  ],
  [
    '5.2',
    'directives are passed on',
    (_, message, out) =>
      out
        .writeHead(200, { 'cache-control': 'max-age=60, y="2"' })
        .end(String(message.headers['cache-control'])),
    [
      { headers: { 'cache-control': 'max-age=9, x=1' }, body: 'max-age=9, x=1' },
      { ...ALL, answered: { 'cache-control': 'max-age=60, y="2"' } },
    ],
    1,
  ],
  [
    '5.2.1.4',
    'no-cache makes it new for all',
    answers(HOUR),
    [
      { from: 'MISS' },
      ALL,
      { headers: { 'cache-control': 'no-cache' }, from: 'MISS', body: '#1' },
      { ...ALL, body: '#1' },
    ],
    2,
  ],
  [
    '5.2.1.7',
    'only-if-cached',
    answers(HOUR),
    [
      { headers: { 'cache-control': 'only-if-cached' }, status: 504 },
      { from: 'MISS' },
      { ...ALL, headers: { 'cache-control': 'only-if-cached' } },
    ],
    1,
  ],
  [
    '2.2 of RFC 9213',
    'CDN-Cache-Control counts first',
    answers({ 'cache-control': 'no-store', 'cdn-cache-control': 'max-age=60' }),
    [{ from: 'MISS' }, ALL],
    1,
  ],
]
