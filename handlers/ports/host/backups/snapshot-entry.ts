/** A file, folder or link in a snapshot or an archive. */
export interface SnapshotEntry {
  /** Below the home, without leading slash; for databases their names are told apart. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  sizeBytes: number
  /** Octal digits, e.g. `644`. */
  mode: string
  modifiedAt: string
}
