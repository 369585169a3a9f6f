import { dateIn, type Fields, type From } from '../http-mode/harness.ts'
import { answered, control, lived, type Sentence } from './sentence.ts'

const HOUR = control('max-age=3600')

const AGE: Sentence[] = [
  ...(
    [
      ['7200, 0', 'origin'],
      ['0, 7200', 'cache'],
      ['0, 0', 'cache'],
      ['3000, 3600', 'cache'],
    ] as const
  ).map(([age, from]) =>
    lived('5.1', `of several values the first counts: ${age}`, { ...HOUR, age }, 1, from),
  ),
  ...['abc', '-7200', '7200.0', '7200;foo=bar', '7200;foo=111', '"7200"', ''].map((age) =>
    lived('5.1', `an invalid one is ignored: ${age}`, { ...HOUR, age }, 1, 'cache'),
  ),
  ...['2147483647', '2147483648', '99999999999999999999'].map((age) =>
    lived('5.1', `one that is too large is very old: ${age}`, { ...HOUR, age }, 1, 'origin'),
  ),
]

const lifetime = (says: string, headers: Fields, after: number, from: From): Sentence =>
  lived('5.3', says, headers, after, from)

const EXPIRES: Sentence[] = [
  lifetime(
    'Expires beside max-age is ignored',
    { ...control('max-age=1'), expires: dateIn(60) },
    30,
    'origin',
  ),
  lifetime(
    'also beside one that cannot be read',
    { ...control('max-age=x'), expires: dateIn(60) },
    0,
    'origin',
  ),
  lifetime('beside s-maxage too', { ...control('s-maxage=1'), expires: dateIn(60) }, 30, 'origin'),
  lifetime('0 is the past', { expires: '0' }, 0, 'origin'),
  lifetime('so is what is no date', { expires: 'never' }, 0, 'origin'),
  lifetime('and the time of the Date', { expires: dateIn(0), date: dateIn(0) }, 0, 'origin'),
]

const PRAGMA: Sentence[] = [
  [
    '5.4',
    'Pragma: no-cache counts without Cache-Control',
    [answered(HOUR), answered(HOUR, { headers: { pragma: 'no-cache' } })],
  ],
  [
    '5.4',
    'and not beside it',
    [answered(HOUR), { headers: { pragma: 'no-cache', ...control('max-age=99') }, from: 'cache' }],
  ],
  lived('5.4', 'of an answer it means nothing', { ...HOUR, pragma: 'no-cache' }, 1, 'cache'),
]

/** Sections 5.1, 5.3 and 5.4: Age, Expires and Pragma. */
export const TIMES: readonly Sentence[] = [...AGE, ...EXPIRES, ...PRAGMA]
