import type { ContractCase } from '../page-mode/cache-case.ts'
import { dateIn, reuseCase, stepsCase, type ReuseRow } from './harness.ts'

const both = (
  targeted: string,
  control: string | null = null,
  over: Record<string, string> = {},
): { answer: Record<string, string> } => ({
  answer: {
    'cdn-cache-control': targeted,
    ...(control === null ? {} : { 'cache-control': control }),
    ...over,
  },
})
const dated = (secs: number) => ({ expires: dateIn(secs), date: dateIn(0) })

/** `CDN-Cache-Control` (RFC 9213), a Dictionary Structured Field. */
const ROWS: ReuseRow[] = [
  ['targeted: max-age alone', both('max-age=60'), 30, 'cache'],
  ['targeted: stale when it is reached', both('max-age=60'), 60, 'origin'],
  ['targeted: beyond 2^31 is the largest', both('max-age=99999999999'), 30, 'cache'],
  ['targeted: counts before a shorter Cache-Control', both('max-age=60', 'max-age=1'), 30, 'cache'],
  ['targeted: counts before a longer one', both('max-age=1', 'max-age=60'), 30, 'origin'],
  ['targeted: in place of no-store', both('max-age=60', 'no-store'), 30, 'cache'],
  ['targeted: in place of private', both('max-age=60', 'private'), 30, 'cache'],
  ['targeted: no-store', both('no-store', 'max-age=60'), 0, 'origin'],
  ['targeted: private', both('private', 'max-age=60'), 0, 'origin'],
  ['targeted: no-cache', both('no-cache', 'max-age=60'), 0, 'origin'],
  ['targeted: Age counts', both('max-age=60', null, { age: '120' }), 0, 'origin'],
  ['targeted: a past Expires does not count', both('max-age=60', null, dated(-9)), 30, 'cache'],
  ['targeted: nor does one ahead', both('max-age=0', null, dated(60)), 0, 'origin'],
  ['targeted: nor one beside a directive of no time', both('foo', null, dated(60)), 0, 'origin'],
  ['targeted: unknown directives do no harm', both('foo, a=(1 2);b, max-age=60'), 30, 'cache'],
  ['targeted: parameters do no harm', both('max-age=60;x="y"'), 30, 'cache'],
  ['targeted: the last of two counts', both('max-age=1, max-age=60'), 30, 'cache'],
  ['targeted: what is false does not hold', both('no-store=?0, max-age=60'), 30, 'cache'],
  ['targeted: a text is no time', both('max-age="60"', 'max-age=60'), 0, 'origin'],
  ['targeted: nor is a fraction', both('max-age=60.5'), 0, 'origin'],
  ['targeted: nor nothing', both('max-age'), 0, 'origin'],
  ['targeted, broken: an unknown type', both('max-age=60, &&&&&', 'no-store'), 0, 'origin'],
  ['targeted, broken: a blank before =', both('max-age =60', 'max-age=1'), 30, 'origin'],
  ['targeted, broken: a blank after =', both('max-age= 60', 'max-age=1'), 30, 'origin'],
  ['targeted, broken: capitals', both('MaX-aGe=1', 'max-age=60'), 30, 'cache'],
  ['targeted, broken: a comma at the end', both('max-age=1,', 'max-age=60'), 30, 'cache'],
  ['targeted, broken: a text without its end', both('a="b, max-age=1', 'max-age=60'), 30, 'cache'],
  ['targeted, empty', both('', 'max-age=60'), 30, 'cache'],
]

export const httpTargetedContract = (): ContractCase[] => [
  ...ROWS.map(reuseCase),
  stepsCase('targeted: the field goes on to the client, as does the one it replaces', [
    {
      origin: { headers: both('max-age=60', 'no-store').answer },
      from: 'origin',
      answered: { 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' },
    },
    {
      from: 'cache',
      answered: { 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' },
    },
  ]),
  stepsCase('targeted: what it withholds is not stored', [
    {
      origin: { headers: both('max-age=60, private="x-mine"', null, { 'x-mine': '1' }).answer },
      answered: { 'x-mine': '1' },
    },
    { from: 'cache', answered: { 'x-mine': null } },
  ]),
  stepsCase('targeted: its stale-while-revalidate holds', [
    { origin: { headers: both('max-age=10, stale-while-revalidate=60', 'max-age=10').answer } },
    { after: 20, from: 'validated', body: '#0' },
  ]),
]
