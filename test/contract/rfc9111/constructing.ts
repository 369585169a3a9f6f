import { dateIn, PAGE, type Fields, type From } from '../http-cache-harness.ts'
import { answered, control, type Sentence } from './sentence.ts'

const HOUR = control('max-age=3600')
const vary = (names: string): Fields => ({ ...HOUR, vary: names })

const MATCHING: Sentence[] = [
  ...[
    `${PAGE}?a`,
    `${PAGE}/`,
    'http://a.test/Page',
    'http://b.test/page',
    'https://a.test/page',
  ].map((url): Sentence => [
    '4',
    `another address is another answer: ${url}`,
    [answered(HOUR), answered(HOUR, { url })],
  ]),
  [
    '4',
    'an answer to GET serves HEAD',
    [
      answered(HOUR),
      { method: 'HEAD', from: 'cache', body: '', answered: { 'content-length': '2' } },
    ],
  ],
  [
    '4',
    'an answer to HEAD does not serve GET',
    [answered(HOUR, { method: 'HEAD' }), answered(HOUR, { body: '#1' })],
  ],
  [
    '4',
    'no-cache is used only after it was validated',
    [
      answered({ ...control('no-cache, max-age=60'), etag: '"a"' }),
      { origin: { status: 304 }, from: 'validated', body: '#0' },
      answered(HOUR, { body: '#2' }),
    ],
  ],
  [
    '4',
    'Age is made anew, in place of the one it came with',
    [answered({ ...HOUR, age: '5' }), { after: 3, from: 'cache', answered: { age: '8' } }],
  ],
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'MKCOL'].map((method): Sentence => [
    '4',
    `${method} is written through whatever is stored`,
    [answered(HOUR), answered({}, { method, body: '#1' })],
  ]),
  [
    '4',
    'the newest answer is the one that is used',
    [
      answered(HOUR),
      answered(HOUR, { after: 1, headers: control('no-cache'), body: '#1' }),
      { from: 'cache', body: '#1' },
    ],
  ],
]

const row = (says: string, names: string, first: Fields, second: Fields, from: From): Sentence => [
  '4.1',
  says,
  [answered(vary(names), { headers: first }), answered(vary(names), { headers: second, from })],
]

const VARYING: Sentence[] = [
  row('a request that says the same matches', 'x-a', { 'x-a': '1' }, { 'x-a': '1' }, 'cache'),
  row('one that says something else does not', 'x-a', { 'x-a': '1' }, { 'x-a': '2' }, 'origin'),
  row('absent matches absent', 'x-a', {}, {}, 'cache'),
  row('absent does not match what is there', 'x-a', {}, { 'x-a': '1' }, 'origin'),
  row(
    'all of several must match',
    'x-a, x-b',
    { 'x-a': '1', 'x-b': '1' },
    { 'x-a': '1', 'x-b': '2' },
    'origin',
  ),
  row('blanks around commas do not matter', 'x-a', { 'x-a': '1,2' }, { 'x-a': '1 , 2' }, 'cache'),
  row(
    'nor the case of a language',
    'accept-language',
    { 'accept-language': 'EN' },
    { 'accept-language': 'en' },
    'cache',
  ),
  row(
    'the order of codings does not',
    'accept-encoding',
    { 'accept-encoding': 'br, gzip' },
    { 'accept-encoding': 'gzip, br' },
    'cache',
  ),
  row('* matches nothing', '*', {}, {}, 'origin'),
  row('* beside names matches nothing', 'x-a, *', { 'x-a': '1' }, { 'x-a': '1' }, 'origin'),
  [
    '4.1',
    'each request gets the one that was chosen for it',
    [
      answered(vary('x-a'), { headers: { 'x-a': '1' } }),
      answered(vary('x-a'), { headers: { 'x-a': '2' } }),
      { headers: { 'x-a': '1' }, from: 'cache', body: '#0' },
      { headers: { 'x-a': '2' }, from: 'cache', body: '#1' },
    ],
  ],
  [
    '4.1',
    'a default that forgets Vary does not take the place of those that say it',
    [
      answered(vary('x-a'), { headers: { 'x-a': '1' } }),
      answered(HOUR, { body: '#1' }),
      { headers: { 'x-a': '1' }, from: 'cache', body: '#0' },
      { from: 'cache', body: '#1' },
      answered(vary('x-a'), { headers: { 'x-a': '2' }, body: '#4' }),
      { from: 'cache', body: '#1' },
    ],
  ],
  [
    '4.1',
    'it does once none of those is fresh any more',
    [
      answered({ ...control('max-age=5'), vary: 'x-a' }, { headers: { 'x-a': '1' } }),
      answered(HOUR, { after: 5, headers: { 'x-a': '2' } }),
      { headers: { 'x-a': '3' }, from: 'cache', body: '#1' },
    ],
  ],
]

