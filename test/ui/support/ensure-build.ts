import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = ['src', 'static', 'svelte.config.js', 'vite.config.ts', 'package-lock.json']

const newestMs = (path: string): number => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  const below = readdirSync(path).map((name) => newestMs(join(path, name)))
  return Math.max(stat.mtimeMs, ...below)
}
const builtMs = (): number =>
  statSync(join(ROOT, 'build/handler.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Builds the UI unless the build is newer than everything it is made from. */
export const ensureBuild = async (): Promise<void> => {
  if (Math.max(...SOURCES.map((name) => newestMs(join(ROOT, name)))) < builtMs()) return
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
  await mustRun(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    timeoutMs: 180_000,
  })
}
