import type { ContractCase } from '../page-mode/cache-case.ts'
import { same } from '../page-mode/cache-case.ts'
import { createHarness } from '../page-mode/cache-harness.ts'
import { PAGE, stepsCase, takeSteps, type Fields, type From, type Step } from './harness.ts'

const control = (value: string): Fields => ({ 'cache-control': value })
const TAGGED = { ...control('max-age=10'), etag: '"a"' }
const DATED = { ...control('max-age=10'), 'last-modified': 'Thu, 01 Jan 2015 00:00:00 GMT' }

const validating: ContractCase[] = [
  stepsCase('a stale answer is validated by its ETag', [
    { origin: { headers: TAGGED }, from: 'origin' },
    {
      after: 10,
      origin: { status: 304 },
      from: 'validated',
      status: 200,
      body: '#0',
      asked: { 'if-none-match': '"a"' },
    },
    { after: 9, from: 'cache', body: '#0', answered: { age: '9' } },
    { after: 1, origin: { status: 304 }, from: 'validated' },
  ]),
  stepsCase('and by its Last-Modified', [
    { origin: { headers: DATED }, from: 'origin' },
    {
      after: 10,
      origin: { status: 304 },
      from: 'validated',
      asked: { 'if-modified-since': DATED['last-modified'] },
    },
  ]),
  stepsCase('a new version replaces it', [
    { origin: { headers: TAGGED }, from: 'origin' },
    { after: 10, origin: { headers: { ...TAGGED, etag: '"b"' } }, from: 'origin', body: '#1' },
    { after: 1, from: 'cache', body: '#1', answered: { etag: '"b"' } },
  ]),
  stepsCase('without a validator it is asked for plainly', [
    { origin: { headers: control('max-age=10') }, from: 'origin' },
    { after: 10, from: 'origin', asked: { 'if-none-match': null, 'if-modified-since': null } },
  ]),
  stepsCase('no-cache is validated every time', [
    { origin: { headers: { ...control('no-cache, max-age=60'), etag: '"a"' } }, from: 'origin' },
    { origin: { status: 304 }, from: 'validated', body: '#0' },
    { origin: { status: 304 }, from: 'validated', body: '#0' },
  ]),
  stepsCase('an answer without freshness is validated every time', [
    { origin: { headers: { etag: '"a"' } }, from: 'origin' },
    { origin: { status: 304 }, from: 'validated', body: '#0' },
    { origin: {}, from: 'origin', body: '#2' },
  ]),
  stepsCase('no-cache of a request validates what is fresh', [
    { origin: { headers: TAGGED }, from: 'origin' },
    {
      after: 5,
      headers: control('no-cache'),
      origin: { status: 304 },
      from: 'validated',
      body: '#0',
    },
    { after: 9, from: 'cache', body: '#0' },
  ]),
  stepsCase('conditions of the client are judged after the origin spoke', [
    { origin: { headers: TAGGED }, from: 'origin' },
    {
      after: 10,
      headers: { 'if-none-match': '"a"' },
      origin: { status: 304 },
      from: 'validated',
      status: 304,
    },
    {
      after: 10,
      headers: { 'if-none-match': '"x"', range: 'bytes=0-0' },
      origin: { status: 304 },
      from: 'validated',
      status: 206,
      body: '#',
      asked: { 'if-none-match': '"a"', range: null },
    },
  ]),
  stepsCase('HEAD validates for everybody', [
    { origin: { headers: TAGGED }, from: 'origin' },
    {
      after: 10,
      method: 'HEAD',
      origin: { status: 304 },
      from: 'validated',
      status: 200,
      body: '',
    },
    { after: 5, from: 'cache', body: '#0' },
  ]),
  stepsCase('a 304 about another version does not count', [
    { origin: { headers: TAGGED }, from: 'origin' },
    { after: 10, origin: { status: 304, headers: { etag: '"b"' } }, from: 'origin' },
  ]),
  stepsCase('a 304 that forbids storing ends it', [
    { origin: { headers: TAGGED }, from: 'origin' },
    {
      after: 10,
      origin: { status: 304, headers: control('no-store') },
      from: 'validated',
      body: '#0',
    },
    { origin: { headers: TAGGED }, from: 'origin' },
  ]),
  stepsCase('an answer that may not be stored ends it', [
    { origin: { headers: TAGGED }, from: 'origin' },
    { after: 10, origin: { headers: control('private') }, from: 'origin' },
    { headers: control('max-stale'), from: 'origin' },
  ]),
]

