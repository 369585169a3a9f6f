import { setTimeout } from 'node:timers/promises'
import { startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { originHost } from '../peers/berth.ts'
import { fillPages } from '../support/fill-pages.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { startProbe } from '../support/load/probe.ts'
import type { Family, Finding } from '../support/findings/row.ts'
import { onStage } from '../support/stage.ts'
import { timeMs, valueFinding } from '../support/findings/value-finding.ts'

const BYTES = 2048
const WORKERS = 2
/** Rows are deleted behind the answer; visitors are watched for so long. */
const AFTER_MS = { quick: 500, full: 10_000 }

/** By how much the event loop of any worker was late at most since the last call. */
const longestStallMs = async (web: WebProcess): Promise<number> => {
  const { body } = await web.control('GET', '/stalls')
  const { workers } = body as { workers: { longest_ms: number }[] }
  return Math.max(...workers.map(({ longest_ms }) => longest_ms))
}

/** Purges by tag, in memory and on disk, with visitors on both workers meanwhile. */
export const purge: Family = {
  name: 'purge',
  rows: { purge: 'purge of one tag on 100 k of 1 M entries' },
  obstacles: {
    purge:
      'A purge can hardly be told from the time before it: with a million pages the workers were held up for 27 ms at most while 100 k of them were purged and for 60 ms in as long a time before (medians of five), in a second run for 39 and 32 ms. What holds them up is there without a purge: two workers, the writer of the disk layer, two threads that code the million new pages at low priority, the origin and the visitors (4000 requests a second, half a processor) share two processors, so a worker is ready and has none (0.5 ms of work in a gap of 196 ms); and collections of the young generation while pages and codings arrive, of which most must be kept (10 to 28 ms each). What a purge itself cost them once were 40 to 80 ms in which purged pages left the queue for codings, all in one go; they now leave it sixteen at a time, and in a watched purge after that the gap was 13 ms, of which 3 ms were work. Maps and sets of a million pages grew at once, 50 ms and more; they are many small maps and columns now, which do not. Tried besides: no coding (longest answer 24 to 39 ms), a coder that rests as long as it works (70 to 102 ms), a smaller young generation, which halves its collections and costs a fifth of the hits, and a lower priority of the disk layer’s writer, on which the purge itself waits: it was acknowledged after 28 to 79 ms while other programs ran beside it.',
  },
  measure: (_, effort) =>
    onStage(async (stage) => {
      const tagged = effort.quick ? 500 : 100_000
      const all = effort.quick ? 2000 : 1_000_000
      const rounds = effort.quick ? 1 : 5
      const origin = await startOrigin(stage)
      const web = await startWeb({
        workers: WORKERS,
        cache: 'memory_limit = "8G"\ndisk_limit = "20G"\n',
        more: originHost(BENCH_HOST, origin),
      })
      stage.later(() => web.remove())
      const target = {
        ...{ port: web.port, host: BENCH_HOST, connections: 32, protocol: 'h1' as const },
        headers: { 'accept-encoding': 'identity' },
      }
      let entries = 0
      const fill = async (path: string, count: number): Promise<void> => {
        entries += count
        const numbered = { from: 1, count, order: 'next' as const }
        const goal = { layer: 'l2', entries } as const
        await fillPages(web, { ...target, path, numbered }, goal, stage.directory)
      }
      for (let round = 0; round < rounds; round++) await fill(`/tag-t${round}/${BYTES}/`, tagged)
      await fill(`/page/${BYTES}/`, all - rounds * tagged)
      const times: number[] = []
      const stalls: number[] = []
      const usualStalls: number[] = []
      const answers: number[] = []
      const usual: number[] = []
      const late: number[] = []
      const watchMs = effort.quick ? AFTER_MS.quick : AFTER_MS.full
      // So many that both workers have some.
      const visit = () => startProbe(web.port, BENCH_HOST, [`/page/${BYTES}/1`], 16)
      const failures: string[] = []
      for (let round = 0; round < rounds; round++) {
        const before = visit()
        await longestStallMs(web)
        await setTimeout(watchMs)
        usualStalls.push(await longestStallMs(web))
        usual.push((await before.stop()).longestMs)
        const probe = visit()
        await setTimeout(200)
        await longestStallMs(web)
        times.push(
          await timeMs(async () => {
            const path = `/api/v1/cache/purge?tag=t${round}`
            const { status, body } = await web.management('POST', path)
            if (status !== 200) throw new Error(`the purge was refused: ${JSON.stringify(body)}`)
          }),
        )
        await setTimeout(watchMs)
        stalls.push(await longestStallMs(web))
        const met = await probe.stop()
        answers.push(met.longestMs)
        failures.push(...met.failures)
        late.push(met.ownDelayMs)
      }
      const work = `purge of one tag on ${tagged} of ${all} entries, ${WORKERS} workers`
      const findings: Finding[] = [
        valueFinding('purge', work, 'until all workers have it', 'ms', { atMost: 100 }, times),
        valueFinding(
          'purge',
          work,
          'longest stall of a worker meanwhile',
          'ms',
          { atMost: 20 },
          stalls,
        ),
        valueFinding('purge', work, 'longest stall in such a time before', 'ms', null, usualStalls),
        valueFinding('purge', work, 'longest answer meanwhile', 'ms', null, answers),
        valueFinding('purge', work, 'longest answer in such a time before', 'ms', null, usual),
        valueFinding('purge', work, 'longest delay of the visitors themselves', 'ms', null, late),
        valueFinding('purge', work, 'failed', 'requests', { atMost: 0 }, [failures.length]),
      ]
      return { findings, figures: [] }
    }),
}
