import type { Input } from './input.ts'

/** A machine that is reckoned for, not measured. */
interface Machine {
  processors: number
  memoryMb: number
}

const MACHINES: readonly Machine[] = [
  { processors: 2, memoryMb: 4000 },
  { processors: 4, memoryMb: 8000 },
  { processors: 8, memoryMb: 32_000 },
]
/** Of processors and memory; the rest is for peaks, the system and its caches. */
const USABLE = 0.6
/** Pages in memory, MB: `memory_limit` of `[cache]` as it is delivered. */
const PAGES_MB = 256
/** Children of PHP that an account in use has at a time. */
const CHILDREN = 2
/** Calls and probes of one further machine, jobs and instances, as many-machine set-ups have them. */
const HOSTS = 100
const INSTANCES = 2
/** Numbered writes of a job with its journal and lease. */
const WRITES_PER_JOB = 14
/** Of what the store was measured to bear. */
const STORE_USABLE = 0.5

/** One line of what follows from the inputs. */
export interface Modelled {
  what: string
  formula: string
  /** For each of `MACHINES`; one value where the machine does not matter. */
  values: readonly number[]
}

export const machineNames = (): string[] =>
  MACHINES.map(({ processors, memoryMb }) => `${processors} processors, ${memoryMb / 1000} GB`)

/** What follows for machines of usual sizes. Throws where an input is missing. */
export const modelOf = (inputs: readonly Input[]): Modelled[] => {
  const value = (symbol: string): number => {
    const found = inputs.find((input) => input.symbol === symbol)
    if (found === undefined) throw new Error(`${symbol} was not measured.`)
    return found.value
  }
  const on = (reckon: (machine: Machine) => number): number[] =>
    MACHINES.map((machine) => Math.max(0, Math.floor(reckon(machine))))
  const left = ({ processors, memoryMb }: Machine): number =>
    memoryMb * USABLE - value('M0') - processors * value('Mw') - PAGES_MB - value('Me')
  const perSite = (value('W(10000)') - value('W(100)')) / (10_000 - 100)
  return [
    {
      what: 'accounts with PHP in use at a time, by memory',
      formula: `(${USABLE} × memory − M0 − processors × Mw − ${PAGES_MB} MB − Me) / (Mm + ${CHILDREN} × Mc)`,
      values: on((machine) => left(machine) / (value('Mm') + CHILDREN * value('Mc'))),
    },
    {
      what: 'sites that nobody asks for, by memory, beside nothing else',
      formula: `(${USABLE} × memory − M0 − processors × Mw − ${PAGES_MB} MB − Me) / ((W(10000) − W(100)) / 9900)`,
      values: on((machine) => left(machine) / perSite),
    },
    {
      what: 'sites with which a reload takes a second',
      formula: '10000 × 1000 ms / R(10000)',
      values: [Math.floor((10_000 * 1000) / value('R(10000)'))],
    },
    {
      what: 'pages from the cache, per second',
      formula: `${USABLE} × processors / th`,
      values: on(({ processors }) => (USABLE * processors * 1e6) / value('th')),
    },
    {
      what: 'pages of WordPress made anew, per second',
      formula: `${USABLE} × processors / tp`,
      values: on(({ processors }) => (USABLE * processors * 1000) / value('tp')),
    },
    {
      what: 'new TLS connections, per second',
      formula: `${USABLE} × processors / ts`,
      values: on(({ processors }) => (USABLE * processors * 1000) / value('ts')),
    },
    {
      what: `jobs per second of ${INSTANCES} panels with ${HOSTS} machines over one PostgreSQL`,
      formula: `(${STORE_USABLE} × w(PostgreSQL) − 2 × ${HOSTS} / 60 − ${INSTANCES} / 10) / ${WRITES_PER_JOB}`,
      values: [
        Math.floor(
          (STORE_USABLE * value('w(PostgreSQL)') - (2 * HOSTS) / 60 - INSTANCES / 10) /
            WRITES_PER_JOB,
        ),
      ],
    },
  ]
}
