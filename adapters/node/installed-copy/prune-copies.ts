import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Copies used within this time stay, whoever uses them. */
const KEEP_MS = 24 * 3600 * 1000

/** Text that shows which programs and files the machine's processes run from. */
const runningPaths = (): string => {
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      found.push(readlinkSync(`/proc/${pid}/exe`), readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    } catch {
      // A kernel thread, or ended meanwhile.
    }
  }
  return found.join('\n')
}

/**
 * Removes installed copies that nothing uses: not the current one, not what a
 * link beside them leads to, not used for a day, and no process runs from it. Other
 * instances may share the directory.
 */
export const pruneCopies = (installDir: string, currentAppDir: string, nowMs: number): string[] => {
  const names = readdirSync(installDir)
  const running = runningPaths()
  const isOld = (name: string): boolean =>
    nowMs - statSync(join(installDir, name)).mtimeMs > KEEP_MS
  const unused = (name: string): boolean => !running.includes(join(installDir, name)) && isOld(name)
  const removed: string[] = []
  const remove = (name: string): void => {
    rmSync(join(installDir, name), { recursive: true, force: true })
    removed.push(name)
  }
  const linkTarget = (name: string): string => {
    const path = join(installDir, name)
    return lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : ''
  }
  const depsOf = (app: string): string => {
    try {
      return readlinkSync(join(installDir, app, 'node_modules')).split('/')[1] ?? ''
    } catch {
      return ''
    }
  }
  const linked = new Set([basename(currentAppDir), ...names.map(linkTarget)])
  for (const name of names)
    if (/^app-[0-9a-f]+$/.test(name) && !linked.has(name) && unused(name)) remove(name)
    else if (/^\.new-[0-9a-f]+$/.test(name) && isOld(name)) remove(name)
  const apps = names.filter((name) => name.startsWith('app-') && !removed.includes(name))
  const needed = new Set(apps.map(depsOf))
  for (const name of names)
    if (/^deps-[0-9a-f]+$/.test(name) && !needed.has(name) && unused(name)) remove(name)
  return removed
}
