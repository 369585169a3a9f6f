import type { ContractCase } from '../page-mode/cache-case.ts'
import { dateIn, reuseCase, type ReuseRow } from './harness.ts'

const control = (value: string): { answer: Record<string, string> } => ({
  answer: { 'cache-control': value },
})
const MINUTE = control('max-age=60')

/** How long an answer is fresh (RFC 9111, 4.2). */
const FRESHNESS: ReuseRow[] = [
  ['max-age: fresh for as long', MINUTE, 59, 'cache'],
  ['max-age: stale when it is reached', MINUTE, 60, 'origin'],
  ['max-age=0 is stale at once', control('max-age=0'), 0, 'origin'],
  ['s-maxage counts before a shorter max-age', control('max-age=1, s-maxage=60'), 30, 'cache'],
  ['s-maxage counts before a longer max-age', control('max-age=60, s-maxage=1'), 30, 'origin'],
  ['the first of two max-age counts', control('max-age=60, max-age=1'), 30, 'cache'],
  ['names of directives in any case', control('MAX-AGE=60'), 30, 'cache'],
  ['max-age in quotes', control('max-age="60"'), 30, 'cache'],
  ['directives without blanks between', control('public,max-age=60,x=y'), 30, 'cache'],
  ['max-age beyond 2^31 is the largest', control('max-age=99999999999'), 30, 'cache'],
  ['a negative max-age is stale', control('max-age=-1'), 0, 'origin'],
  ['max-age with a fraction is stale', control('max-age=60.5'), 0, 'origin'],
  ['max-age in single quotes is stale', control("max-age='60'"), 0, 'origin'],
  ['max-age without a value is stale', control('max-age'), 0, 'origin'],
  ['unknown directives do no harm', control('max-age=60, foo=bar, baz'), 30, 'cache'],
  ['a name that only ends so is none', control('x-max-age=60'), 0, 'origin'],
  ['Expires ahead of Date', { answer: { expires: dateIn(60), date: dateIn(0) } }, 30, 'cache'],
  ['Expires that was reached', { answer: { expires: dateIn(60), date: dateIn(0) } }, 60, 'origin'],
  ['Expires without Date', { answer: { expires: dateIn(60) } }, 30, 'cache'],
  ['Expires before Date', { answer: { expires: dateIn(-9), date: dateIn(0) } }, 0, 'origin'],
  ['Expires: 0', { answer: { expires: '0' } }, 0, 'origin'],
  [
    'Expires in another zone is none',
    { answer: { expires: 'Thu, 18 Aug 2050 02:01:18 EST' } },
    0,
    'origin',
  ],
  [
    'Expires without seconds is none',
    { answer: { expires: 'Thu, 18 Aug 2050 02:01 GMT' } },
    0,
    'origin',
  ],
  [
    'Expires with one digit of an hour is none',
    { answer: { expires: 'Thu, 18 Aug 2050 2:01:18 GMT' } },
    0,
    'origin',
  ],
  [
    'Expires in the form of RFC 850',
    { answer: { expires: 'Thursday, 18-Aug-50 02:01:18 GMT' } },
    30,
    'cache',
  ],
  [
    'Expires in the form of asctime',
    { answer: { expires: 'Thu Aug 18 02:01:18 2050' } },
    30,
    'cache',
  ],
  [
    'max-age counts before Expires',
    { answer: { expires: dateIn(60), 'cache-control': 'max-age=1' } },
    30,
    'origin',
  ],
  [
    'an unreadable max-age is not replaced by Expires',
    { answer: { expires: dateIn(60), 'cache-control': 'max-age=x' } },
    0,
    'origin',
  ],
  ['without any of them nothing is fresh', { answer: {} }, 0, 'origin'],
  [
    'Last-Modified alone makes nothing fresh',
    { answer: { 'last-modified': dateIn(-99_999) } },
    0,
    'origin',
  ],
  [
    'ttl is the lifetime where the origin names none',
    { answer: {}, rule: { ttl: 60 } },
    30,
    'cache',
  ],
  ['ttl ends too', { answer: {}, rule: { ttl: 60 } }, 60, 'origin'],
  ['ttl does not lengthen max-age', { ...control('max-age=1'), rule: { ttl: 60 } }, 30, 'origin'],
  [
    'ttl counts not for statuses of the moment',
    { answer: {}, status: 302, rule: { ttl: 60 } },
    30,
    'origin',
  ],
  [
    'ttl counts for any status that is public',
    { ...control('public'), status: 302, rule: { ttl: 60 } },
    30,
    'cache',
  ],
  [
    'ttl counts not for requests with cookies',
    { answer: {}, request: { cookie: 'a=1' }, rule: { ttl: 60 } },
    30,
    'origin',
  ],
]

