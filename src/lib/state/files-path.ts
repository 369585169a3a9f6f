interface Place {
  account: number
  /** Folder, relative to the home. */
  path: string
  /** Name of the file in it that is open in the editor. */
  edit?: string
}

/** Address of a folder, or of a file in the editor. */
export const filesPath = ({ account, path, edit }: Place): `/files?${string}` => {
  const query = new URLSearchParams({ account: String(account) })
  if (path !== '') query.set('path', path)
  if (edit !== undefined) query.set('edit', edit)
  return `/files?${query}`
}
