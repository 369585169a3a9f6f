import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {import('./run-files.mjs').TestFile} TestFile */

/**
 * Vitest's projects in the order in which they are run, what tells most first, and
 * where their files lie. A run that ends waits for the last file: so the project
 * with many middling files is the last one.
 *
 * Those of `vm` run one at a time, each in a virtual machine of its own.
 *
 * @type {readonly { name: string, folder: string, except?: readonly string[] }[]}
 */
export const PROJECTS = [
  { name: 'unit', folder: 'test/unit' },
  { name: 'contract', folder: 'test/node/contract' },
  { name: 'workerd', folder: 'test/workerd' },
  { name: 'install', folder: 'test/install' },
  { name: 'crash', folder: 'test/crash' },
  { name: 'cli', folder: 'test/cli' },
  { name: 'e2e', folder: 'test/e2e' },
  { name: 'attack', folder: 'test/attack' },
  { name: 'link', folder: 'test/node/link' },
  { name: 'hosts', folder: 'test/hosts' },
  { name: 'fronts', folder: 'test/fronts' },
  { name: 'panels', folder: 'test/panels' },
  { name: 'vm', folder: 'test/vm' },
  { name: 'node', folder: 'test/node', except: ['test/node/contract/', 'test/node/link/'] },
  { name: 'ui', folder: 'test/ui' },
]

/** Run where they are named, and by `npm run test:all`: they take long, and packages of their own. */
export const RARE_PROJECTS = ['vm']

/** Node 20 starts this, which has no `globSync`. @param {string} root @param {string} folder */
const testFilesBelow = (root, folder) =>
  (existsSync(join(root, folder)) ? readdirSync(join(root, folder), { recursive: true }) : [])
    .map((name) => join(folder, String(name)))
    .filter((file) => file.endsWith('.test.ts'))

/**
 * The files of each project, those that take longest first so that nobody waits for
 * one of them alone: by their last run here, or by their size.
 *
 * @param {string} root
 * @param {Record<string, number>} knownSecs of files in earlier runs
 * @returns {{ name: string, files: TestFile[] }[]}
 */
export const filesOfProjects = (root, knownSecs) =>
  PROJECTS.map(({ name, folder, except = [] }) => ({
    name,
    files: testFilesBelow(root, folder)
      .filter((file) => !except.some((below) => file.startsWith(below)))
      .map((file) => ({
        file,
        weight: knownSecs[file] ?? statSync(join(root, file)).size / 1000,
      }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ file }) => ({ project: name, file })),
  }))
