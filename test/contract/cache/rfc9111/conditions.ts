import { dateIn, type Fields, type From, type Step } from '../http-mode/harness.ts'
import { answered, control, type Sentence } from './sentence.ts'

const HOUR = control('max-age=3600')
const MODIFIED = 'Thu, 01 Jan 2015 00:00:00 GMT'
const DATED = { ...HOUR, 'last-modified': MODIFIED }

type Seen = Partial<Pick<Step, 'body' | 'answered' | 'method'>>

const from = (
  section: string,
  says: string,
  stored: Fields,
  headers: Fields,
  status: number,
  seen: Seen = {},
  first = 200,
): Sentence => [
  section,
  says,
  [answered(stored, { status: first }), { after: 1, headers, from: 'cache', status, ...seen }],
]

const tags = (stored: string, sent: string, status: number): Sentence =>
  from(
    '8.8.3.2',
    `${sent} against ${stored}`,
    { ...HOUR, etag: stored },
    { 'if-none-match': sent },
    status,
  )

const COMPARING: Sentence[] = [
  tags('"1"', '"1"', 304),
  tags('"1"', 'W/"1"', 304),
  tags('W/"1"', '"1"', 304),
  tags('W/"1"', 'W/"2"', 200),
  tags('"1"', '"2"', 200),
  tags('"A"', '"a"', 200),
  tags('"a,b"', '"x", "a,b"', 304),
]

const since = (
  says: string,
  field: string,
  status: number,
  more: { method?: string; headers?: Fields } = {},
): Sentence =>
  from(
    '13.1.3',
    says,
    DATED,
    { 'if-modified-since': field, ...more.headers },
    status,
    more.method === undefined ? {} : { method: more.method },
  )

const SINCE: Sentence[] = [
  since('the stored date', MODIFIED, 304),
  since('a later one', dateIn(0), 304),
  since('an earlier one', 'Wed, 31 Dec 2014 00:00:00 GMT', 200),
  since('in the form of RFC 850', 'Thursday, 01-Jan-15 00:00:00 GMT', 304),
  since('in the form of asctime', 'Thu Jan  1 00:00:00 2015', 304),
  since('with HEAD', MODIFIED, 304, { method: 'HEAD' }),
  ...[
    '2030-01-01T00:00:00Z',
    '2030',
    'Jan 1 2030',
    'Tue, 01 Jan 2030 00:00:00 UTC',
    'never',
    '',
  ].map((field) => since(`what is no HTTP date is ignored: ${field}`, field, 200)),
  since('two dates are ignored', `${MODIFIED}, ${MODIFIED}`, 200),
  since('it is ignored beside If-None-Match', MODIFIED, 200, {
    headers: { 'if-none-match': '"x"' },
  }),
]

const ORDER: Sentence[] = [
  from('13.1.2', '* matches whatever is stored', HOUR, { 'if-none-match': '*' }, 304),
  from(
    '13.2.1',
    'conditions are ignored where the answer would be no success',
    { ...HOUR, etag: '"a"' },
    { 'if-none-match': '"a"' },
    404,
    {},
    404,
  ),
  from('13.2.1', 'also of dates', DATED, { 'if-modified-since': MODIFIED }, 410, {}, 410),
  from(
    '13.2.2',
    'a condition comes before a range',
    { ...HOUR, etag: '"a"' },
    { 'if-none-match': '"a"', range: 'bytes=0-0' },
    304,
  ),
  from(
    '13.2.2',
    'If-Range that matches',
    { ...HOUR, etag: '"a"' },
    { range: 'bytes=0-0', 'if-range': '"a"' },
    206,
    { body: '#' },
  ),
  from(
    '13.2.2',
    'If-Range that does not',
    { ...HOUR, etag: '"a"' },
    { range: 'bytes=0-0', 'if-range': '"b"' },
    200,
    { body: '#0' },
  ),
  from(
    '13.1.5',
    'If-Range of a weak tag does not',
    { ...HOUR, etag: 'W/"a"' },
    { range: 'bytes=0-0', 'if-range': 'W/"a"' },
    200,
    { body: '#0' },
  ),
  from(
    '13.1.5',
    'If-Range of a date',
    { ...DATED, date: dateIn(0) },
    { range: 'bytes=0-0', 'if-range': MODIFIED },
    206,
    { body: '#' },
  ),
  from(
    '13.1.5',
    'of the second in which it was made it matches nothing',
    { ...HOUR, 'last-modified': dateIn(0), date: dateIn(0) },
    { range: 'bytes=0-0', 'if-range': dateIn(0) },
    200,
    { body: '#0' },
  ),
  from(
    '13.1.5',
    'of another date it does not match',
    DATED,
    { range: 'bytes=0-0', 'if-range': dateIn(-9) },
    200,
    { body: '#0' },
  ),
  from('14.2', 'Range is about GET alone', HOUR, { range: 'bytes=0-0' }, 200, { method: 'HEAD' }),
]

