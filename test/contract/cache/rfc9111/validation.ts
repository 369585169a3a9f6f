import { dateIn, PAGE, type Fields, type From, type Step } from '../http-mode/harness.ts'
import { answered, control, type Sentence } from './sentence.ts'

const SHORT = control('max-age=1')
const HOUR = control('max-age=3600')
const MODIFIED = 'Thu, 01 Jan 2015 00:00:00 GMT'
const TAGGED = { ...SHORT, etag: '"a"' }

const asking = (
  section: string,
  says: string,
  stored: Fields,
  asked: Record<string, string | null>,
  headers: Fields = {},
): Sentence => [
  section,
  says,
  [
    answered(stored),
    { after: 5, headers, origin: { status: 304 }, from: 'validated', body: '#0', asked },
  ],
]

const SENDING: Sentence[] = [
  asking('4.3.1', 'the stored ETag is sent', TAGGED, { 'if-none-match': '"a"' }),
  asking('4.3.1', 'a weak one too', { ...SHORT, etag: 'W/"a"' }, { 'if-none-match': 'W/"a"' }),
  asking(
    '4.3.1',
    'the stored Last-Modified is sent',
    { ...SHORT, 'last-modified': MODIFIED },
    { 'if-modified-since': MODIFIED },
  ),
  asking(
    '4.3.1',
    'both are sent',
    { ...TAGGED, 'last-modified': MODIFIED },
    { 'if-none-match': '"a"', 'if-modified-since': MODIFIED },
  ),
  asking(
    '4.3.1',
    'in place of what the client has',
    TAGGED,
    { 'if-none-match': '"a"', 'if-modified-since': null, range: null },
    { 'if-none-match': '"z"', 'if-modified-since': MODIFIED },
  ),
]

const condition = (says: string, stored: Fields, headers: Fields, status: number): Sentence => [
  '4.3.2',
  says,
  [answered({ ...HOUR, ...stored }), { after: 1, headers, from: 'cache', status }],
]

const RECEIVING: Sentence[] = [
  condition('If-None-Match that matches', { etag: '"a"' }, { 'if-none-match': '"x", "a"' }, 304),
  condition('If-None-Match that does not', { etag: '"a"' }, { 'if-none-match': '"b"' }, 200),
  condition(
    'If-None-Match before If-Modified-Since',
    { etag: '"a"', 'last-modified': MODIFIED },
    { 'if-none-match': '"b"', 'if-modified-since': MODIFIED },
    200,
  ),
  condition(
    'If-Modified-Since of the stored date',
    { 'last-modified': MODIFIED },
    { 'if-modified-since': MODIFIED },
    304,
  ),
  condition(
    'If-Modified-Since of an earlier date',
    { 'last-modified': MODIFIED },
    { 'if-modified-since': 'Wed, 31 Dec 2014 23:59:59 GMT' },
    200,
  ),
  condition(
    'without Last-Modified the Date is compared',
    { date: dateIn(0) },
    { 'if-modified-since': dateIn(0) },
    304,
  ),
  condition(
    'also one before the stored Date',
    { date: dateIn(0) },
    { 'if-modified-since': dateIn(-1) },
    200,
  ),
  condition('without Date the time it was received', {}, { 'if-modified-since': dateIn(0) }, 304),
  ...[{ 'if-match': '"z"' }, { 'if-unmodified-since': MODIFIED }].map((headers): Sentence => [
    '4.3.2',
    `${Object.keys(headers).join()} is the business of the origin`,
    [
      answered({ ...HOUR, etag: '"a"', 'last-modified': dateIn(-9) }),
      { headers, from: 'origin', asked: headers },
    ],
  ]),
]

const RESPONDING: Sentence[] = [
  [
    '4.3.3',
    'a 304 makes the stored answer fresh',
    [
      answered(TAGGED),
      {
        after: 5,
        origin: { status: 304, headers: control('max-age=60') },
        from: 'validated',
        status: 200,
        body: '#0',
      },
      { after: 59, from: 'cache', body: '#0', answered: { age: '59' } },
    ],
  ],
  [
    '4.3.3',
    'a whole answer is used in its place',
    [
      answered(TAGGED),
      answered({ ...HOUR, etag: '"b"' }, { after: 5, body: '#1' }),
      { from: 'cache', body: '#1', answered: { etag: '"b"' } },
    ],
  ],
  [
    '4.3.3',
    'an error of the origin is passed on',
    [
      answered(TAGGED),
      { after: 5, origin: { status: 503 }, from: 'origin', status: 503 },
      { origin: { status: 304 }, from: 'validated', body: '#0' },
    ],
  ],
  [
    '4.3.3',
    'or the stored answer where that is allowed',
    [
      answered(control('max-age=1, stale-if-error=60')),
      { after: 5, origin: { error: true }, from: 'validated', status: 200, body: '#0' },
    ],
  ],
]

