import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asUser } from '../process/as-user.ts'
import { runCommand } from '../process/run-command.ts'

const UNPACK_MS = 5 * 60_000
/** Where a Node lies in the archives of npm's `node-linux-*`, and in those of nodejs.org. */
const PLACES = [/^package\/bin\/node$/, /^node-v[0-9.]+-linux-[a-z0-9]+\/bin\/node$/]
const NOBODY = 65_534

/** Why a version could not be added or removed, for who asked for it. */
export class NodeVersionError extends Error {}

const nameOf = (version: string): string => `node-${version}`

/** Versions that were added to `directory`, which is `<state_dir>/runtimes`; in no order. */
export const addedNodes = async (directory: string): Promise<string[]> =>
  (await readdir(directory).catch(() => [])).flatMap((name) => {
    const [, version] = /^node-(\d+\.\d+\.\d+)$/.exec(name) ?? []
    return version !== undefined && existsSync(join(directory, name, 'bin/node')) ? [version] : []
  })

/** What it calls itself: asked as nobody, who can do little with a program that is none of Node's. */
const versionOf = async (binary: string): Promise<string> => {
  const isRoot = process.getuid?.() === 0
  const nobody = { uid: NOBODY, gid: NOBODY, groups: 'none' as const }
  const { program, args } = asUser(isRoot ? nobody : null, binary, ['--version'])
  const { code, stdout, stderr } = await runCommand(program, args, { timeoutMs: 20_000 })
  const [, version] = /^v(\d+\.\d+\.\d+)\n?$/.exec(stdout) ?? []
  if (code === 0 && version !== undefined) return version
  throw new NodeVersionError(
    `Its bin/node does not run here (is it for another processor?): ${stderr.trim().slice(0, 300)}`,
  )
}

/**
 * Adds the Node of an archive (`node-linux-*` of npm, or nodejs.org's `.tar.gz` and `.tar.xz`) to
 * what applications may run with, and answers its version. What is added counts at once; only the
 * program itself is taken out of the archive. `directory`, `<state_dir>/runtimes`, is made where it
 * is missing.
 *
 * @throws NodeVersionError when it is no such archive, or is there already
 */
export const addNode = async (archive: string, directory: string): Promise<string> => {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const fresh = await mkdtemp(join(directory, '.new-'))
  try {
    const listed = await runCommand('/usr/bin/tar', ['-tf', archive], { timeoutMs: UNPACK_MS })
    const member = listed.stdout
      .split('\n')
      .find((name) => PLACES.some((place) => place.test(name)))
    if (listed.code !== 0 || member === undefined)
      throw new NodeVersionError(
        `${archive} is no archive of Node for Linux: it has no bin/node. Take the one of npm's package node-linux-${process.arch}, or node-vVERSION-linux-${process.arch}.tar.gz of nodejs.org.`,
      )
    const unpacked = await runCommand(
      '/usr/bin/tar',
      [...['-xf', archive, '-C', fresh, '--no-same-owner', '--strip-components=1', '--', member]],
      { timeoutMs: UNPACK_MS },
    )
    const binary = join(fresh, 'bin/node')
    if (unpacked.code !== 0 || !(await lstat(binary).catch(() => null))?.isFile())
      throw new NodeVersionError(`${archive} cannot be unpacked: ${unpacked.stderr.trim()}`)
    for (const path of [fresh, join(fresh, 'bin'), binary]) await chmod(path, 0o755)
    const version = await versionOf(binary)
    const place = join(directory, nameOf(version))
    if (existsSync(join(place, 'bin/node')))
      throw new NodeVersionError(`Node ${version} is there already.`)
    // A half one, which was put there by hand.
    await rm(place, { recursive: true, force: true })
    await rename(fresh, place)
    return version
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/**
 * Removes a version that was added. What runs with it goes on; the next start of an application
 * that names it fails. `usersOf` tells those that do, and is asked before anything is removed.
 *
 * @throws NodeVersionError when it is not there, or is used
 */
export const removeNode = async (
  version: string,
  directory: string,
  usersOf: (version: string) => Promise<readonly string[]>,
): Promise<void> => {
  const added = await addedNodes(directory)
  if (!added.includes(version))
    throw new NodeVersionError(
      `Node ${version} was not added here. Added: ${added.join(', ') || 'none'}.`,
    )
  const users = await usersOf(version)
  if (users.length > 0)
    throw new NodeVersionError(
      `Node ${version} is used by ${users.slice(0, 20).join(', ')}. Choose another version for them (berth app update ACCOUNT NAME --runtime-version), or add --force.`,
    )
  const gone = await mkdtemp(join(directory, '.gone-'))
  await rename(join(directory, nameOf(version)), join(gone, 'node'))
  await rm(gone, { recursive: true, force: true })
}