/** Fields of the stored answer after a 304 (RFC 9111, 3.2). */
const UPDATES: readonly (readonly [field: string, stored: string, in304: string, after: string])[] =
  [
    ['x-a', '1', '2', '2'],
    ['content-type', 'text/plain', 'text/html', 'text/html'],
    ['content-language', 'en', 'de', 'de'],
    ['link', '</a>', '</b>', '</b>'],
    ['cache-control', 'max-age=10', 'max-age=99', 'max-age=99'],
    ['expires', '0', 'Thu, 18 Aug 2050 02:01:18 GMT', 'Thu, 18 Aug 2050 02:01:18 GMT'],
    [
      'last-modified',
      'Thu, 01 Jan 2015 00:00:00 GMT',
      'Fri, 02 Jan 2015 00:00:00 GMT',
      'Fri, 02 Jan 2015 00:00:00 GMT',
    ],
    ['content-encoding', 'gzip', 'br', 'gzip'],
    ['content-range', 'bytes 0-1/2', 'bytes 0-9/9', 'bytes 0-1/2'],
  ]

type ErrorRow = readonly [
  name: string,
  stored: string,
  after: number,
  origin: Step['origin'],
  from: From | 'stale',
  request?: Fields,
]
const DOWN = { status: 503, headers: { 'cache-control': 'no-store' } }

/** Stale answers in place of errors, and while the origin is asked (RFC 5861). */
const STALE: ErrorRow[] = [
  ['an error is passed on', 'max-age=1', 5, DOWN, 'origin'],
  ['stale-if-error', 'max-age=1, stale-if-error=60', 5, DOWN, 'stale'],
  [
    'stale-if-error where nobody answers',
    'max-age=1, stale-if-error=60',
    5,
    { error: true },
    'stale',
  ],
  ['stale-if-error is over', 'max-age=1, stale-if-error=60', 62, DOWN, 'origin'],
  ['stale-if-error is not about 404', 'max-age=1, stale-if-error=60', 5, { status: 404 }, 'origin'],
  ['stale-if-error of the request', 'max-age=1', 5, DOWN, 'stale', control('stale-if-error=60')],
  [
    'must-revalidate forbids it',
    'max-age=1, must-revalidate, stale-if-error=60',
    5,
    DOWN,
    'origin',
  ],
  [
    'proxy-revalidate forbids it',
    'max-age=1, proxy-revalidate, stale-if-error=60',
    5,
    DOWN,
    'origin',
  ],
  ['no-cache forbids it', 'no-cache, stale-if-error=60', 5, DOWN, 'origin'],
  ['stale-if-error beside s-maxage', 's-maxage=1, stale-if-error=60', 5, DOWN, 'stale'],
  [
    'must-revalidate forbids stale-while-revalidate',
    'max-age=1, must-revalidate, stale-while-revalidate=60',
    5,
    {},
    'origin',
  ],
  ['stale-while-revalidate is over', 'max-age=1, stale-while-revalidate=60', 62, {}, 'origin'],
  [
    'stale-while-revalidate is not for who wants it fresh',
    'max-age=1, stale-while-revalidate=60',
    5,
    {},
    'origin',
    control('max-age=1'),
  ],
  [
    'nor for who says no-cache',
    'max-age=1, stale-while-revalidate=60',
    5,
    {},
    'origin',
    control('no-cache'),
  ],
]

const behind: ContractCase = {
  name: 'http: stale-while-revalidate answers at once and asks once behind it',
  async run() {
    const harness = createHarness()
    const headers = control('max-age=1, stale-while-revalidate=60')
    await takeSteps([{ origin: { headers } }], harness)
    harness.nowMs += 5000
    harness.origin = () => new Response('new', { headers })
    const asked = { rule: { mode: 'http' } } as const
    const answers = await Promise.all([1, 2, 3].map(() => harness.get(PAGE, asked)))
    same(
      answers.map(({ body }) => body),
      ['#0', '#0', '#0'],
      'while it is refreshed',
    )
    for (let turn = 0; turn < 50 && (await harness.get(PAGE, asked)).body !== 'new'; turn++);
    same((await harness.get(PAGE, asked)).body, 'new', 'after it')
    same(harness.seen.length, 2, 'requests at the origin')
  },
}

/** Validation with the origin, and stale answers. */
export const httpStaleContract = (): ContractCase[] => [
  ...validating,
  ...UPDATES.map(([field, stored, in304, after]) =>
    stepsCase(`304: ${field}`, [
      {
        origin: { headers: { ...control('max-age=10'), 'x-b': '1', etag: '"a"', [field]: stored } },
        from: 'origin',
      },
      {
        after: 10,
        headers: control('no-cache'),
        origin: { status: 304, headers: { etag: '"a"', [field]: in304 } },
        from: 'validated',
        answered: { [field]: after, 'x-b': '1', 'content-length': '2' },
      },
      { from: 'cache', answered: { [field]: after, 'x-b': '1' } },
    ]),
  ),
  ...STALE.map(([name, stored, after, origin, from, headers = {}]) =>
    stepsCase(`stale: ${name}`, [
      { origin: { headers: control(stored) }, from: 'origin' },
      {
        after,
        headers,
        ...(origin ? { origin } : {}),
        ...(from === 'stale' ? { from: 'validated' as const, status: 200, body: '#0' } : { from }),
      },
    ]),
  ),
  behind,
]
