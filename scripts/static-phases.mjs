import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkDocs } from './checks/check-docs.mjs'
import { checkRooms } from './checks/check-rooms.mjs'
import { runTool } from './run-tool.mjs'

/** @typedef {{ name: string, run: () => Promise<{ ok: boolean, output: string }> }} StaticPhase */

/** Folders that exist, of those that the import rules speak of. @param {string} root */
const sourceFolders = (root) =>
  ['handlers', 'edge-cache', 'adapters', 'cli', 'src', 'test'].filter((name) =>
    existsSync(join(root, name)),
  )

/**
 * What reads the code without running it, each counting as one test. Those of one
 * list run one after the other, the lists side by side, the longest first.
 *
 * @param {string} root
 * @param {string} kept directory for what the tools remember of files that did not change
 * @returns {StaticPhase[][]}
 */
export const staticPhases = (root, kept) => {
  const tool = (
    /** @type {string} */ name,
    /** @type {string} */ script,
    /** @type {string[]} */ args,
  ) => ({
    name,
    run: () => runTool(root, script, args),
  })
  const said = (/** @type {string} */ name, /** @type {() => string[]} */ check) => ({
    name,
    run: async () => {
      const lines = check()
      return { ok: lines.length === 0, output: lines.join('\n') }
    },
  })
  const cached = (/** @type {string} */ name) => [
    ...['--cache', '--cache-strategy', 'content', '--cache-location', join(kept, name)],
  ]
  // A third of the time of 6.0, which svelte-check and the linter still need.
  const types = (/** @type {string} */ project) =>
    tool(`types (${project})`, 'typescript-native/bin/tsc', [
      ...['-p', project, '--incremental', '--tsBuildInfoFile'],
      join(kept, `${project.replaceAll('/', '-')}.tsbuildinfo`),
    ])
  /** Bundles a Worker as it is deployed, without deploying it. */
  const worker = (/** @type {string} */ name, /** @type {string} */ config) =>
    tool(`worker (${name})`, 'wrangler/bin/wrangler.js', [
      ...['deploy', '--dry-run', '--config', config, '--outdir', join(kept, `worker-${name}`)],
    ])
  return [
    [tool('lint', 'eslint/bin/eslint.js', ['--max-warnings', '0', ...cached('eslint'), '.'])],
    [
      tool('format', 'prettier/bin/prettier.cjs', [
        ...['--check', '--log-level', 'warn', ...cached('prettier'), '.'],
      ]),
    ],
    [
      {
        name: 'types (src)',
        run: async () => {
          const synced = await runTool(root, '@sveltejs/kit/svelte-kit.js', ['sync'])
          if (!synced.ok) return synced
          const args = ['--tsconfig', './tsconfig.svelte.json', '--fail-on-warnings']
          return runTool(root, 'svelte-check/bin/svelte-check', args)
        },
      },
      // Both write to .svelte-kit.
      tool('build', '../scripts/build.mjs', []),
      // Over what was built.
      worker('panel', 'wrangler.jsonc'),
    ],
    [tool('locked packages', '../scripts/checks/check-lock.mjs', [])],
    [said('rooms', () => checkRooms(root)), said('documents', () => checkDocs(root))],
    [types('tsconfig.json')],
    [types('tsconfig.core.json')],
    [types('tsconfig.worker.json')],
    [types('test/workerd')],
    [worker('edge', 'wrangler.edge.jsonc')],
    [
      tool('import rules', 'dependency-cruiser/bin/dependency-cruiser.mjs', [
        '--config',
        '.dependency-cruiser.cjs',
        ...sourceFolders(root),
      ]),
    ],
  ]
}

/**
 * Runs the phases, two lists at a time, with the output of what failed.
 *
 * @param {readonly StaticPhase[][]} lists
 * @returns {Promise<{ passed: number, failed: string[] }>} `failed`: names
 */
export const runStaticPhases = async (lists) => {
  const waiting = [...lists]
  /** @type {{ passed: number, failed: string[] }} */
  const told = { passed: 0, failed: [] }
  const work = async () => {
    for (let list = waiting.shift(); list !== undefined; list = waiting.shift())
      for (const { name, run } of list) {
        const begunMs = Date.now()
        const { ok, output } = await run()
        const secs = ((Date.now() - begunMs) / 1000).toFixed(1)
        console.log(`${ok ? 'ok' : 'FAILED'} ${name}: ${secs} s${ok ? '' : `\n${output}`}`)
        if (ok) told.passed++
        else told.failed.push(name)
      }
  }
  await Promise.all([work(), work()])
  return told
}
