import { PAGE, type Fields, type From } from '../http-mode/harness.ts'
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

/** Sections 4, 4.1 and 4.2.4: which stored answer is used, and when one that is stale. */
export const CONSTRUCTING: readonly Sentence[] = [...MATCHING, ...VARYING, ...SERVING_STALE]
