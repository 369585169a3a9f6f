import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuild } from './build.mjs'
import { countReport } from './count-report.mjs'
import { pinnedNode } from './packages.mjs'

/** @typedef {import('./count-report.mjs').Count} Count */

/** A hung run must end some time. */
const TIMEOUT_MS = 45 * 60 * 1000

/**
 * Runs a tool of node_modules on the pinned Node, its output straight to the terminal.
 *
 * @param {string} root
 * @param {string} script path below node_modules
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it succeeded
 */
const runTool = (root, script, args) =>
  new Promise((resolve) => {
    const bin = join(root, 'node_modules/.bin')
    const child = spawn(pinnedNode(root), [join(root, 'node_modules', script), ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH}`,
        CI: '1',
        WRANGLER_SEND_METRICS: 'false',
      },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })

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

/**
 * Runs one vitest project.
 *
 * @param {string} root
 * @param {string} project
 * @returns {Promise<Count>}
 */
const runProject = async (root, project) => {
  const report = join(root, 'test-output', `vitest-${project}.json`)
  rmSync(report, { force: true })
  const succeeded = await runTool(root, 'vitest/vitest.mjs', [
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  const skipIsFailure = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  return countReport(report, succeeded, skipIsFailure)
}

const seconds = (/** @type {number} */ sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`

/**
 * Runs the phases with their progress; stops early when a static one fails.
 *
 * @param {string} root
 * @param {string[]} projects
 * @param {string[]} [skipStatic] names of static phases to leave out
 * @returns {Promise<Count>}
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
  for (const [name = ''] of tests) {
    const begun = Date.now()
    console.log(`\n[${++number}/${total}] tests: ${name}`)
    const { passed, failed } = await runProject(root, name)
    count.passed += passed
    count.failed += failed
    console.log(
      `[${number}/${total}] tests: ${name}: ${passed} passed, ${failed} failed in ${seconds(begun)}`,
    )
  }
  return count
}
