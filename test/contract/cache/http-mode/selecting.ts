import type { ContractCase } from '../page-mode/cache-case.ts'
import { holds, same, contractCase } from '../page-mode/cache-case.ts'
import { createHarness } from '../page-mode/cache-harness.ts'
import { PAGE, stepsCase, takeSteps, type Fields, type Step } from './harness.ts'

type VaryRow = readonly [
  name: string,
  vary: string,
  first: Fields,
  second: Fields,
  from: 'cache' | 'origin',
]

/** Whether a request selects the answer to another one (RFC 9111, 4.1). */
const VARY: VaryRow[] = [
  ['the same value', 'x-a', { 'x-a': '1' }, { 'x-a': '1' }, 'cache'],
  ['another value', 'x-a', { 'x-a': '1' }, { 'x-a': '2' }, 'origin'],
  ['absent in both', 'x-a', {}, {}, 'cache'],
  ['absent in the second', 'x-a', { 'x-a': '1' }, {}, 'origin'],
  ['absent in the first', 'x-a', {}, { 'x-a': '1' }, 'origin'],
  ['absent is not empty', 'x-a', {}, { 'x-a': '' }, 'origin'],
  ['names in any case', 'X-A', { 'x-a': '1' }, { 'x-a': '2' }, 'origin'],
  ['values differ by case', 'x-a', { 'x-a': 'a' }, { 'x-a': 'A' }, 'origin'],
  [
    'two names, both the same',
    'x-a, x-b',
    { 'x-a': '1', 'x-b': '2' },
    { 'x-b': '2', 'x-a': '1' },
    'cache',
  ],
  [
    'two names, one differs',
    'x-a, x-b',
    { 'x-a': '1', 'x-b': '2' },
    { 'x-a': '1', 'x-b': '3' },
    'origin',
  ],
  [
    'values change places',
    'x-a, x-b',
    { 'x-a': '1', 'x-b': '2' },
    { 'x-a': '2', 'x-b': '1' },
    'origin',
  ],
  ['blanks around commas do not matter', 'x-a', { 'x-a': '1,2' }, { 'x-a': '1 ,  2' }, 'cache'],
  [
    'other headers do not matter',
    'x-a',
    { 'x-a': '1', 'x-b': '1' },
    { 'x-a': '1', 'x-b': '2' },
    'cache',
  ],
  ['cookies, where the origin says so', 'cookie', { cookie: 'a=1' }, { cookie: 'a=2' }, 'origin'],
  [
    'languages in any case',
    'accept-language',
    { 'accept-language': 'EN' },
    { 'accept-language': 'en' },
    'cache',
  ],
  [
    'other languages',
    'accept-language',
    { 'accept-language': 'en' },
    { 'accept-language': 'de' },
    'origin',
  ],
  [
    'codings in another order',
    'accept-encoding',
    { 'accept-encoding': 'gzip, br' },
    { 'accept-encoding': 'br,gzip' },
    'cache',
  ],
  [
    'fewer codings',
    'accept-encoding',
    { 'accept-encoding': 'gzip, br' },
    { 'accept-encoding': 'gzip' },
    'origin',
  ],
  [
    'a coding that is refused',
    'accept-encoding',
    { 'accept-encoding': 'gzip' },
    { 'accept-encoding': 'gzip;q=0' },
    'origin',
  ],
]

const HOUR = { 'cache-control': 'max-age=3600' }
const varying = (name: string): NonNullable<Step['origin']> => ({
  headers: { ...HOUR, vary: name },
})

/** The address, and what the answer depends on. */
const ADDRESSES: readonly (readonly [string, string, string, 'cache' | 'origin'])[] = [
  ['the same query', `${PAGE}?a=1`, `${PAGE}?a=1`, 'cache'],
  ['another query', `${PAGE}?a=1`, `${PAGE}?a=2`, 'origin'],
  ['parameters in another order', `${PAGE}?a=1&b=2`, `${PAGE}?b=2&a=1`, 'origin'],
  ['no query', `${PAGE}?a=1`, PAGE, 'origin'],
  ['another path', PAGE, 'http://a.test/other', 'origin'],
  ['another host', PAGE, 'http://b.test/page', 'origin'],
  ['another scheme', PAGE, 'https://a.test/page', 'origin'],
  ['a query that looks like a path', `${PAGE}?x`, `${PAGE}/x`, 'origin'],
]

type InvalidationRow = readonly [
  name: string,
  stored: string,
  unsafe: { method: string; url?: string; status?: number; headers?: Fields },
  from: 'cache' | 'origin',
]

