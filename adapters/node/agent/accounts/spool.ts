import { constants } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../layout/error-code.ts'
import { LINGER } from '../../sshd/user-managers.ts'

/** Where Debian's daemons keep what belongs to a user; all of these directories are root's. */
export interface SpoolPaths {
  crontabs: string
  atJobs: string
  linger: string
  mail: string
}

export const SPOOL_PATHS: SpoolPaths = {
  crontabs: '/var/spool/cron/crontabs',
  atJobs: '/var/spool/cron/atjobs',
  linger: LINGER,
  mail: '/var/mail',
}

interface Owner {
  username: string
  uid: number
}

const MAX_JOB_BYTES = 1 << 20

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

const namesIn = async (directory: string): Promise<string[]> => {
  try {
    return await readdir(directory)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Files through which the account could start something by itself. */
const jobsOf = async (
  owner: Owner,
  paths: SpoolPaths,
): Promise<{ kind: keyof SpoolPaths; file: string; name: string }[]> => {
  const found: { kind: keyof SpoolPaths; file: string; name: string }[] = []
  for (const kind of ['crontabs', 'linger'] as const)
    if ((await namesIn(paths[kind])).includes(owner.username))
      found.push({ kind, file: join(paths[kind], owner.username), name: owner.username })
  for (const name of await namesIn(paths.atJobs)) {
    const file = join(paths.atJobs, name)
    const stat = await lstat(file).catch(() => null)
    if (stat?.isFile() && stat.uid === owner.uid) found.push({ kind: 'atJobs', file, name })
  }
  return found
}

/** Copies a file with owner and mode to a new name that appears whole; never follows a link. */
const copyWhole = async (from: string, to: string): Promise<void> => {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await source.stat()
    if (!stat.isFile() || stat.size > MAX_JOB_BYTES)
      throw new Error(`${from} is not a plain file of at most ${MAX_JOB_BYTES} bytes`)
    const content = await source.readFile()
    const temporary = `${to}.new`
    await rm(temporary, { force: true })
    const target = await open(temporary, 'wx', 0o600)
    try {
      await target.writeFile(content)
      await target.sync()
    } finally {
      await target.close()
    }
    await chown(temporary, stat.uid, stat.gid)
    await chmod(temporary, stat.mode & 0o7777)
    await rename(temporary, to)
  } finally {
    await source.close()
  }
}

/** Takes cron table, at jobs and lingering away into `heldDir` (root's), to be put back by `restoreJobs`. */
export const holdJobs = async (
  owner: Owner,
  heldDir: string,
  paths: SpoolPaths = SPOOL_PATHS,
): Promise<void> => {
  for (const { kind, file, name } of await jobsOf(owner, paths)) {
    const directory = join(heldDir, owner.username, kind)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await copyWhole(file, join(directory, name))
    await unlink(file)
  }
}

/** Puts back exactly what `holdJobs` took. */
export const restoreJobs = async (
  owner: Owner,
  heldDir: string,
  paths: SpoolPaths = SPOOL_PATHS,
): Promise<void> => {
  for (const kind of ['crontabs', 'atJobs', 'linger'] as const) {
    const directory = join(heldDir, owner.username, kind)
    for (const name of await namesIn(directory)) {
      if (name.endsWith('.new')) continue
      await copyWhole(join(directory, name), join(paths[kind], name))
    }
  }
  await forgetJobs(owner, heldDir)
}

/** Drops what was held. */
export const forgetJobs = (owner: Owner, heldDir: string): Promise<void> =>
  rm(join(heldDir, owner.username), { recursive: true, force: true })

/** Removes cron table, at jobs, lingering and the mailbox of the account. */
export const removeSpool = async (owner: Owner, paths: SpoolPaths = SPOOL_PATHS): Promise<void> => {
  for (const { file } of await jobsOf(owner, paths)) await rm(file, { force: true })
  const mailbox = join(paths.mail, owner.username)
  const stat = await lstat(mailbox).catch(() => null)
  if (stat !== null && !stat.isDirectory() && (stat.uid === owner.uid || stat.uid === 0))
    await rm(mailbox, { force: true })
}
