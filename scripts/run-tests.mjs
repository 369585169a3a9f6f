import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesOfProjects, PROJECTS, RARE_PROJECTS } from './lanes/plan.mjs'
import { runFiles } from './lanes/run-files.mjs'
import { takeTurns } from './lanes/take-turns.mjs'
import { describeOutcome, failuresOf } from './test-report.mjs'

/** @typedef {import('./lanes/run-files.mjs').FileOutcome} FileOutcome */
/** @typedef {import('./lanes/run-files.mjs').TestFile} TestFile */
/** @typedef {import('./test-report.mjs').Failure} Failure */
/** @typedef {{ file: string, test: string, reason: string }} Skip */
/**
 * @typedef {object} TestsOutcome
 * @property {number} passed
 * @property {Failure[]} failures
 * @property {Failure[]} unsteady failed once and passed when run again
 * @property {Skip[]} skipped
 * @property {string[]} samples what was chosen of slow matrices
 * @property {FileOutcome[]} outcomes
 */

/** More failed files of a project than these are a fault of the code, not of the moment. */
const REPEATED_FILES = 4

/** Their files use nothing that others may use at the same time. */
const SELF_CONTAINED = ['unit', 'contract']

/** @param {string} file @returns {Record<string, number>} */
const readTimes = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

/**
 * Runs the files of the chosen projects, or the chosen ones alone, and prints a line
 * for each. A few files that failed are run once more; what passes then is reported
 * as unsteady, by name. After a project with failures nothing more is begun, unless
 * `all`.
 *
 * @param {string} root
 * @param {object} options
 * @param {string} options.kept
 * @param {number} options.lanes
 * @param {Record<string, string>} options.env
 * @param {readonly string[]} options.projects
 * @param {readonly string[]} options.files relative to the checkout; none: all of the projects
 * @param {boolean} options.all
 * @param {boolean} options.whole also the drills that otherwise take turns
 * @param {string} options.seed chooses whose turn it is
 * @returns {Promise<TestsOutcome>}
 */
export const runTests = async (root, { kept, lanes, env, projects, files, all, whole, seed }) => {
  const timesFile = join(kept, 'times.json')
  const times = readTimes(timesFile)
  const left = PROJECTS.filter(({ name }) => !projects.includes(name)).map(({ name }) => name)
  const everything = files.length === 0 && left.every((name) => RARE_PROJECTS.includes(name))
  if (everything && left.length > 0)
    console.log(`Only in npm run test:all, or named: ${left.join(', ')}.`)
  const turns = takeTurns(seed, everything && !whole ? undefined : [])
  const queues = filesOfProjects(root, times)
    .map(({ name, files: found }) => ({
      name,
      waiting: found.filter(({ file }) =>
        files.length === 0 ? !turns.leftOut.has(file) : files.includes(file),
      ),
      running: 0,
      /** @type {FileOutcome[]} */
      failed: [],
      again: false,
    }))
    .filter(({ name, waiting }) => projects.includes(name) && waiting.length > 0)
  /** @type {TestsOutcome} */
  const told = {
    passed: 0,
    failures: [],
    unsteady: [],
    skipped: [],
    samples: turns.samples,
    outcomes: [],
  }
  const total = queues.reduce((sum, { waiting }) => sum + waiting.length, 0)
  let done = 0
  let stopped = false

  /** @param {{ number: number, separate: boolean }} lane @returns {TestFile | null} */
  const next = ({ number, separate }) => {
    for (const queue of queues) {
      if (number > 0 && !separate && !SELF_CONTAINED.includes(queue.name)) continue
      // Machines take memory.
      if (queue.name === 'vm' && queue.running > 0) continue
      const task = stopped && !queue.again ? undefined : queue.waiting.shift()
      if (task === undefined) continue
      queue.running++
      return task
    }
    return null
  }

  const countOutcome = (/** @type {FileOutcome} */ outcome) => {
    const { task, report } = outcome
    told.failures.push(...failuresOf(outcome))
    told.passed += report.tests.filter(({ state }) => state === 'passed').length
    // What was left out by its name was not wanted; what a failed set-up left out is told by that.
    const silentCounts = report.faults.length === 0
    if (env['BERTH_TEST_NAME'] === undefined)
      for (const { name, state, note } of report.tests)
        if ((state === 'skipped' || state === 'pending') && (note !== '' || silentCounts))
          told.skipped.push({ file: task.file, test: name, reason: note })
  }

  const onOutcome = (/** @type {FileOutcome} */ outcome) => {
    const { task, report } = outcome
    const queue = queues.find(({ name }) => name === task.project)
    if (queue === undefined) return
    queue.running--
    told.outcomes.push(outcome)
    told.samples = [...new Set([...told.samples, ...report.samples])]
    const failed = failuresOf(outcome).length > 0
    if (!failed) times[task.file] = Math.round(outcome.secs)
    console.log(describeOutcome(outcome, `${++done}/${total}`))
    if (failed && !queue.again) queue.failed.push(outcome)
    else {
      const before = queue.failed.find(({ task: { file } }) => file === task.file)
      countOutcome(outcome)
      if (before !== undefined) {
        const still = failuresOf(outcome).map(({ test }) => test)
        told.unsteady.push(...failuresOf(before).filter(({ test }) => !still.includes(test)))
      }
    }
    if (queue.running > 0 || queue.waiting.length > 0) return
    if (!queue.again && queue.failed.length > 0) {
      queue.again = true
      if (queue.failed.length <= REPEATED_FILES) {
        console.log(
          `Once more, since they failed: ${queue.failed.map(({ task: { file } }) => file).join(', ')}`,
        )
        queue.waiting.push(...queue.failed.map(({ task: failedTask }) => failedTask))
        done -= queue.failed.length
        return
      }
      queue.failed.forEach(countOutcome)
    }
    if (told.failures.length > 0 && !all) stopped = true
  }

  await runFiles({ root, kept, lanes, env, next, onOutcome })
  for (const { name, waiting } of queues)
    if (waiting.length > 0)
      console.log(
        `Not run after the failures: ${waiting.length} files of ${name} (--all runs them)`,
      )
  mkdirSync(dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, JSON.stringify(times, null, 1))
  return told
}
