import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
} from 'node:fs'
import type { PathProblem } from '#handlers/ports/host/inspection.ts'

/** How a file or directory has to be. */
export interface OwnedPath {
  /** Absolute; no part of it but the last may be in a tenant's hands. */
  path: string
  kind: 'directory' | 'file'
  uid: number
  gid: number
  mode: number
  /** Whether it may be absent. Default false. */
  optional?: boolean
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

/** What is wrong with it; null: nothing. Looks at the name itself and follows no link. */
export const pathProblem = (wanted: OwnedPath): PathProblem | null => {
  const { path, kind, uid, gid, mode } = wanted
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined)
    return wanted.optional === true ? null : { path, problem: 'is missing', repairable: false }
  if (kind === 'directory' ? !stat.isDirectory() : !stat.isFile())
    return { path, problem: `is no ${kind}`, repairable: false }
  const problems = [
    ...(stat.uid === uid ? [] : [`belongs to uid ${stat.uid} instead of ${uid}`]),
    ...(stat.gid === gid ? [] : [`has group ${stat.gid} instead of ${gid}`]),
    ...((stat.mode & 0o7777) === mode
      ? []
      : [`has mode ${octal(stat.mode & 0o7777)} instead of ${octal(mode)}`]),
  ]
  return problems.length === 0 ? null : { path, problem: problems.join(', '), repairable: true }
}

/** Sets owner and mode on the opened thing itself, so that a link put in its place is refused. */
export const settlePath = ({ path, kind, uid, gid, mode }: OwnedPath): void => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const fd = openSync(path, kind === 'directory' ? flags | constants.O_DIRECTORY : flags)
  try {
    const stat = fstatSync(fd)
    if (kind === 'file' && (!stat.isFile() || stat.nlink !== 1))
      throw new Error(`${path} is no plain file of its own`)
    if (stat.uid !== uid || stat.gid !== gid) fchownSync(fd, uid, gid)
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}
