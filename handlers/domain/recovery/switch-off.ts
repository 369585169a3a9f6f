import { parse } from 'smol-toml'

/** Begins every line of a virtual host by hand that came with an export and was not confirmed yet. */
export const OFF = '#off# '

const TABLE = /^\s*\[/
const HOST_TABLE = /^\s*\[\[?\s*(?:virtualhost|"virtualhost"|'virtualhost')\s*[.\]]/

const documentOf = (text: string): Record<string, unknown> => {
  const { virtualhost: _, ...rest } = parse(text)
  return rest
}

/** The text with every line off: of an included file, which holds nothing but hosts. */
export const allOff = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' || line.startsWith(OFF) ? line : OFF + line))
    .join('\n')

/**
 * The main file with its own virtual hosts off and everything else as it was. Throws
 * where they cannot be told from the rest, e.g. in an inline array.
 */
export const hostsOff = (text: string): string => {
  let inHost = false
  const lines = text.split('\n').map((line) => {
    if (TABLE.test(line)) inHost = HOST_TABLE.test(line)
    return inHost && line !== '' && !line.startsWith(OFF) ? OFF + line : line
  })
  const off = lines.join('\n')
  let same = false
  try {
    const document = parse(off)
    same =
      document['virtualhost'] === undefined &&
      JSON.stringify(document) === JSON.stringify(documentOf(text))
  } catch {
    // A text of several lines held what looks like the head of a table.
  }
  if (same) return off
  throw new Error(
    'the virtual hosts by hand in the main configuration file cannot be told from the rest of it',
  )
}

/** The text as it was before its hosts were switched off. */
export const hostsOn = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line.startsWith(OFF) ? line.slice(OFF.length) : line))
    .join('\n')

/** How many virtual hosts a text would bring back. */
export const countOff = (text: string): number =>
  text
    .split('\n')
    .filter(
      (line) =>
        line.startsWith(OFF) && /^\s*\[\[\s*virtualhost\s*\]\]/.test(line.slice(OFF.length)),
    ).length
