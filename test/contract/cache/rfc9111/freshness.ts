import { dateIn, type From } from '../http-mode/harness.ts'
import { answered, control, lived, type Sentence } from './sentence.ts'

const expires = (says: string, text: string, from: From): Sentence =>
  lived('4.2', says, { expires: text }, 30, from)

/** Sections 4.2 to 4.2.3: how long an answer is fresh, and how old it is. */
export const FRESHNESS: readonly Sentence[] = [
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
