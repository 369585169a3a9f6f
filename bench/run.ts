import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { FAMILIES } from './rows/families.ts'
import { foreignShares } from './support/findings/compare.ts'
import { describeCommit, describeMachine } from './support/machine.ts'
import { renderReport } from './support/findings/report.ts'
import { readOptions } from './support/read-options.ts'
import type { Effort, Figure, Finding } from './support/findings/row.ts'
import { selectRows } from './support/findings/select-rows.ts'
import { spread } from './support/findings/spread.ts'
import { closeStages } from './support/stage.ts'
import { verdict } from './support/findings/verdict.ts'

const USAGE = `npm run bench                    all rows; writes bench/RESULTS.md
npm run bench -- --quick         short runs, only to see whether everything works
npm run bench -- --rows a,b      only these rows or families
npm run bench -- --out FILE      where the results go
npm run bench -- --list          names of the rows`

const FULL: Effort = { quick: false, rounds: 5, seconds: 3, warmSeconds: 1 }
const QUICK: Effort = { quick: true, rounds: 1, seconds: 0.5, warmSeconds: 0 }

const values = readOptions(USAGE, {
  quick: { type: 'boolean', default: false },
  rows: { type: 'string' },
  list: { type: 'boolean', default: false },
  out: { type: 'string' },
})

/** Measures and reports; answers whether every row was measured and is at its bar. */
const bench = async (): Promise<boolean> => {
  const root = resolve(import.meta.dirname, '..')
  const effort = values.quick ? QUICK : FULL
  const wanted = selectRows(FAMILIES, values.rows)
  if (process.getuid?.() !== 0)
    throw new Error('The bench starts servers as other users. Run it as root.')
  if (cpus().length < 2)
    throw new Error('Server and load need a processor each. Run it on a machine with two.')
  const date = new Date().toISOString()
  const findings: Finding[] = []
  const figures: Figure[] = []
  const failures: { row: string; reason: string }[] = []
  for (const family of FAMILIES) {
    const rows = new Set(Object.keys(family.rows).filter((row) => wanted.has(row)))
    if (rows.size === 0) continue
    const startMs = performance.now()
    console.log(`${family.name}: ${[...rows].join(', ')}`)
    try {
      const result = await family.measure(rows, effort)
      findings.push(...result.findings)
      figures.push(...result.figures)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      for (const row of rows) failures.push({ row, reason })
      console.error(error)
    }
    console.log(`  ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
  }
  const text = renderReport({
    date,
    machine: await describeMachine(await describeCommit(root)),
    effort: effort.quick
      ? 'A quick run: one round of half a second, with few entries, hosts and accounts, only to see whether everything works.'
      : `Each figure: ${effort.rounds} rounds by turns, ${effort.seconds} seconds each after ${effort.warmSeconds} to warm up.`,
    findings,
    figures,
    failures,
    obstacles: Object.assign({}, ...FAMILIES.map(({ obstacles }) => obstacles ?? {})),
    foreign: foreignShares.length === 0 ? { median: 0, max: 0 } : spread(foreignShares),
  })
  console.log(`\n${text}`)
  // Only a whole run is worth keeping.
  const whole = !effort.quick && values.rows === undefined
  const file = values.out ?? (whole ? join(root, 'bench/RESULTS.md') : undefined)
  if (file !== undefined) writeFileSync(file, text)
  return failures.length === 0 && findings.every((finding) => verdict(finding) !== 'short')
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void closeStages().finally(() => process.exit(130))
  })
if (values.list) {
  for (const { rows } of FAMILIES)
    for (const [name, what] of Object.entries(rows)) console.log(`${name.padEnd(20)} ${what}`)
} else {
  try {
    process.exitCode = (await bench()) || values.quick ? 0 : 1
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 2
  }
}
