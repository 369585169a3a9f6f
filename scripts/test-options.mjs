import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { filesOfProjects, PROJECTS, RARE_PROJECTS } from './lanes/plan.mjs'

/** What `npm test -- --help` prints. */
export const USAGE = `npm test [-- WHAT ... OPTIONS]

WHAT: projects (${PROJECTS.map(({ name }) => name).join(', ')}), or test files, which are
run without the static phases. Nothing: everything but ${RARE_PROJECTS.join(', ')}.
  -t, --name PATTERN  only tests whose full name fits the regular expression
  --all               go on after a project with failures
  --whole             slow matrices whole instead of sampled, and all drills that take turns,
                      and ${RARE_PROJECTS.join(', ')} (npm run test:all)
  --seed N            choose of slow matrices what an earlier run chose
  --fresh             keep nothing of earlier runs: empty caches, a new build
  --lanes N           files at a time (default: processors + 2)`

/**
 * @typedef {object} TestOptions
 * @property {readonly string[]} projects
 * @property {readonly string[]} files relative to the checkout; empty: all of the projects
 * @property {string | undefined} name
 * @property {boolean} all
 * @property {boolean} whole
 * @property {string} seed
 * @property {boolean} fresh
 * @property {number} lanes
 */

/**
 * Reads the command line. Throws an error with a sentence for whoever typed it.
 *
 * @param {string} root
 * @param {string[]} args
 * @returns {TestOptions | 'help'}
 */
export const readTestOptions = (root, args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: 'string', short: 't' },
      all: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      seed: { type: 'string' },
      fresh: { type: 'boolean', default: false },
      lanes: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const known = PROJECTS.map(({ name }) => name)
  const isFile = (/** @type {string} */ word) => word.endsWith('.ts')
  const unknown = positionals.filter((word) => !known.includes(word) && !isFile(word))
  if (unknown.length > 0)
    throw new Error(
      `No such tests: ${unknown.join(', ')}. There are: ${known.join(', ')}; or name a file (test/.../name.test.ts).`,
    )
  const files = positionals.filter(isFile).map((file) => {
    const path =
      isAbsolute(file) || !existsSync(join(root, file)) ? resolve(file) : join(root, file)
    return relative(root, path)
  })
  const all = new Set(
    filesOfProjects(root, {}).flatMap((project) => project.files.map(({ file }) => file)),
  )
  const missing = files.filter((file) => !all.has(file))
  if (missing.length > 0) throw new Error(`No such test file: ${missing.join(', ')}.`)
  const projects = positionals.filter((word) => known.includes(word))
  if (files.length > 0 && projects.length > 0) throw new Error('Name projects or files, not both.')
  const lanes = Number(values.lanes ?? cpus().length + 2)
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > 64)
    throw new Error(`--lanes takes a number from 1 to 64, not "${values.lanes}".`)
  // A file that is named is run, whichever project it is of.
  const usual =
    values.whole || files.length > 0 ? known : known.filter((name) => !RARE_PROJECTS.includes(name))
  return {
    projects: projects.length > 0 ? projects : usual,
    files,
    name: values.name,
    all: values.all,
    whole: values.whole,
    seed: values.seed ?? String(randomInt(1_000_000)),
    fresh: values.fresh,
    lanes,
  }
}
