import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mustRun } from '#adapters/node/process/run-command.ts'

const REPOSITORY = new URL('../../..', import.meta.url).pathname
/** The work tree may belong to somebody else. */
const GIT_ENV = {
  HOME: '/root',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
}

interface BuildScript {
  ensureBuild(root: string, options: { quiet: boolean }): void
  markBuilt(root: string): void
}
const isBuildScript = (value: unknown): value is BuildScript =>
  typeof value === 'object' && value !== null && 'ensureBuild' in value && 'markBuilt' in value

/** The panel's pages are not what is tested here: every version gets the build of the work tree. */
const addBuild = async (to: string): Promise<void> => {
  const script: unknown = await import(pathToFileURL(join(REPOSITORY, 'scripts/build.mjs')).href)
  if (!isBuildScript(script)) throw new Error('scripts/build.mjs cannot mark a build')
  if (!existsSync(join(REPOSITORY, 'build/handler.js')))
    script.ensureBuild(REPOSITORY, { quiet: true })
  await cp(join(REPOSITORY, 'build'), join(to, 'build'), { recursive: true })
  script.markBuilt(to)
}

/** Names that .gitignore has, for a work tree that was not cloned. */
const IGNORED =
  /^(\.git|node_modules|build|dist|\.svelte-kit|var|\.cache|coverage|test-output|\.wrangler)$|\.(log|cpuprofile)$/

/** Below `directory`, relative to the work tree. */
const walk = async (directory: string): Promise<string[]> => {
  const entries = await readdir(join(REPOSITORY, directory), { withFileTypes: true })
  const found = entries
    .filter(({ name }) => !IGNORED.test(name))
    .map((entry) => ({ path: join(directory, entry.name), isDirectory: entry.isDirectory() }))
  const lists = found.map(({ path, isDirectory }) => (isDirectory ? walk(path) : [path]))
  return (await Promise.all(lists)).flat()
}

const sourceFiles = async (): Promise<string[]> => {
  if (!existsSync(join(REPOSITORY, '.git'))) return walk('.')
  const { stdout } = await mustRun(
    'git',
    ['-C', REPOSITORY, 'ls-files', '-coz', '--exclude-standard'],
    { env: GIT_ENV },
  )
  // A file that was removed and not committed yet is still listed.
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(REPOSITORY, file)))
}

/** The sources as they are in the work tree. */
export const copySources = async (to: string): Promise<void> => {
  for (const file of await sourceFiles()) {
    await mkdir(dirname(join(to, file)), { recursive: true })
    await cp(join(REPOSITORY, file), join(to, file))
  }
}

/** The sources, with the build of the work tree. */
export const copyWorkTree = async (to: string): Promise<void> => {
  await copySources(to)
  await addBuild(to)
}

/**
 * The version before the last commit; where that one cannot be had, or could not
 * be installed yet, the work tree. Under an earlier number either way: a commit
 * that touches nothing of what is installed would be no upgrade.
 */
export const copyEarlierVersion = async (to: string): Promise<void> => {
  await mkdir(to, { recursive: true })
  const archive = join(to, '.archive.tar')
  const git = ['-C', REPOSITORY]
  try {
    await mustRun('git', [...git, 'cat-file', '-e', 'HEAD~1:install.sh'], { env: GIT_ENV })
    await mustRun('git', [...git, 'archive', '--output', archive, 'HEAD~1'], { env: GIT_ENV })
    await mustRun('tar', ['-xf', archive, '-C', to])
    await addBuild(to)
  } catch {
    await copyWorkTree(to)
  }
  await change(join(to, 'package.json'), '"version": "', '"version": "0.')
}

/** Replaces the first `from` in a file, which must be there. */
export const change = async (file: string, from: string, into: string): Promise<void> => {
  const text = await readFile(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  await writeFile(
    file,
    text.replace(from, () => into),
  )
}
