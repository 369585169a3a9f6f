import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  readSubmodules,
  submoduleFault,
  submoduleSource,
  type Submodule,
  type SubmoduleSource,
} from '#handlers/domain/applications/submodules.ts'
import { CHECKED, OWN_SETTINGS } from './git-settings.ts'
import { reachSource, type Asking, type Reached } from './reach-source.ts'
import { readGit, runGit } from './run-git.ts'

/** Of submodules in submodules. */
const MOST_DEEP = 5
/** Of a repository and of all that it brings along. */
const MOST_SUBMODULES = 50

/** What all of a fetch has in common. */
export interface Fetching {
  asking: Asking
  mayBeLocal: boolean
  env: NodeJS.ProcessEnv
  /** Submodules in all; default 50. */
  most?: number
  /** Told what is fetched, in a line. */
  say(line: string): void
}

interface Place {
  directory: string
  source: SubmoduleSource
  /** 0: the repository itself. */
  depth: number
}

/** The commit that the repository wants at a path; null: it wants none there. */
const commitAt = async (directory: string, path: string, env: NodeJS.ProcessEnv) => {
  const listed = await readGit(directory, ['ls-tree', '-z', 'HEAD', '--', path], env)
  for (const entry of listed?.split('\0') ?? []) {
    const [, commit, at] = /^160000 commit ([0-9a-f]{40,64})\t(.+)$/s.exec(entry) ?? []
    if (commit !== undefined && at === path) return commit
  }
  return null
}

/** Its submodules, as far as they are a file of its own and not a link to elsewhere. */
const namedIn = async (directory: string, env: NodeJS.ProcessEnv): Promise<Submodule[]> => {
  const entry = await readGit(directory, ['ls-tree', '-z', 'HEAD', '--', '.gitmodules'], env)
  if (entry === null || !/^100(?:644|755) blob /.test(entry)) return []
  const args = ['config', '--blob', 'HEAD:.gitmodules', '-z', '--list']
  return readSubmodules((await readGit(directory, args, env)) ?? '')
}

/** Where git left an empty folder for it: nothing else is written to. */
const assertEmptyFolder = (directory: string, path: string): void => {
  let at = directory
  for (const part of path.split('/')) {
    at = join(at, part)
    const there = lstatSync(at, { throwIfNoEntry: false })
    if (there?.isDirectory() !== true)
      throw new Error('has no folder of its own in the repository.')
  }
  if (readdirSync(at).length > 0) throw new Error('has a folder that is not empty.')
}

const fetchCommit = async (
  directory: string,
  commit: string,
  { options, env: reach, url }: Reached,
  env: NodeJS.ProcessEnv,
): Promise<void> => {
  const all = { ...env, ...reach }
  const git = (...args: string[]) => runGit([...options, ...CHECKED, '-C', directory, ...args], all)
  const fetch = (...what: string[]) =>
    git('fetch', '--quiet', '--no-tags', '--no-recurse-submodules', ...what)
  if ((await git('init', '--quiet', '--template=')) !== 0) throw new Error('could not be begun.')
  // Not every host gives away a commit by its name alone.
  const alone = await fetch('--depth=1', '--', url, commit)
  if (alone !== 0 && (await fetch('--', url, '+refs/heads/*:refs/remotes/origin/*')) !== 0)
    throw new Error('could not be fetched.')
  if ((await git('checkout', '--quiet', '--detach', commit, '--')) !== 0)
    throw new Error(`has no commit ${commit.slice(0, 12)} where it is fetched from.`)
}

/**
 * Fetches the submodules of what was cloned from `source` into `directory`, and theirs, each to the
 * commit that its repository names. Git's own commands for them are not used: names decide nothing,
 * every address is judged as that of a repository is, and each is reached by its own way alone.
 * Throws what is wrong with one, in a sentence.
 */
export const fetchSubmodules = async (
  directory: string,
  source: SubmoduleSource,
  { asking, mayBeLocal, env: given, most = MOST_SUBMODULES, say }: Fetching,
): Promise<void> => {
  const env = { ...given, ...OWN_SETTINGS }
  const places: Place[] = [{ directory, source, depth: 0 }]
  let count = 0

  const take = async (one: Submodule, from: Place): Promise<void> => {
    const fault = submoduleFault(one)
    if (fault !== null) throw new Error(fault)
    if (one.isLeft) return say(`Submodule ${one.path}: left out, as its repository says`)
    const commit = await commitAt(from.directory, one.path, env)
    if (commit === null) return
    count += 1
    if (count > most) throw new Error(`is one more than ${most}.`)
    if (from.depth >= MOST_DEEP) throw new Error(`lies more than ${MOST_DEEP} repositories deep.`)
    const its = submoduleSource(from.source, one.url)
    if (typeof its === 'string') throw new Error(`has an address that ${its}`)
    say(`Submodule ${one.path}: ${its.kind === 'own' ? `${its.application}.git` : its.url}`)
    assertEmptyFolder(from.directory, one.path)
    const reached = await reachSource(its, asking, mayBeLocal)
    const into = join(from.directory, one.path)
    await fetchCommit(into, commit, reached, env)
    places.push({ directory: into, source: its, depth: from.depth + 1 })
  }

  for (let place = places.shift(); place !== undefined; place = places.shift())
    for (const one of await namedIn(place.directory, env))
      try {
        await take(one, place)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`The submodule ${JSON.stringify(one.path.slice(0, 100))} ${why}`, {
          cause: error,
        })
      }
}
