import { once } from 'node:events'
import { join } from 'node:path'
import { canSeparate, startLane } from './start-lane.mjs'

/** @typedef {import('./start-lane.mjs').Lane} Lane */
/** @typedef {import('./lane.mjs').FileReport} FileReport */
/** @typedef {{ project: string, file: string }} TestFile `file`: relative to the checkout */
/**
 * @typedef {object} FileOutcome what became of one file
 * @property {TestFile} task
 * @property {FileReport} report
 * @property {string} output the end of what it printed
 * @property {number} secs
 * @property {number | null} cpuSecs of all processes it started; null where nothing counts them
 */

/** A file that hangs must end some time; the longest takes five minutes on a busy machine. */
const FILE_LIMIT_MS = 25 * 60_000
/** An emulated machine takes the tenfold, and more beside other work. */
const MACHINE_FILE_LIMIT_MS = 100 * 60_000

/** @param {string} fault @returns {FileReport} */
const faulty = (fault) => ({ tests: [], faults: [fault], samples: [] })

/**
 * Runs one file in a lane; never rejects.
 *
 * @param {Lane} lane @param {string} root @param {TestFile} task
 * @returns {Promise<FileOutcome & { laneIsLost: boolean }>}
 */
const runInLane = async (lane, root, task) => {
  lane.forget()
  const begunMs = Date.now()
  const cpuBefore = lane.cpuSecs()
  const { process: child } = lane
  const limitMs = task.project === 'vm' ? MACHINE_FILE_LIMIT_MS : FILE_LIMIT_MS
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const report = await new Promise(
    (/** @type {(report: FileReport | string) => void} */ resolve) => {
      timer = setTimeout(() => resolve(`it did not end in ${limitMs / 60_000} minutes`), limitMs)
      lane.ended.then((how) => resolve(`its lane ended with ${how}`))
      child.once('message', (message) =>
        resolve(/** @type {{ report: FileReport }} */ (message).report),
      )
      child.send({ project: task.project, file: join(root, task.file) }, (error) => {
        if (error) resolve(`its lane does not listen: ${error.message}`)
      })
    },
  )
  clearTimeout(timer)
  child.removeAllListeners('message')
  const cpuAfter = lane.cpuSecs()
  return {
    task,
    report: typeof report === 'string' ? faulty(report) : report,
    output: lane.output(),
    secs: (Date.now() - begunMs) / 1000,
    cpuSecs: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    laneIsLost: typeof report === 'string',
  }
}

/** @param {Parameters<typeof startLane>[0]} options @returns {Promise<Lane>} */
const startReadyLane = async (options) => {
  const lane = startLane(options)
  const [first] = await Promise.race([
    once(lane.process, 'message'),
    lane.ended.then(() => {
      throw new Error(`a lane did not start:\n${lane.output()}`)
    }),
  ])
  if (!first.ready) throw new Error(`a lane began with ${JSON.stringify(first)}`)
  return lane
}

/**
 * Runs one file in a virtual machine that is there for it alone; never rejects.
 *
 * @param {TestFile} task
 * @param {Omit<Parameters<typeof startLane>[0], 'separate' | 'machine'>} options
 * @returns {Promise<FileOutcome>}
 */
const runInMachine = async (task, options) => {
  const begunMs = Date.now()
  try {
    const lane = await startReadyLane({ ...options, separate: false, machine: true })
    try {
      const { laneIsLost: _, ...outcome } = await runInLane(lane, options.root, task)
      return { ...outcome, secs: (Date.now() - begunMs) / 1000 }
    } finally {
      await lane.end()
    }
  } catch (error) {
    const report = faulty(error instanceof Error ? error.message : String(error))
    return { task, report, output: '', secs: (Date.now() - begunMs) / 1000, cpuSecs: null }
  }
}

/**
 * Runs test files, several at a time where each lane can be a machine of its own.
 * Elsewhere all lanes share this machine, and `next` is told so.
 *
 * @param {object} options
 * @param {string} options.root
 * @param {string} options.kept directory of what tests keep between runs
 * @param {number} options.lanes at the most
 * @param {Record<string, string>} options.env of the tests
 * @param {(lane: { number: number, separate: boolean }) => TestFile | null} options.next the next file for that lane; null: nothing more
 * @param {(outcome: FileOutcome) => void} options.onOutcome may make `next` give more
 * @returns {Promise<void>}
 */
export const runFiles = async ({ root, kept, lanes, env, next, onOutcome }) => {
  const separate = canSeparate(root, kept)
  if (!separate)
    console.log('Most files run one at a time: lanes of their own need root and namespaces.')
  /** @param {number} number */
  const work = async (number) => {
    const place = { number, separate }
    // Lane 0 is the machine: what runs there by hand has uids and ports of its own, too.
    const own = { root, kept, number: number + 1, env }
    /** @type {Lane | null} */
    let lane = null
    try {
      for (let task = next(place); task !== null; task = next(place)) {
        if (task.project === 'vm') {
          onOutcome(await runInMachine(task, own))
          continue
        }
        lane ??= await startReadyLane({ ...own, separate, machine: false })
        const { laneIsLost, ...outcome } = await runInLane(lane, root, task)
        if (laneIsLost) {
          await lane.end()
          lane = null
        }
        onOutcome(outcome)
      }
    } finally {
      await lane?.end()
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => work(number)))
}
