import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureBuild } from './build.mjs'
import { runProject } from './run-project.mjs'
import { runTool } from './run-tool.mjs'

/** @typedef {import('./read-report.mjs').Failure} Failure */

/** Folders that exist, of those that the import rules speak of. @param {string} root */
const sourceFolders = (root) =>
  ['handlers', 'edge-cache', 'adapters', 'cli', 'src'].filter((name) =>
    existsSync(join(root, name)),
  )

/**
 * Phases that read the code without running it. Each counts as one test.
 *
 * @param {string} root
 * @returns {{ name: string, run: () => Promise<boolean> }[]}
 */
export const staticPhases = (root) => {
  const types = (/** @type {string} */ project) => ({
    name: `types (${project})`,
    run: () => runTool(root, 'typescript/bin/tsc', ['-p', project]),
  })
  return [
    {
      name: 'format',
      run: () =>
        runTool(root, 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
    },
    {
      name: 'lint',
      run: () => runTool(root, 'eslint/bin/eslint.js', ['--max-warnings', '0', '.']),
    },
    {
      name: 'import rules',
      run: () =>
        runTool(root, 'dependency-cruiser/bin/dependency-cruiser.mjs', [
          '--config',
          '.dependency-cruiser.cjs',
          ...sourceFolders(root),
        ]),
    },
    types('tsconfig.json'),
    types('tsconfig.core.json'),
    types('tsconfig.worker.json'),
    types('test/workerd'),
    {
      name: 'types (src)',
      run: async () =>
        (await runTool(root, '@sveltejs/kit/svelte-kit.js', ['sync'])) &&
        (await runTool(root, 'svelte-check/bin/svelte-check', [
          '--tsconfig',
          './tsconfig.svelte.json',
          '--fail-on-warnings',
        ])),
    },
    {
      name: 'build',
      run: async () => {
        try {
          ensureBuild(root, { quiet: true })
          return true
        } catch (error) {
          console.error(error instanceof Error ? error.message : error)
          return false
        }
      },
    },
  ]
}

/** Vitest projects, quick to slow, and where their files lie. */
export const PROJECTS = [
  ['unit', 'test/unit'],
  ['contract', 'test/node/contract'],
  ['workerd', 'test/workerd'],
  ['node', 'test/node'],
  ['cli', 'test/cli'],
  ['e2e', 'test/e2e'],
  ['attack', 'test/attack'],
  ['crash', 'test/crash'],
  ['install', 'test/install'],
  ['ui', 'test/ui'],
]

/**
 * @param {string} root
 * @param {string} folder
 */
const hasTests = (root, folder) =>
  existsSync(join(root, folder)) &&
  readdirSync(join(root, folder), { recursive: true }).some((name) =>
    String(name).endsWith('.test.ts'),
  )

const seconds = (/** @type {number} */ sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`

/** @param {string} heading @param {string} root @param {Failure[]} failures */
const listFailures = (heading, root, failures) => {
  if (failures.length === 0) return
  console.log(`\n${heading}`)
  for (const { file, test, message } of failures)
    console.log(`  ${file === '' ? '' : `${relative(root, file)}: `}${test}: ${message}`)
}

/**
 * Runs the phases with their progress; stops early when a static one fails. At the
 * end every failure is named once more, so that the tail of a long log tells all.
 *
 * @param {string} root
 * @param {string[]} projects
 * @param {string[]} [skipStatic] names of static phases to leave out
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export const runPhases = async (root, projects, skipStatic = []) => {
  const statics = staticPhases(root).filter(({ name }) => !skipStatic.includes(name))
  const tests = PROJECTS.filter(
    ([name, folder]) => projects.includes(name ?? '') && hasTests(root, folder ?? ''),
  )
  const total = statics.length + tests.length
  const count = { passed: 0, failed: 0 }
  let number = 0
  for (const { name, run } of statics) {
    const begun = Date.now()
    console.log(`\n[${++number}/${total}] ${name}`)
    const ok = await run()
    count[ok ? 'passed' : 'failed']++
    console.log(`[${number}/${total}] ${name}: ${ok ? 'ok' : 'FAILED'} in ${seconds(begun)}`)
    if (!ok) return count
  }
  /** @type {Failure[]} */
  const failed = []
  /** @type {Failure[]} */
  const steadyLater = []
  for (const [name = ''] of tests) {
    const begun = Date.now()
    console.log(`\n[${++number}/${total}] tests: ${name}`)
    const { passed, failures, unsteady } = await runProject(root, name)
    count.passed += passed
    count.failed += failures.length
    failed.push(...failures)
    steadyLater.push(...unsteady)
    console.log(
      `[${number}/${total}] tests: ${name}: ${passed} passed, ${failures.length} failed in ${seconds(begun)}`,
    )
  }
  listFailures('Failed once, passed when run again:', root, steadyLater)
  listFailures('Failed:', root, failed)
  return count
}
