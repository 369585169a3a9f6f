/** What stands behind a key: a text, a list of texts, or texts by key. */
export type PlainYaml = string | string[] | Map<string, string>

const unquoted = (text: string): string => {
  const quote = text.charAt(0)
  const isQuoted =
    text.length > 1 && (quote === "'" || quote === '"') && text.charAt(text.length - 1) === quote
  return isQuoted ? text.slice(1, -1) : text
}

/** `key: value`, or null; a key without a value has ''. */
const pairOf = (text: string): [key: string, value: string] | null => {
  const at = text.endsWith(':') ? text.length - 1 : text.indexOf(': ')
  return at < 1 ? null : [unquoted(text.slice(0, at).trim()), unquoted(text.slice(at + 1).trim())]
}

/**
 * The block style of YAML as programs write it, two floors high: `key: text`, and below
 * `key:` either `- text` lines or indented pairs. Anything else (flow style, anchors,
 * texts over several lines) is skipped. One pass: of the libraries that were tried,
 * one takes a quadratic time for a line of commas.
 */
export const readPlainYaml = (text: string): Map<string, PlainYaml> => {
  const found = new Map<string, PlainYaml>()
  let open: string | null = null
  for (const line of text.split('\n')) {
    const content = line.trim()
    if (content === '' || content === '---' || content.startsWith('#')) continue
    const begun: PlainYaml = (open === null ? '' : found.get(open)) ?? ''
    if (content.startsWith('- ') && open !== null) {
      const item = unquoted(content.slice(2).trim())
      if (Array.isArray(begun)) begun.push(item)
      else if (begun === '') found.set(open, [item])
      continue
    }
    const pair = pairOf(content)
    if (pair === null) continue
    const [key, value] = pair
    if (line.startsWith(' ') && open !== null) {
      if (begun instanceof Map) begun.set(key, value)
      else if (begun === '') found.set(open, new Map([pair]))
      continue
    }
    open = value === '' ? key : null
    found.set(key, value)
  }
  return found
}