const lived = (
  section: string,
  says: string,
  headers: Fields,
  after: number,
  from: From,
): Sentence => [section, says, [answered(headers), answered(headers, { after, from })]]
const expires = (says: string, text: string, from: From): Sentence =>
  lived('4.2', says, { expires: text }, 30, from)

const FRESHNESS: Sentence[] = [
  lived('4.2', 'fresh is what is younger than its lifetime', control('max-age=60'), 59, 'cache'),
  lived('4.2', 'and not what is as old', control('max-age=60'), 60, 'origin'),
  expires('a date may be in any case', 'THU, 18 aug 2050 02:01:18 gmt', 'cache'),
  expires('also in the form of RFC 850', 'thursday, 18-AUG-50 02:01:18 Gmt', 'cache'),
  expires('also in the form of asctime', 'thu aug 18 02:01:18 2050', 'cache'),
  expires('a zone other than GMT is none', 'Thu, 18 Aug 2050 02:01:18 UTC', 'origin'),
  expires('a date of another form is none', '2050-08-18T02:01:18Z', 'origin'),
  lived(
    '4.2.1',
    's-maxage comes first',
    { ...control('s-maxage=1, max-age=60'), expires: dateIn(60) },
    30,
    'origin',
  ),
  lived(
    '4.2.1',
    'then max-age',
    { ...control('max-age=60'), expires: dateIn(1), date: dateIn(0) },
    30,
    'cache',
  ),
  lived(
    '4.2.1',
    'then Expires less Date',
    { expires: dateIn(160), date: dateIn(100) },
    61,
    'origin',
  ),
  lived('4.2.1', 'of two values the first counts', control('max-age=60, max-age=1'), 30, 'cache'),
  lived(
    '4.2.1',
    'two Expires make it stale',
    { expires: `${dateIn(60)}, ${dateIn(90)}` },
    0,
    'origin',
  ),
  lived(
    '4.2.1',
    'of directives that disagree the strictest counts',
    control('max-age=60, no-cache'),
    1,
    'origin',
  ),
  ...['max-age=x', 'max-age=1.5', 'max-age=-1', 'max-age', 'max-age=""', "max-age='60'"].map(
    (text) => lived('4.2.1', `what cannot be read is stale: ${text}`, control(text), 0, 'origin'),
  ),
  [
    '4.2.2',
    'no heuristic beside explicit times',
    [
      answered({ expires: '0' }, { rule: { ttl: 60 } }),
      answered({ expires: '0' }, { rule: { ttl: 60 } }),
    ],
  ],
  lived('4.2.3', 'Age counts', { ...control('max-age=60'), age: '40' }, 20, 'origin'),
  lived(
    '4.2.3',
    'so does a Date of the past',
    { ...control('max-age=60'), date: dateIn(-40) },
    20,
    'origin',
  ),
  lived(
    '4.2.3',
    'the larger of both counts',
    { ...control('max-age=60'), age: '10', date: dateIn(-40) },
    20,
    'origin',
  ),
  lived(
    '4.2.3',
    'a Date of the future does not',
    { ...control('max-age=60'), date: dateIn(40) },
    59,
    'cache',
  ),
]

const DOWN = { status: 503 }
const stale = (says: string, cacheControl: string, from: From, request: Fields = {}): Sentence => [
  '4.2.4',
  says,
  [answered(control(cacheControl)), { after: 5, headers: request, origin: DOWN, from }],
]

const SERVING_STALE: Sentence[] = [
  stale('nothing stale is served that nobody allowed', 'max-age=1', 'origin'),
  stale(
    'nor where no-cache forbids it',
    'no-cache, stale-if-error=60',
    'origin',
    control('max-stale'),
  ),
  stale(
    'nor where must-revalidate does',
    'max-age=1, must-revalidate, stale-if-error=60',
    'origin',
    control('max-stale'),
  ),
  stale(
    'nor where proxy-revalidate does',
    'max-age=1, proxy-revalidate, stale-if-error=60',
    'origin',
    control('max-stale'),
  ),
  stale('nor where s-maxage does', 's-maxage=1', 'origin', control('max-stale, stale-if-error=60')),
  stale('the client may allow it', 'max-age=1', 'cache', control('max-stale')),
  stale('so may the origin', 'max-age=1, stale-if-error=60', 'validated'),
]

/** Section 4 up to 4.2: which stored answer is used, and until when. */
export const CONSTRUCTING: readonly Sentence[] = [
  ...MATCHING,
  ...VARYING,
  ...FRESHNESS,
  ...SERVING_STALE,
]
