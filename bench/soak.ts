import { disturb } from './soak/disturbances.ts'
import { MemorySamples } from './soak/memory-samples.ts'
import { startSoakSite } from './soak/soak-site.ts'
import { visit } from './soak/soak-visitor.ts'
import { Tally } from './soak/tally.ts'
import { readOptions } from './support/read-options.ts'

const SAMPLE_MS = 2000
const VISITORS = { kept: 6, fresh: 3 }
/** A process may grow by this much between the second and the last quarter before it counts as a leak. */
const MAX_GROWTH = 1.3
const MAX_MINUTES = 24 * 60

const USAGE = `npm run soak                      ten minutes of hits, misses, purges, reloads and killed workers
npm run soak -- --minutes N      as many minutes; ends with code 1 when anything was wrong`

const values = readOptions(USAGE, { minutes: { type: 'string', default: '10' } })
const minutes = Number(values.minutes)
if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
  console.error(`--minutes must be a number above 0 and at most ${MAX_MINUTES}, e.g. --minutes 10`)
  process.exit(2)
}

/**
 * Hits, misses, purges, reloads and killed workers, all at once, on a web server
 * of its own. Every body is compared with what the page must be; after an
 * acknowledged purge nothing older counts as right. Ends by itself with a table
 * and a line of JSON; the exit code is 1 when anything was wrong.
 */
const soak = async (): Promise<boolean> => {
  const site = await startSoakSite()
  const tally = new Tally()
  const memory = new MemorySamples()
  let stopped = false
  const endMs = performance.now() + minutes * 60_000
  const running = (): boolean => !stopped && performance.now() < endMs
  const sample = (): void =>
    memory.sample({ primary: [site.web.pid], worker: site.web.workers(), load: [process.pid] })
  const sampler = setInterval(sample, SAMPLE_MS)
  process.once('SIGINT', () => (stopped = true))
  process.once('SIGTERM', () => (stopped = true))
  try {
    await Promise.all([
      ...Array.from({ length: VISITORS.kept }, () => visit(site, tally, running, true)),
      ...Array.from({ length: VISITORS.fresh }, () => visit(site, tally, running, false)),
      disturb(site, tally, running),
    ])
    const { body: stats } = await site.web.management('GET', '/api/v1/cache/stats')
    const roles = memory.summary()
    // The load generator's own memory says nothing about the server.
    const leaks = roles.filter(({ role, growth }) => role !== 'load' && (growth ?? 1) > MAX_GROWTH)
    const ok = Object.keys(tally.faults).length === 0 && leaks.length === 0
    console.table({
      minutes,
      ...tally.counts,
      p50_ms: tally.quantileMs(0.5),
      p99_ms: tally.quantileMs(0.99),
    })
    console.table(roles)
    if (!ok) console.table(tally.faults)
    for (const example of tally.examples) console.error(example)
    const { counts, faults, examples } = tally
    const line = { ok, minutes, counts, faults, examples, memory: roles, stats }
    // The single warm targets would be most of the line.
    console.log(
      JSON.stringify(line, (key, value: unknown) => (key === 'targets' ? undefined : value)),
    )
    return ok
  } finally {
    clearInterval(sampler)
    await site.stop()
  }
}

process.exitCode = (await soak()) ? 0 : 1
