/** The folder of a path relative to a home; '' is the home. */
export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''

/** A name inside a folder. */
export const joinPath = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
