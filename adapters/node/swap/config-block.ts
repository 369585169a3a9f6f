const BEGIN = '# >>> sites taken over by "berth swap"; written anew by it, change nothing in here'
const END = '# <<< end of the sites taken over by "berth swap"'

const find = (text: string): { from: number; to: number } | null => {
  const from = text.indexOf(`${BEGIN}\n`)
  const end = from === -1 ? -1 : text.indexOf(`${END}\n`, from)
  return end === -1 ? null : { from, to: end + END.length + 1 }
}

/** The configuration without what a swap added to it. */
export const withoutBlock = (text: string): string => {
  const found = find(text)
  if (found === null) return text
  const before = text.slice(0, found.from)
  // The empty line that stands before the block came with it.
  return (before.endsWith('\n\n') ? before.slice(0, -1) : before) + text.slice(found.to)
}

/** The configuration with the sites in the place of those of an earlier swap, else at its end. */
export const withBlock = (text: string, sites: readonly string[]): string => {
  const block = `${BEGIN}\n${sites.join('\n')}${END}\n`
  const found = find(text)
  if (found !== null) return text.slice(0, found.from) + block + text.slice(found.to)
  const line = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${line}\n${block}`
}