/** A stored answer, a 304 with other validators, and whether it was about the stored one. */
const about = (says: string, stored: Fields, in304: Fields, from: From): Sentence => [
  '4.3.4',
  says,
  [
    answered({ ...SHORT, ...stored }),
    { after: 5, origin: { status: 304, headers: { ...HOUR, ...in304 } }, from },
    { from: from === 'validated' ? 'cache' : 'origin' },
  ],
]

const FRESHENING: Sentence[] = [
  about('the same strong ETag', { etag: '"a"' }, { etag: '"a"' }, 'validated'),
  about('another strong ETag', { etag: '"a"' }, { etag: '"b"' }, 'origin'),
  about('a strong ETag for a weak one', { etag: 'W/"a"' }, { etag: '"a"' }, 'origin'),
  about('a strong ETag for none', { 'last-modified': MODIFIED }, { etag: '"a"' }, 'origin'),
  about('the same weak ETag', { etag: 'W/"a"' }, { etag: 'W/"a"' }, 'validated'),
  about('another weak ETag', { etag: 'W/"a"' }, { etag: 'W/"b"' }, 'origin'),
  about(
    'the same Last-Modified',
    { 'last-modified': MODIFIED },
    { 'last-modified': MODIFIED },
    'validated',
  ),
  about(
    'another Last-Modified',
    { 'last-modified': MODIFIED },
    { 'last-modified': dateIn(-9) },
    'origin',
  ),
  about('no validator at all', { etag: '"a"' }, {}, 'validated'),
]

const HEADS: Sentence[] = [
  [
    '4.3.5',
    'HEAD of something stale updates what is stored',
    [
      answered(TAGGED),
      {
        after: 5,
        method: 'HEAD',
        origin: { status: 304, headers: { ...HOUR, 'x-a': '1' } },
        from: 'validated',
        body: '',
      },
      { from: 'cache', body: '#0', answered: { 'x-a': '1' } },
    ],
  ],
  [
    '4.3.5',
    'or replaces it',
    [
      answered(TAGGED),
      answered({ ...HOUR, etag: '"b"' }, { after: 5, method: 'HEAD', body: '' }),
      { from: 'cache', body: '#1', answered: { etag: '"b"' } },
    ],
  ],
]

const OTHER = 'http://a.test/form'
const unsafe = (
  says: string,
  step: Partial<Step> & { status?: number },
  from: From,
  headers: Fields = {},
): Sentence => [
  '4.4',
  says,
  [answered(HOUR), answered(headers, { method: 'POST', ...step }), { from }],
]

const INVALIDATION: Sentence[] = [
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'MKCOL', 'PROPPATCH'].map((method) =>
    unsafe(`${method} makes its address invalid`, { method }, 'origin'),
  ),
  ...['OPTIONS', 'PROPFIND'].map((method) =>
    unsafe(`${method}, which is safe, does not`, { method }, 'cache'),
  ),
  ...[201, 204, 302, 303].map((status) => unsafe(`after ${status}`, { status }, 'origin')),
  ...[400, 403, 404, 500, 503].map((status) => unsafe(`not after ${status}`, { status }, 'cache')),
  unsafe('Location is invalid too', { url: OTHER }, 'origin', { location: '/page' }),
  unsafe('Content-Location is', { url: OTHER }, 'origin', { 'content-location': PAGE }),
  unsafe('not after an error', { url: OTHER, status: 409 }, 'cache', { location: '/page' }),
  unsafe('nobody reaches into another origin by Location', { url: 'http://b.test/form' }, 'cache', {
    location: PAGE,
  }),
  unsafe('nor by Content-Location', { url: 'http://b.test/form' }, 'cache', {
    'content-location': PAGE,
  }),
  unsafe('nor from another scheme', { url: 'https://a.test/form' }, 'cache', { location: PAGE }),
  [
    '4.4',
    'every selected answer of the address is',
    [
      answered({ ...HOUR, vary: 'x-a' }, { headers: { 'x-a': '1' } }),
      answered({ ...HOUR, vary: 'x-a' }, { headers: { 'x-a': '2' } }),
      answered({}, { method: 'POST' }),
      answered(HOUR, { headers: { 'x-a': '1' }, body: '#3' }),
    ],
  ],
]

/** Sections 4.3 and 4.4: asking whether an answer holds, and ending it. */
export const VALIDATION: readonly Sentence[] = [
  ...SENDING,
  ...RECEIVING,
  ...RESPONDING,
  ...FRESHENING,
  ...HEADS,
  ...INVALIDATION,
]
