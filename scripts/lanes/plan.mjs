import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {import('./run-files.mjs').TestFile} TestFile */

/**
 * Vitest's projects in the order in which they are run, what tells most first, and
 * where their files lie. A run that ends waits for the last file: so the project
 * with many middling files is the last one.
 *
 * @type {readonly { name: string, include: string, except?: string }[]}
 */
export const PROJECTS = [
  { name: 'unit', include: 'test/unit/**/*.test.ts' },
  { name: 'contract', include: 'test/node/contract/**/*.test.ts' },
  { name: 'workerd', include: 'test/workerd/**/*.test.ts' },
  { name: 'install', include: 'test/install/**/*.test.ts' },
  { name: 'crash', include: 'test/crash/**/*.test.ts' },
  { name: 'cli', include: 'test/cli/**/*.test.ts' },
  { name: 'e2e', include: 'test/e2e/**/*.test.ts' },
  { name: 'attack', include: 'test/attack/**/*.test.ts' },
  { name: 'node', include: 'test/node/*/**/*.test.ts', except: 'test/node/contract/' },
  { name: 'ui', include: 'test/ui/**/*.test.ts' },
]

/**
 * The files of each project, those that take longest first so that nobody waits for
 * one of them alone: by their last run here, or by their size.
 *
 * @param {string} root
 * @param {Record<string, number>} knownSecs of files in earlier runs
 * @returns {{ name: string, files: TestFile[] }[]}
 */
export const filesOfProjects = (root, knownSecs) =>
  PROJECTS.map(({ name, include, except }) => ({
    name,
    files: globSync(include, { cwd: root })
      .filter((file) => except === undefined || !file.startsWith(except))
      .map((file) => ({
        file,
        weight: knownSecs[file] ?? statSync(join(root, file)).size / 1000,
      }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ file }) => ({ project: name, file })),
  }))
