/** Name of a file that may be an archive of Berth or of another panel; also one that may stand in a path. */
export const ARCHIVE_NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,200}$/

/** Whether a file's name says that it is an archive, and may be asked for by it. */
export const isArchiveName = (name: string): boolean =>
  ARCHIVE_NAME.test(name) && /\.(?:tar|tar\.gz|tgz|tar\.zst)$/.test(name)
