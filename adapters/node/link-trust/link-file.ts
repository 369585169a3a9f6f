import { statSync } from 'node:fs'

/** Who reads what root writes for the link; null where one user does it all. */
export type Reader = { gid: number } | null

/** Mode and owner of a file that the link reads. */
export const modes = (reader: Reader) => ({
  mode: reader === null ? 0o600 : 0o640,
  ...(reader !== null && { owner: { uid: 0, gid: reader.gid } }),
})

/** What tells one state of a file from another; empty where there is none. */
export const fileStamp = (file: string): string => {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`
}
