import { setTimeout } from 'node:timers/promises'
import { startWeb } from '#test/node/web-server/support/web-process.ts'
import { originHost } from '../peers/berth.ts'
import { fillPages } from '../support/fill-pages.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { startProbe } from '../support/probe.ts'
import type { Family, Finding } from '../support/row.ts'
import { onStage } from '../support/stage.ts'
import { timeMs, valueFinding } from '../support/value-finding.ts'

const BYTES = 2048
const WORKERS = 2
/** Rows are deleted behind the answer; visitors are watched for so long. */
const AFTER_MS = { quick: 1000, full: 10_000 }

/** Purges by tag, in memory and on disk, with visitors on both workers meanwhile. */
export const purge: Family = {
  name: 'purge',
  rows: { purge: 'purge of one tag on 100 k of 1 M entries' },
  obstacles: {
    purge:
      'All workers have a purge within 10 to 20 ms. The longest answer is the worst of tens of thousands and begins with a new connection for half of them, while two workers, the thread that deletes rows and the visitors themselves share two processors, and the pages filled just before are still being compressed. Tried: the disk layer in a thread of its own, deletion for a fifth of its time, compression in a thread of low priority, sweeping the memory by a thousand pages at a time instead of ten thousand, moving bodies only when room is needed. With 8 k of 24 k pages that left about 0.2 s on a machine that did other work beside it; before the last two changes two stalls at the purge itself were a worker’s own work of over 100 ms, most others showed 1 to 40 ms of it within 60 to 270 ms, so the worker was waiting for the most part. What it waits for has not been separated yet, and the row has not run at its full size.',
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
      const failures: string[] = []
      for (let round = 0; round < rounds; round++) {
        // So many that both workers have some.
        const probe = startProbe(web.port, BENCH_HOST, [`/page/${BYTES}/1`], 16)
        await setTimeout(200)
        times.push(
          await timeMs(async () => {
            const path = `/api/v1/cache/purge?tag=t${round}`
            const { status, body } = await web.management('POST', path)
            if (status !== 200) throw new Error(`the purge was refused: ${JSON.stringify(body)}`)
          }),
        )
        await setTimeout(effort.quick ? AFTER_MS.quick : AFTER_MS.full)
        const met = await probe.stop()
        stalls.push(met.longestMs)
        failures.push(...met.failures)
      }
      const work = `purge of one tag on ${tagged} of ${all} entries, ${WORKERS} workers`
      const findings: Finding[] = [
        valueFinding('purge', work, 'until all workers have it', 'ms', { atMost: 100 }, times),
        valueFinding('purge', work, 'longest answer meanwhile', 'ms', { atMost: 20 }, stalls),
        valueFinding('purge', work, 'failed', 'requests', { atMost: 0 }, [failures.length]),
      ]
      return { findings, figures: [] }
    }),
}