/** How old an answer already is (RFC 9111, 4.2.3 and 5.1). */
const AGE: ReuseRow[] = [
  ['Age is taken off', { answer: { 'cache-control': 'max-age=60', age: '50' } }, 20, 'origin'],
  ['Age leaves the rest', { answer: { 'cache-control': 'max-age=60', age: '30' } }, 20, 'cache'],
  [
    'Age beyond the lifetime',
    { answer: { 'cache-control': 'max-age=60', age: '61' } },
    0,
    'origin',
  ],
  [
    'the first of several Age counts',
    { answer: { 'cache-control': 'max-age=60', age: '0, 99' } },
    30,
    'cache',
  ],
  [
    'the first of several Age counts, if it is the larger',
    { answer: { 'cache-control': 'max-age=60', age: '99, 0' } },
    0,
    'origin',
  ],
  [
    'an unreadable Age is ignored',
    { answer: { 'cache-control': 'max-age=60', age: 'old' } },
    30,
    'cache',
  ],
  [
    'a negative Age is ignored',
    { answer: { 'cache-control': 'max-age=60', age: '-50' } },
    30,
    'cache',
  ],
  [
    'Age with a fraction is ignored',
    { answer: { 'cache-control': 'max-age=60', age: '99.5' } },
    30,
    'cache',
  ],
  [
    'an old Date is an age',
    { answer: { 'cache-control': 'max-age=60', date: dateIn(-50) } },
    20,
    'origin',
  ],
  [
    'a Date in the future is no age',
    { answer: { 'cache-control': 'max-age=60', date: dateIn(500) } },
    30,
    'cache',
  ],
  [
    'an unreadable Date is no age',
    { answer: { 'cache-control': 'max-age=60', date: 'yesterday' } },
    30,
    'cache',
  ],
]

/** What may be stored at all (RFC 9111, 3). */
const STORING: ReuseRow[] = [
  ['no-store', control('no-store, max-age=60'), 0, 'origin'],
  ['private', control('private, max-age=60'), 0, 'origin'],
  ['private in any case', control('max-age=60, PRIVATE'), 0, 'origin'],
  ['private beside its qualified form', control('private="x", private, max-age=60'), 0, 'origin'],
  ['no-cache', control('no-cache, max-age=60'), 0, 'origin'],
  [
    'must-understand and a known status',
    control('must-understand, no-store, max-age=60'),
    30,
    'cache',
  ],
  [
    'must-understand and an unknown status',
    { ...control('must-understand, max-age=60'), status: 299 },
    0,
    'origin',
  ],
  ['Vary: *', { answer: { 'cache-control': 'max-age=60', vary: '*' } }, 0, 'origin'],
  [
    'Vary: * among others',
    { answer: { 'cache-control': 'max-age=60', vary: 'accept, *' } },
    0,
    'origin',
  ],
  ['no-store of the request', { ...MINUTE, request: { 'cache-control': 'no-store' } }, 0, 'origin'],
  ['no Content-Type is needed', MINUTE, 30, 'cache'],
  [
    'any Content-Type',
    { answer: { 'cache-control': 'max-age=60', 'content-type': 'image/png' } },
    30,
    'cache',
  ],
  ['Set-Cookie', { answer: { 'cache-control': 'max-age=60', 'set-cookie': 'a=1' } }, 0, 'origin'],
  [
    'Set-Cookie of an answer that is public',
    { answer: { 'cache-control': 'public, max-age=60', 'set-cookie': 'a=1' } },
    30,
    'cache',
  ],
  [
    'Set-Cookie that is taken out',
    { answer: { 'cache-control': 'max-age=60, no-cache="set-cookie"', 'set-cookie': 'a=1' } },
    30,
    'cache',
  ],
  [
    'a cookie in the request is no obstacle',
    { ...MINUTE, request: { cookie: 'PHPSESSID=1' } },
    30,
    'cache',
  ],
  [
    'a cookie that bypass_cookies names',
    { ...MINUTE, request: { cookie: 'mine=1' }, rule: { bypass_cookies: ['mine'] } },
    0,
    'origin',
  ],
  ['Authorization', { ...MINUTE, request: { authorization: 'Basic x' } }, 0, 'origin'],
  [
    'Authorization with public',
    { ...control('public, max-age=60'), request: { authorization: 'Basic x' } },
    30,
    'cache',
  ],
  [
    'Authorization with s-maxage',
    { ...control('s-maxage=60'), request: { authorization: 'Basic x' } },
    30,
    'cache',
  ],
  [
    'Authorization with must-revalidate',
    { ...control('max-age=60, must-revalidate'), request: { authorization: 'Basic x' } },
    30,
    'cache',
  ],
  [
    'Authorization with proxy-revalidate is not enough',
    { ...control('max-age=60, proxy-revalidate'), request: { authorization: 'Basic x' } },
    0,
    'origin',
  ],
]

const STATUSES = [
  200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 405, 410, 414, 499, 500, 501, 503,
  599,
]
const HEURISTIC = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

const statusRows: ReuseRow[] = STATUSES.flatMap((status): ReuseRow[] => [
  [`${status} with max-age`, { ...MINUTE, status }, 30, 'cache'],
  [
    `${status} by ttl`,
    { answer: {}, status, rule: { ttl: 60 } },
    30,
    HEURISTIC.includes(status) ? 'cache' : 'origin',
  ],
])

/** Which answers are stored, and for how long. */
export const httpStoringContract = (): ContractCase[] =>
  [...FRESHNESS, ...AGE, ...STORING, ...statusRows].map(reuseCase)