const FULL = {
  ...HOUR,
  etag: '"a"',
  date: dateIn(-5),
  expires: dateIn(60),
  vary: 'x-z',
  'content-location': '/page.en',
  'last-modified': MODIFIED,
  'cdn-cache-control': 'max-age=60',
  'content-type': 'text/plain',
  'content-language': 'en',
}

const NOT_MODIFIED: Sentence[] = [
  from(
    '15.4.5',
    'a 304 says what a 200 would have said of caching',
    FULL,
    { 'if-none-match': '"a"' },
    304,
    {
      body: '',
      answered: {
        'cache-control': HOUR['cache-control'] ?? '',
        'content-location': '/page.en',
        date: dateIn(-5),
        etag: '"a"',
        expires: dateIn(60),
        vary: 'x-z',
        age: '6',
      },
    },
  ),
  from('15.4.5', 'and nothing of the body', FULL, { 'if-none-match': '"a"' }, 304, {
    answered: { 'content-type': null, 'content-length': null, 'content-language': null },
  }),
  [
    '15.4.5',
    'also where it was validated for that',
    [
      answered({ ...control('max-age=1'), etag: '"a"' }),
      {
        after: 5,
        headers: { 'if-none-match': '"a"' },
        origin: { status: 304, headers: { ...HOUR, etag: '"a"', date: dateIn(5) } },
        from: 'validated',
        status: 304,
        answered: { 'cache-control': HOUR['cache-control'] ?? '', etag: '"a"', date: dateIn(5) },
      },
    ],
  ],
]

const MESSAGES: Sentence[] = [
  [
    '6.6.1',
    'a Date is added that is missing',
    [answered(HOUR), { after: 9, from: 'cache', answered: { date: dateIn(0) } }],
  ],
  [
    '6.6.1',
    'one that is there stays',
    [
      answered({ ...HOUR, date: dateIn(-7) }),
      { after: 9, from: 'cache', answered: { date: dateIn(-7) } },
    ],
  ],
  [
    '8.6',
    'HEAD tells the length of what GET would get',
    [
      answered(HOUR),
      { method: 'HEAD', from: 'cache', body: '', answered: { 'content-length': '2' } },
    ],
  ],
]

/** RFC 9110, as far as it is about caches: validators, conditions and 304. */
export const CONDITIONS: readonly Sentence[] = [
  ...COMPARING,
  ...SINCE,
  ...ORDER,
  ...NOT_MODIFIED,
  ...MESSAGES,
]

const targeted = (says: string, headers: Fields, after: number, source: From): Sentence => [
  '2.2',
  says,
  [answered(headers), answered(headers, { after, from: source })],
]

/** RFC 9213: what a field for caches like this one says in place of Cache-Control. */
export const TARGETED: readonly Sentence[] = [
  targeted(
    'it counts in place of Cache-Control',
    { ...control('no-store'), 'cdn-cache-control': 'max-age=60' },
    30,
    'cache',
  ),
  targeted(
    'also where it is stricter',
    { ...HOUR, 'cdn-cache-control': 'max-age=1' },
    30,
    'origin',
  ),
  targeted(
    'and in place of Expires',
    { expires: dateIn(60), 'cdn-cache-control': 'max-age=1' },
    30,
    'origin',
  ),
  targeted('private', { ...HOUR, 'cdn-cache-control': 'private' }, 0, 'origin'),
  targeted('no-cache', { ...HOUR, 'cdn-cache-control': 'no-cache' }, 0, 'origin'),
  targeted('no-store', { ...HOUR, 'cdn-cache-control': 'no-store' }, 0, 'origin'),
  targeted('Age counts', { 'cdn-cache-control': 'max-age=3600', age: '7200' }, 0, 'origin'),
  targeted(
    'what is no dictionary is ignored',
    { ...control('no-store'), 'cdn-cache-control': 'max-age=60, &&&&' },
    0,
    'origin',
  ),
  targeted(
    'a value of another type is none',
    { ...control('no-store'), 'cdn-cache-control': 'max-age="60"' },
    0,
    'origin',
  ),
  targeted(
    'unknown members are ignored',
    { 'cdn-cache-control': 'foobar, max-age=60' },
    30,
    'cache',
  ),
]
