/** Where an archive is: a file of the server or at a target, or a backup that the panel knows. */
export type ImportSource =
  | { path: string }
  | { target: string; filename: string }
  /** Of an account, also one that is gone. */
  | { account_id: number; filename: string; location?: string }

/** What people call the archive. */
export const sourceName = (source: ImportSource): string =>
  'path' in source ? (source.path.split('/').at(-1) ?? '') : source.filename
