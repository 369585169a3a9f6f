/** Path of every directory on the way to `file`, e.g. `/`, `/a/`. */
export const directoriesOf = (file: string): string[] => {
  const found: string[] = []
  for (let at = file.indexOf('/'); at !== -1; at = file.indexOf('/', at + 1)) {
    const directory = file.slice(0, at + 1)
    if (!directory.endsWith('//')) found.push(directory)
  }
  return found
}
