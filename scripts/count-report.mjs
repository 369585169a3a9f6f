import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number }} Count */

/**
 * Adds up a vitest report. A file that cannot be loaded counts as one failure;
 * so does a run that failed otherwise. Where nothing may be skipped, a skipped
 * test counts as failed.
 *
 * @param {string} report
 * @param {boolean} succeeded
 * @param {boolean} skipIsFailure
 * @returns {Count}
 */
export const countReport = (report, succeeded, skipIsFailure) => {
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const count = { passed: 0, failed: 0 }
  for (const suite of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    const before = count.failed
    for (const { status, fullName } of suite.assertionResults) {
      if (status === 'passed') count.passed++
      else if (status === 'failed' || skipIsFailure) {
        count.failed++
        if (status !== 'failed') console.log(`skipped, which counts as failed: ${fullName}`)
      }
    }
    if (suite.status === 'failed' && count.failed === before) count.failed++
  }
  if (!succeeded && count.failed === 0) count.failed++
  return count
}
