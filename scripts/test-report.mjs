/** @typedef {import('./lanes/run-files.mjs').FileOutcome} FileOutcome */
/** @typedef {{ project: string, file: string, test: string, message: string }} Failure */
/** @typedef {import('./run-tests.mjs').TestsOutcome} TestsOutcome */

const SLOWEST = 20
/** Of what a failed file printed. */
const SHOWN_OUTPUT = 6000

/** Failed tests of a file, and what failed in it outside of its tests. @param {FileOutcome} outcome @returns {Failure[]} */
export const failuresOf = ({ task: { project, file }, report }) => [
  ...report.faults.map((message) => ({ project, file, test: '', message })),
  ...report.tests
    .filter(({ state }) => state === 'failed')
    .map(({ name, message }) => ({ project, file, test: name, message })),
]

const seconds = (/** @type {number | null} */ value) => (value === null ? '-' : value.toFixed(1))
const firstLine = (/** @type {string} */ text) => (text.split('\n', 1)[0] ?? '').slice(0, 300)
const escapePattern = (/** @type {string} */ text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** A word for a POSIX shell. */
const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`

/** How to run just this. @param {Failure} failure @param {string} [seed] */
export const commandOf = ({ file, test }, seed) =>
  [
    `npm test -- ${file}`,
    ...(test === '' ? [] : [`-t ${quote(`^${escapePattern(test)}$`)}`]),
    ...(seed === undefined ? [] : [`--seed ${seed}`]),
  ].join(' ')

/** A line for a file, and all that explains it where it failed. @param {FileOutcome} outcome @param {string} place */
export const describeOutcome = (outcome, place) => {
  const { task, report, secs, cpuSecs, output } = outcome
  const failures = failuresOf(outcome)
  const head = `[${place}] ${failures.length === 0 ? 'ok' : 'FAILED'} ${task.file}: ${report.tests.length} tests, ${seconds(secs)} s, CPU ${seconds(cpuSecs)} s`
  if (failures.length === 0) return head
  return [
    head,
    '--- what it printed last',
    output.slice(-SHOWN_OUTPUT),
    ...failures.map(({ test, message }) => `--- ${test === '' ? 'the file' : test}\n${message}`),
    '---',
  ].join('\n')
}

/** @param {readonly (readonly (string | number)[])[]} rows */
const table = (rows) => {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => String(row[at]).length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 ? String(cell).padEnd(widths[at] ?? 0) : String(cell).padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

/** Seconds and processor seconds by project, and of the files that took longest. @param {readonly FileOutcome[]} outcomes */
export const describeTimes = (outcomes) => {
  const projects = [...new Set(outcomes.map(({ task }) => task.project))]
  const sum = (/** @type {readonly FileOutcome[]} */ of, /** @type {'secs' | 'cpuSecs'} */ what) =>
    of.reduce((total, outcome) => total + (outcome[what] ?? 0), 0).toFixed(0)
  const rows = projects.map((name) => {
    const own = outcomes.filter(({ task }) => task.project === name)
    const tests = own.reduce((total, { report }) => total + report.tests.length, 0)
    return [name, own.length, tests, sum(own, 'secs'), sum(own, 'cpuSecs')]
  })
  const slowest = outcomes
    .toSorted((a, b) => b.secs - a.secs)
    .slice(0, SLOWEST)
    .map(({ task, report, secs, cpuSecs }) => [
      task.file,
      report.tests.length,
      seconds(secs),
      seconds(cpuSecs),
    ])
  return [
    table([['project', 'files', 'tests', 'seconds in lanes', 'CPU seconds'], ...rows]),
    '',
    table([['slowest files', 'tests', 'seconds', 'CPU seconds'], ...slowest]),
  ].join('\n')
}

/** Tests that were left out without a word, which is a fault. @param {TestsOutcome['skipped']} skipped @returns {Failure[]} */
export const silentSkips = (skipped) =>
  skipped
    .filter(({ reason }) => reason === '')
    .map(({ file, test }) => ({ project: '', file, test, message: 'Left out without a reason.' }))

/** Matrices of one kind in many places become one line, with their sums. @param {readonly string[]} samples */
export const inGroups = (samples) => {
  /** @type {Map<string, { places: number, kept: number, all: number, line: string, rest: string }>} */
  const groups = new Map()
  for (const line of samples) {
    const [, kind = line, kept = '0', all = '0', rest = ''] =
      line.match(/^(.+?)(?: in [^:]+)?: (\d+) of (\d+) (.*)$/) ?? []
    const { places, ...sum } = groups.get(kind) ?? { places: 0, kept: 0, all: 0 }
    groups.set(kind, {
      ...{ places: places + 1, kept: sum.kept + Number(kept), all: sum.all + Number(all) },
      ...{ line, rest },
    })
  }
  return [...groups].map(([kind, { places, kept, all, line, rest }]) =>
    places === 1 ? line : `${kind} in ${places} places: ${kept} of ${all} ${rest}`,
  )
}

/** What a reader of the end of a long log must see. @param {TestsOutcome} told @param {string} seed */
export const describeEnd = ({ failures, unsteady, skipped, samples }, seed) => {
  /** @type {string[]} */
  const lines = []
  if (samples.length > 0)
    lines.push(
      'Sampled (all of it: npm run test:all):',
      ...inGroups(samples).map((text) => `  ${text}`),
    )
  const reasons = new Map()
  for (const { file, reason } of skipped.filter((one) => one.reason !== '')) {
    const key = `  ${file}: ${reason}`
    reasons.set(key, (reasons.get(key) ?? 0) + 1)
  }
  if (reasons.size > 0)
    lines.push('Skipped:', ...[...reasons].map(([text, count]) => `${text} (${count})`))
  const list = (/** @type {string} */ heading, /** @type {readonly Failure[]} */ found) => {
    if (found.length === 0) return
    lines.push(heading)
    for (const failure of found)
      lines.push(
        `  ${failure.file}: ${failure.test || 'the file'}`,
        `    ${firstLine(failure.message)}`,
        `    ${commandOf(failure, samples.length > 0 ? seed : undefined)}`,
      )
  }
  list('UNSTEADY, failed once and passed when run again:', unsteady)
  list('FAILED:', [...failures, ...silentSkips(skipped)])
  return lines.join('\n')
}
