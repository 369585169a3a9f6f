import { freemem } from 'node:os'
import { originHost, startBerth } from '../peers/berth.ts'
import { compare, type Side } from '../support/findings/compare.ts'
import { fillPages } from '../support/fill-pages.ts'
import { originPage, startOrigin } from '../support/origin.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { residentBytes } from '../support/process-tree.ts'
import type { Effort, Family, FamilyResult, Finding } from '../support/findings/row.ts'
import { spread } from '../support/findings/spread.ts'
import { onStage } from '../support/stage.ts'
import { valueFinding } from '../support/findings/value-finding.ts'
import { sha256 } from '../support/load/verify-response.ts'

const SMALL_BYTES = 2048
const LARGE_BYTES = 48 * 1024
/** 4.3 GB of bodies of 48 KB. */
const LARGE_COUNT = 88_000
const CONNECTIONS = 32
const NEEDED_MEMORY_BYTES = 9 * 2 ** 30
/** "Flat" within what is noise on a quiet machine. */
const FLAT = 0.85

const sizes = ({ quick }: Effort): number[] =>
  quick ? [500, 2000] : [1000, 10_000, 100_000, 1_000_000]

/** Any of the pages `<path>1` to `<path><count>`, from the cache. */
const anyPage = (port: number, pid: number, path: string, count: number) => {
  const target = {
    ...{ port, path, host: BENCH_HOST, connections: CONNECTIONS, protocol: 'h1' as const },
    headers: { 'accept-encoding': 'identity' },
    numbered: { from: 1, count, order: 'any' as const },
  }
  const expected = { sha256: sha256(originPage(`${path}1`) ?? ''), encoding: null, cached: true }
  const side: Side = { name: `${count} entries`, roots: () => [pid], target, expected }
  return { target, side }
}

const p99 = (
  row: string,
  work: string,
  runs: readonly { p99Ms: number | null }[],
  atMost: number | null,
): Finding =>
  valueFinding(
    row,
    work,
    'p99 of 32 connections',
    'ms',
    atMost === null ? null : { atMost },
    runs.flatMap(({ p99Ms }) => (p99Ms === null ? [] : [p99Ms])),
  )

const grow = (effort: Effort): Promise<FamilyResult> =>
  onStage(async (stage) => {
    const origin = await startOrigin(stage)
    const berth = await startBerth(stage, {
      cache: 'storage = "memory"\nmemory_limit = "5G"\n',
      more: originHost(BENCH_HOST, origin),
    })
    const result: FamilyResult = { findings: [], figures: [] }
    // Other codings of a page are pages of their own to the memory.
    const path = `/plain/${SMALL_BYTES}/`
    const before = residentBytes([berth.pid])
    let first: { perCpuSecond: number }[] = []
    let filled = 0
    for (const count of sizes(effort)) {
      const { target, side } = anyPage(berth.port, berth.pid, path, count)
      const numbered = { from: filled + 1, count: count - filled, order: 'next' as const }
      const goal = { layer: 'l1', entries: count } as const
      await fillPages(berth, { ...target, numbered }, goal, stage.directory)
      filled = count
      const runs = (await compare([side], effort, stage.directory)).get(side.name) ?? []
      const work = `hits of 2 KB, ${count} entries`
      if (first.length === 0) first = runs
      else {
        const values = runs.flatMap(({ perCpuSecond }, round) => {
          const other = first[round]?.perCpuSecond
          return other === undefined ? [] : [perCpuSecond / other]
        })
        const against = `${sizes(effort)[0]} entries`
        const bar = { atLeast: FLAT }
        const measure = 'requests per CPU-second'
        result.findings.push({
          ...{ row: 'scale', work, against, measure, unit: 'x', bar, values: spread(values) },
        })
      }
      result.findings.push(p99('scale', work, runs, null))
      result.figures.push({
        ...{ row: 'scale', server: side.name, bytes: false },
        perSecond: spread(runs.map(({ perSecond }) => perSecond)),
        perCpuSecond: spread(runs.map(({ perCpuSecond }) => perCpuSecond)),
      })
    }
    const overhead = (residentBytes([berth.pid]) - before) / filled - SMALL_BYTES
    const work = `${filled} entries of 2 KB, one worker`
    const measure = 'resident memory per entry beyond its body'
    // With few entries it is the memory of the code that ran.
    const bar = effort.quick ? null : { atMost: 1024 }
    result.findings.push(valueFinding('scale', work, measure, 'B', bar, [overhead]))
    return result
  })

