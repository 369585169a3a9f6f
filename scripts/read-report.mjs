import { existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {{ file: string, test: string, message: string }} Failure `message`: first line only
 * @typedef {{ passed: Map<string, number>, failures: Failure[] }} Outcome `passed`: tests by file
 */

const firstLine = (/** @type {string | undefined} */ text) =>
  (text ?? '').split('\n', 1)[0]?.slice(0, 300) ?? ''

/**
 * Reads a vitest report. A file that cannot be loaded is one failure; so is a
 * run that failed otherwise. Where nothing may be skipped, a skipped test is
 * a failure.
 *
 * @param {string} report
 * @param {{ succeeded: boolean, skipIsFailure: boolean }} run
 * @returns {Outcome}
 */
export const readReport = (report, { succeeded, skipIsFailure }) => {
  if (!existsSync(report))
    return {
      passed: new Map(),
      failures: [{ file: '', test: 'the run', message: 'it left no report' }],
    }
  /** @type {Outcome} */
  const outcome = { passed: new Map(), failures: [] }
  for (const suite of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const before = outcome.failures.length
    let passed = 0
    for (const { status, fullName, failureMessages } of suite.assertionResults) {
      if (status === 'passed') passed++
      else if (status === 'failed')
        outcome.failures.push({
          file: suite.name,
          test: fullName,
          message: firstLine(failureMessages?.[0]),
        })
      else if (skipIsFailure)
        outcome.failures.push({
          file: suite.name,
          test: fullName,
          message: 'skipped, which counts as failed here',
        })
    }
    outcome.passed.set(suite.name, passed)
    if (suite.status === 'failed' && outcome.failures.length === before)
      outcome.failures.push({
        file: suite.name,
        test: 'the file as a whole',
        message: firstLine(suite.message),
      })
  }
  if (!succeeded && outcome.failures.length === 0)
    outcome.failures.push({
      file: '',
      test: 'the run',
      message: 'it failed outside of its tests; see its output above',
    })
  return outcome
}
