// A lane's own process: keeps one vitest and runs the files it is told to, each in a fresh worker.
import { stripVTControlCharacters } from 'node:util'
import { createVitest } from 'vitest/node'

const [root = ''] = process.argv.slice(2)

/**
 * @typedef {{ name: string, state: string, note: string, message: string, ms: number }} TestReport
 * @typedef {{ tests: TestReport[], faults: string[], samples: string[] }} FileReport `faults`: of the file, outside of its tests
 */

/** What a sampled matrix says of itself (`test/support/sampled.ts`). */
const SAMPLE = /^.+: \d+ of \d+ cases, seed .+$/gm

/** @type {string[]} */
let samples = []
const collector = {
  onUserConsoleLog: (/** @type {{ content: string }} */ { content }) => {
    samples.push(...(content.match(SAMPLE) ?? []))
    process.stdout.write(content)
  },
}

/** @param {import('vitest/node').TestError} error */
const describe = (error) => {
  const places = (error.stacks ?? []).map(
    ({ file, line, column }) => `  at ${file}:${line}:${column}`,
  )
  const lines = [error.message ?? String(error), ...(error.diff ? [error.diff] : []), ...places]
  return stripVTControlCharacters(lines.join('\n'))
}

const vitest = await createVitest('test', {
  root,
  watch: false,
  fileParallelism: false,
  maxWorkers: 1,
  reporters: [collector],
  ...(process.env.BERTH_TEST_NAME ? { testNamePattern: process.env.BERTH_TEST_NAME } : {}),
})

/** @param {string} projectName @param {string} file @returns {Promise<FileReport>} */
const runFile = async (projectName, file) => {
  samples = []
  const project = vitest.projects.find(({ name }) => name === projectName)
  if (project === undefined) throw new Error(`vitest.config.ts has no project ${projectName}`)
  const result = await vitest.runTestSpecifications([project.createSpecification(file)])
  /** @type {TestReport[]} */
  const tests = []
  const faults = result.unhandledErrors.map((error) =>
    describe(/** @type {import('vitest/node').TestError} */ (error)),
  )
  // Vitest lists those of earlier runs, too.
  const modules = result.testModules.filter(({ moduleId }) => moduleId === file)
  for (const module of modules) {
    faults.push(...module.errors().map(describe))
    for (const suite of module.children.allSuites())
      faults.push(...suite.errors().map((error) => `${suite.fullName}: ${describe(error)}`))
    for (const test of module.children.allTests()) {
      const outcome = test.result()
      tests.push({
        name: test.fullName,
        state: outcome.state,
        note: outcome.state === 'skipped' ? (outcome.note ?? '') : '',
        message: outcome.state === 'failed' ? outcome.errors.map(describe).join('\n') : '',
        ms: test.diagnostic()?.duration ?? 0,
      })
    }
  }
  if (modules.length === 0) faults.push('vitest ran nothing of it')
  vitest.state.clearErrors()
  return { tests, faults, samples }
}

process.on('message', (/** @type {{ project: string, file: string }} */ { project, file }) => {
  runFile(project, file).then(
    (report) => process.send?.({ report }),
    (error) =>
      process.send?.({ report: { tests: [], faults: [String(error?.stack ?? error)], samples } }),
  )
})
process.on('disconnect', () => process.exit(1))
process.send?.({ ready: true })
