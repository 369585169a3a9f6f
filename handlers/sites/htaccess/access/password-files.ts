const LF = 0x0a
const COLON = 0x3a
/** A name's end, and what parts the members of a group. */
const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/**
 * The hash that a file of passwords (`name:hash`) has for a user, of several lines the first;
 * null: none. Each character is looked at once: a file may have a million lines, and is read
 * for each request that names its user.
 */
export const hashIn = (text: string, user: string): string | null => {
  // What no line can hold would be found over two of them.
  if (user === '' || user.includes('\n') || user.includes(':')) return null
  const first = user.charCodeAt(0)
  for (let at = 0; at < text.length; at++) {
    const begins = at === 0 || text.charCodeAt(at - 1) === LF
    if (!begins || text.charCodeAt(at) !== first || !text.startsWith(`${user}:`, at)) continue
    const end = text.indexOf('\n', at)
    const line = text.slice(at + user.length + 1, end === -1 ? text.length : end)
    return line.split(':', 1)[0]?.trim() || null
  }
  return null
}

/** The groups of a file of groups (`name: member member`) that have a user; each character is looked at once. */
export const groupsIn = (text: string, user: string): string[] => {
  const found: string[] = []
  let lineAt = 0
  let colonAt = -1
  let wordAt = -1
  let isOver = false
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? LF : text.charCodeAt(at)
    const parts = code === COLON || isBlank(code)
    if (!parts) {
      if (wordAt === -1) wordAt = at
    } else if (wordAt !== -1) {
      const isMember = colonAt !== -1 && !isOver && at - wordAt === user.length
      if (isMember && text.startsWith(user, wordAt)) {
        found.push(text.slice(lineAt, colonAt).trim())
        isOver = true
      }
      wordAt = -1
    }
    // Behind a second colon nothing counts.
    if (code === COLON) {
      if (colonAt === -1) colonAt = at
      else isOver = true
    } else if (code === LF) {
      lineAt = at + 1
      colonAt = -1
      isOver = false
    }
  }
  return found
}
