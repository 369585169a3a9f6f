import type { Stats } from 'node:fs'

/** What the agent learns of an entry; it makes the API's shape of it. */
export interface Facts {
  name: string
  type: 'file' | 'directory' | 'symlink'
  sizeBytes: number
  /** Permission bits. */
  mode: number
  mtimeMs: number
  uid: number
}

/** Devices, FIFOs and sockets are told as files of size 0: they can only be deleted. */
export const factsOf = (name: string, stat: Stats): Facts => ({
  name,
  type: stat.isSymbolicLink() ? 'symlink' : stat.isDirectory() ? 'directory' : 'file',
  sizeBytes: stat.isFile() ? stat.size : 0,
  mode: stat.mode & 0o7777,
  mtimeMs: stat.mtimeMs,
  uid: stat.uid,
})
