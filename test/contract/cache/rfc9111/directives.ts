import type { Fields, From } from '../http-mode/harness.ts'
import { answered, control, lived, type Sentence } from './sentence.ts'

const HOUR = control('max-age=3600')
const BASIC = { authorization: 'Basic dTpw' }

const asked = (
  section: string,
  says: string,
  stored: Fields,
  after: number,
  directive: string,
  from: From,
  status = 200,
): Sentence => [
  section,
  says,
  [answered(stored), { after, headers: control(directive), from, status }],
]

const OF_REQUESTS: Sentence[] = [
  asked('5.2.1.1', 'max-age refuses what is older', HOUR, 11, 'max-age=10', 'origin'),
  asked('5.2.1.1', 'and takes what is as old', HOUR, 10, 'max-age=10', 'cache'),
  asked(
    '5.2.1.2',
    'max-stale takes what is stale',
    control('max-age=1'),
    300,
    'max-stale',
    'cache',
  ),
  asked('5.2.1.2', 'up to so many seconds', control('max-age=1'), 12, 'max-stale=10', 'origin'),
  asked(
    '5.2.1.3',
    'min-fresh refuses what is fresh for a shorter time',
    HOUR,
    3000,
    'min-fresh=700',
    'origin',
  ),
  asked('5.2.1.3', 'and takes the rest', HOUR, 3000, 'min-fresh=500', 'cache'),
  asked('5.2.1.4', 'no-cache has it validated', HOUR, 1, 'no-cache', 'origin'),
  asked('5.2.1.4', 'in any case', HOUR, 1, 'NO-CACHE', 'origin'),
  [
    '5.2.1.5',
    'no-store keeps the answer out',
    [answered(HOUR, { headers: control('no-store') }), answered(HOUR, { body: '#1' })],
  ],
  asked('5.2.1.5', 'but takes what is stored', HOUR, 1, 'no-store', 'cache'),
  [
    '5.2.1.5',
    'and does not end it for others when it is validated',
    [
      answered({ ...control('max-age=1'), etag: '"a"' }),
      {
        after: 2,
        headers: control('no-store'),
        origin: { status: 304, headers: HOUR },
        from: 'validated',
        body: '#0',
      },
      { origin: { status: 304 }, from: 'validated', body: '#0' },
    ],
  ],
  asked('5.2.1.7', 'only-if-cached takes what is stored', HOUR, 1, 'only-if-cached', 'cache'),
  asked(
    '5.2.1.7',
    'and 504 for what is stale',
    control('max-age=1'),
    5,
    'only-if-cached',
    'neither',
    504,
  ),
  [
    '5.2.1.7',
    '504 where nothing is stored',
    [{ headers: control('only-if-cached'), from: 'neither', status: 504 }],
  ],
  [
    '5.2.1.7',
    '504 where what is stored is for others',
    [
      answered(HOUR),
      { headers: { ...control('only-if-cached'), ...BASIC }, from: 'neither', status: 504 },
    ],
  ],
]

const OF_ANSWERS: Sentence[] = [
  lived('5.2', 'names count in any case', control('MAX-AGE=60'), 30, 'cache'),
  lived('5.2', 'arguments may be quoted', control('max-age="60"'), 30, 'cache'),
  lived(
    '5.2',
    'a directive in the quotes of another one is none',
    control('x="a, no-store", max-age=60'),
    30,
    'cache',
  ),
  [
    '5.2',
    'directives are passed on, both ways',
    [
      {
        headers: control('max-age=9, x=1'),
        origin: { headers: control('max-age=60, y="2"') },
        asked: control('max-age=9, x=1'),
        answered: control('max-age=60, y="2"'),
      },
      { from: 'cache', answered: control('max-age=60, y="2"') },
    ],
  ],
  lived('5.2.2.1', 'max-age is how long it is fresh', control('max-age=60'), 60, 'origin'),
  lived(
    '5.2.2.2',
    'must-revalidate lets it be used while it is fresh',
    control('max-age=60, must-revalidate'),
    59,
    'cache',
  ),
  asked(
    '5.2.2.2',
    'and not after, whatever the client says',
    control('max-age=1, must-revalidate'),
    5,
    'max-stale',
    'origin',
  ),
  lived(
    '5.2.2.3',
    'must-understand: no-store beside it is not looked at where the status is known',
    control('must-understand, no-store, max-age=60'),
    1,
    'cache',
  ),
  lived(
    '5.2.2.3',
    'it is where it is not',
    control('must-understand, no-store, max-age=60'),
    1,
    'origin',
    { status: 299 },
  ),
  [
    '5.2.2.4',
    'no-cache is validated each time',
    [
      answered({ ...control('no-cache, max-age=60'), etag: '"a"' }),
      { origin: { status: 304 }, from: 'validated' },
      { headers: control('max-stale'), origin: { status: 304 }, from: 'validated' },
    ],
  ],
  [
    '5.2.2.4',
    'with names of fields these alone are kept from others',
    [
      answered({
        ...control('max-age=60, no-cache="X-A, x-b"'),
        'x-a': '1',
        'x-b': '1',
        'x-c': '1',
      }),
      { from: 'cache', answered: { 'x-a': null, 'x-b': null, 'x-c': '1' } },
    ],
  ],
  lived('5.2.2.5', 'no-store', control('no-store'), 0, 'origin'),
  lived('5.2.2.7', 'private', control('PRIVATE, max-age=60'), 0, 'origin'),
  lived(
    '5.2.2.7',
    'private beside its form with names',
    control('private="x", private, max-age=60'),
    0,
    'origin',
  ),
  asked(
    '5.2.2.8',
    'proxy-revalidate is must-revalidate for a shared cache',
    control('max-age=1, proxy-revalidate'),
    5,
    'max-stale',
    'origin',
  ),
  lived(
    '5.2.2.9',
    'public lets an answer to Authorization be stored',
    control('public, max-age=60'),
    1,
    'cache',
    { headers: BASIC },
  ),
  lived('5.2.2.10', 's-maxage overrides max-age', control('max-age=60, s-maxage=10'), 10, 'origin'),
  lived('5.2.2.10', 'and Expires', { ...control('s-maxage=60'), expires: '0' }, 30, 'cache'),
  asked('5.2.2.10', 'and forbids what is stale', control('s-maxage=1'), 5, 'max-stale', 'origin'),
  lived(
    '5.2.3',
    'unknown directives are ignored',
    control('foo, bar=1, baz="x", max-age=60'),
    30,
    'cache',
  ),
]

/** Section 5.2: Cache-Control of requests and of answers. */
export const DIRECTIVES: readonly Sentence[] = [...OF_REQUESTS, ...OF_ANSWERS]
