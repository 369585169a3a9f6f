import { existsSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readReport } from './read-report.mjs'
import { runTool } from './run-tool.mjs'

/** @typedef {import('./read-report.mjs').Failure} Failure */
/** @typedef {{ passed: number, failures: Failure[], unsteady: Failure[] }} ProjectOutcome `unsteady`: failed once and passed when run again */

/** More failed files than these are a fault of the code, not of the moment. */
const REPEATED_FILES = 4

/**
 * @param {string} root
 * @param {string} project
 * @param {string} name of the report
 * @param {string[]} files all of the project when empty
 */
const runVitest = async (root, project, name, files) => {
  const report = join(root, 'test-output', `vitest-${name}.json`)
  rmSync(report, { force: true })
  const succeeded = await runTool(root, 'vitest/vitest.mjs', [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...files,
  ])
  const skipIsFailure = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  return readReport(report, { succeeded, skipIsFailure })
}

const sum = (/** @type {Map<string, number>} */ counts) =>
  [...counts.values()].reduce((total, count) => total + count, 0)

/**
 * Runs one vitest project. Its tests start real servers and share two cores with
 * them, so a few failed files are run once more, alone. What passes then is
 * reported as unsteady, by name: nothing is hidden, and a broken test fails twice.
 *
 * @param {string} root
 * @param {string} project
 * @returns {Promise<ProjectOutcome>}
 */
export const runProject = async (root, project) => {
  const first = await runVitest(root, project, project, [])
  const files = [...new Set(first.failures.map(({ file }) => file))]
  if (files.length === 0 || files.length > REPEATED_FILES || files.includes(''))
    return { passed: sum(first.passed), failures: first.failures, unsteady: [] }
  const paths = files.map((file) => relative(root, file))
  console.log(`\nOnce more, since they failed: ${paths.join(', ')}`)
  const again = await runVitest(root, project, `${project}-again`, paths)
  const stillFails = (/** @type {Failure} */ { file, test }) =>
    again.failures.some((other) => other.file === file && other.test === test)
  return {
    passed: sum(new Map([...first.passed, ...again.passed])),
    failures: again.failures,
    unsteady: first.failures.filter((failure) => !stillFails(failure)),
  }
}
