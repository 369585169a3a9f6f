interface Place {
  account: number
  snapshot: string
  /** Folder below the home. */
  path: string
  /** Of a folder with many entries, from 1. */
  page?: number
}

/** Address of a folder of a snapshot. */
export const snapshotPath = ({
  account,
  snapshot,
  path,
  page = 1,
}: Place): `/backups/snapshots?${string}` => {
  const query = new URLSearchParams({ account: String(account), snapshot })
  if (path !== '') query.set('path', path)
  if (page > 1) query.set('part', String(page))
  return `/backups/snapshots?${query}`
}