const large = (effort: Effort): Promise<FamilyResult> =>
  onStage(async (stage) => {
    if (!effort.quick && freemem() < NEEDED_MEMORY_BYTES)
      throw new Error('4 GB of bodies need a machine with 9 GiB of free memory')
    const count = effort.quick ? 500 : LARGE_COUNT
    const origin = await startOrigin(stage)
    const berth = await startBerth(stage, {
      cache: 'storage = "memory"\nmemory_limit = "7G"\n',
      more: originHost(BENCH_HOST, origin),
    })
    const { target, side } = anyPage(berth.port, berth.pid, `/page/${LARGE_BYTES}/`, count)
    const numbered = { from: 1, count, order: 'next' as const }
    await fillPages(
      berth,
      { ...target, numbered },
      { layer: 'l1', entries: count },
      stage.directory,
    )
    const runs = (await compare([side], effort, stage.directory)).get(side.name) ?? []
    const gigabytes = ((count * LARGE_BYTES) / 1e9).toFixed(1)
    const work = `hits of 48 KB, ${gigabytes} GB of bodies`
    return { findings: [p99('large', work, runs, 5)], figures: [] }
  })

/** The first layer with few and with many pages. */
export const scale: Family = {
  name: 'scale',
  rows: {
    scale: 'throughput and overhead from 1 k to 1 M entries',
    large: 'p99 with 4 GB of bodies at 32 connections',
  },
  obstacles: {
    scale:
      "A page that was not asked for a moment ago is nowhere near the processor: finding it by its name takes 1.3 µs instead of 0.2 µs, and its fields, marks and body are fetched from memory one after the other; the thousand pages of the first step have all that at hand and their answers kept as they went out. What is measured is no work left over from filling: nearly all of it was the worker's main thread, as watched thread by thread. Ten thousand pages were slower than a hundred thousand, with a p99 of 10 to 15 ms, since they kept exchanging one another in the table of known targets and in the maps in which the requests of a second were counted: 2 to 7 MB outlived each small collection, of 10 to 28 ms. A target now loses its place only to one that is asked for more often, requests are counted in place, and a head that is used once is written as bytes: 10 k pages went from 51 to 72 k requests per CPU-second to 61 to 85 k (1 k pages: 75 to 96 k) and to a p99 of 4 to 7 ms, on a machine with other programs. In quiet seconds of one run a hit of 60 k pages then used 6 µs of the worker's own code, one of 1 k pages 3 µs, and 7 and 6 µs of the kernel's (77 and 114 k per CPU-second); of 20 k pages no function of the worker had more than 6 %. The faster the thousand pages go, the more these microseconds show. Bodies in slabs, equal fields and tags shared, ages, visits and sites in columns of numbers brought an entry from 1168 B to 547 B of objects, of which the runtime holds some more until it collects the old generation. Tried besides, with 40 and 60 k pages: a smaller new generation (2 or 4 MB) halved the p99, but gave 50 to 70 k instead of 76 to 80 k; collecting on one thread gained nothing. Slabs of 4 MB in huge pages gave 65 to 73 k instead of 55 to 66 k with the small new generation, in one run each, which has not been confirmed. A million pages were not measured again while this was tried.",
  },
  measure: async (wanted, effort) => {
    const results: FamilyResult[] = []
    if (wanted.has('scale')) results.push(await grow(effort))
    if (wanted.has('large')) results.push(await large(effort))
    return {
      findings: results.flatMap(({ findings }) => findings),
      figures: results.flatMap(({ figures }) => figures),
    }
  },
}
