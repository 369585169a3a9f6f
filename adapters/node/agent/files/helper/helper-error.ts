/** A failure meant for the caller; everything else a helper throws is a fault. */
export class HelperError extends Error {
  readonly status: number
  /** `quota` lets the agent count again and retry. */
  readonly reason: 'quota' | null
  constructor(status: number, message: string, reason: 'quota' | null = null) {
    super(message)
    this.name = 'HelperError'
    this.status = status
    this.reason = reason
  }
}

/** `/home/x/a/b` as the account knows it. */
const shown = (path: string): string => `"${path === '' ? '/' : path}"`

export const noSuchPath = (path: string): HelperError =>
  new HelperError(404, `${shown(path)} does not exist.`)
export const noSuchFolder = (path: string): HelperError =>
  new HelperError(404, `The folder ${shown(path)} does not exist. Create it first.`)
export const leadsOutside = (path: string): HelperError =>
  new HelperError(
    403,
    `${shown(path)} leads out of the home directory through a symbolic link, which is not allowed.`,
  )
export const notAFile = (path: string): HelperError =>
  new HelperError(409, `${shown(path)} is not a regular file.`)
export const notADirectory = (path: string): HelperError =>
  new HelperError(409, `${shown(path)} is not a directory.`)
export const overQuota = (path: string): HelperError =>
  new HelperError(
    413,
    `${shown(path)} does not fit into the account's disk quota. Delete files or raise the quota; nothing was changed.`,
    'quota',
  )

/** The failure a system error stands for, in words about `path`; null when it is a fault. */
export const fromErrno = (error: unknown, path: string): HelperError | null => {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return noSuchPath(path)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new HelperError(403, `${shown(path)}: the account has no permission for that.`)
    case 'ELOOP':
      return leadsOutside(path)
    case 'EISDIR':
    case 'ENXIO':
      return notAFile(path)
    case 'EEXIST':
    case 'ENOTEMPTY':
      return new HelperError(409, `${shown(path)} exists already.`)
    case 'ENAMETOOLONG':
      return new HelperError(400, `${shown(path)} is too long.`)
    case 'ENOSPC':
      return new HelperError(
        413,
        `${shown(path)}: the disk of this server that holds the homes is full. Nothing was changed.`,
      )
    case 'EDQUOT':
    case 'EFBIG':
      return new HelperError(413, `${shown(path)} is over the account's disk quota.`)
    // What was a link a moment ago is none any more, and the like.
    case 'EINVAL':
    case 'EBUSY':
    case 'ESTALE':
      return new HelperError(409, `${shown(path)} was changed meanwhile. Try again.`)
    default:
      return null
  }
}