/** What unsafe requests do to what is stored (RFC 9111, 4.4). */
const INVALIDATION: InvalidationRow[] = [
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'MKCOL', 'PURGE'].map((method): InvalidationRow => [
    `${method} that succeeds`,
    PAGE,
    { method },
    'origin',
  ]),
  ...['OPTIONS', 'PROPFIND', 'SEARCH'].map((method): InvalidationRow => [
    `${method} changes nothing`,
    PAGE,
    { method },
    'cache',
  ]),
  ['PROPPATCH', PAGE, { method: 'PROPPATCH' }, 'origin'],
  ['PROPFIND, which is safe', PAGE, { method: 'PROPFIND' }, 'cache'],
  ['a redirect after POST', PAGE, { method: 'POST', status: 303 }, 'origin'],
  ['POST that is refused', PAGE, { method: 'POST', status: 403 }, 'cache'],
  ['POST that fails', PAGE, { method: 'POST', status: 500 }, 'cache'],
  ['POST elsewhere', PAGE, { method: 'POST', url: 'http://a.test/form' }, 'cache'],
  ['POST to another query', `${PAGE}?a=1`, { method: 'POST', url: `${PAGE}?a=2` }, 'cache'],
  ['POST to the same query', `${PAGE}?a=1`, { method: 'POST', url: `${PAGE}?a=1` }, 'origin'],
  ['POST over https', PAGE, { method: 'POST', url: 'https://a.test/page' }, 'origin'],
  ['POST to another host', PAGE, { method: 'POST', url: 'http://b.test/page' }, 'cache'],
  [
    'Location',
    PAGE,
    { method: 'POST', url: 'http://a.test/form', headers: { location: PAGE } },
    'origin',
  ],
  [
    'Location as a path',
    PAGE,
    { method: 'POST', url: 'http://a.test/form', headers: { location: '/page' } },
    'origin',
  ],
  [
    'Location with a query',
    `${PAGE}?a=1`,
    { method: 'POST', url: 'http://a.test/form', headers: { location: '/page?a=1' } },
    'origin',
  ],
  [
    'Location as it is escaped',
    'http://a.test/%C3%A4',
    { method: 'POST', url: 'http://a.test/form', headers: { location: '/%C3%A4' } },
    'origin',
  ],
  [
    'Content-Location',
    PAGE,
    { method: 'PUT', url: 'http://a.test/form', headers: { 'content-location': 'page' } },
    'origin',
  ],
  [
    'Location of another host',
    PAGE,
    { method: 'POST', url: 'http://b.test/form', headers: { location: PAGE } },
    'cache',
  ],
  [
    'Location of another scheme',
    PAGE,
    { method: 'POST', url: 'https://a.test/form', headers: { location: PAGE } },
    'cache',
  ],
  [
    'Location of a request that is refused',
    PAGE,
    { method: 'POST', url: 'http://a.test/form', status: 403, headers: { location: PAGE } },
    'cache',
  ],
  [
    'an unreadable Location',
    PAGE,
    { method: 'POST', url: 'http://a.test/form', headers: { location: 'http://[' } },
    'cache',
  ],
]

const selecting: ContractCase[] = [
  stepsCase('several selected answers live side by side', [
    { headers: { 'x-a': '1' }, origin: varying('x-a'), from: 'origin' },
    {
      headers: { 'x-a': '2' },
      origin: varying('x-a'),
      from: 'origin',
      answered: { 'cache-status': 'berth; fwd=vary-miss' },
    },
    { headers: { 'x-a': '1' }, from: 'cache', body: '#0' },
    { headers: { 'x-a': '2' }, from: 'cache', body: '#1' },
  ]),
  stepsCase('the newest Vary counts', [
    { headers: { 'x-a': '1' }, origin: varying('x-a'), from: 'origin' },
    { headers: { 'x-a': '2', 'x-b': '1' }, origin: varying('x-b'), from: 'origin' },
    { headers: { 'x-a': '3', 'x-b': '1' }, from: 'cache', body: '#1' },
  ]),
  contractCase('http: a header that clients vary at will fills no cache', async () => {
    const harness = createHarness()
    const step = (value: number): Step => ({
      headers: { 'x-a': String(value) },
      origin: varying('x-a'),
    })
    await takeSteps(
      Array.from({ length: 100 }, (_, index) => step(index)),
      harness,
    )
    const entries = harness.layers.stats().l1?.entries ?? 0
    holds(entries <= 33, `${entries} entries`)
    await takeSteps(
      [
        { ...step(99), from: 'cache' },
        { ...step(0), from: 'origin' },
      ],
      harness,
    )
  }),
  contractCase('http: an unsafe request reaches an answer that is on its way', async () => {
    const harness = createHarness()
    const rule = { mode: 'http' } as const
    harness.origin = () => new Response('old', { headers: HOUR })
    const slow = await harness.ask(PAGE, { rule })
    harness.origin = () => new Response('done')
    await harness.ask(PAGE, { method: 'POST', rule })
    same(await slow.text(), 'old', 'the answer under way')
    await takeSteps(
      [{ from: 'origin', origin: { headers: HOUR, body: 'new' }, body: 'new' }],
      harness,
    )
  }),
]

/** Which stored answer a request gets, and which it makes an end of. */
export const httpSelectingContract = (): ContractCase[] => [
  ...VARY.map(([name, vary, first, second, from]) =>
    stepsCase(`Vary: ${name}`, [
      { headers: first, origin: varying(vary), from: 'origin' },
      { headers: second, origin: varying(vary), from },
    ]),
  ),
  ...ADDRESSES.map(([name, first, second, from]) =>
    stepsCase(`address: ${name}`, [
      { url: first, origin: { headers: HOUR }, from: 'origin' },
      { url: second, origin: { headers: HOUR }, from },
    ]),
  ),
  ...INVALIDATION.map(([name, stored, { url = stored, status, headers, method }, from]) =>
    stepsCase(`invalidation: ${name}`, [
      { url: stored, origin: { headers: HOUR }, from: 'origin' },
      { url, method, origin: { status: status ?? 200, headers: headers ?? {} } },
      { url: stored, from },
    ]),
  ),
  ...selecting,
]
