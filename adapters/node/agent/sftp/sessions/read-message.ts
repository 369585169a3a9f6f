/** What a session of an account says it did. */
export type SessionMessage =
  | { kind: 'opened'; address: string }
  | { kind: 'closed' }
  /** Null: at a place that is not told plainly. */
  | { kind: 'changed'; paths: readonly string[] | null }

/** As syslog(3) writes it, after its priority and time: program, process, text. */
const ENTRY = /^<\d{1,3}>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w-]{1,40}\[\d{1,10}\]: /
const MOST_CHARACTERS = 4096
/** Words with which sftp-server(8) begins what it says of a change; reading and listing are none. */
const CHANGES =
  /^(?:posix-rename|rename|remove|rmdir|mkdir|symlink|hardlink|set|lsetstat|copy-data) /
const OPENED = /^open ".*" flags \S*(?:CREATE|TRUNCATE)/s
const CLOSED = /^(?:forced )?close ".*" bytes read \d+ written [1-9]/s
const LOGIN = /^session opened for local user \S{1,40} from \[([\da-fA-F.:]{2,45})(?:%\w{1,20})?\]$/

/** Whole paths in quotes; null: some are not, or hold what was written in another way. */
const pathsOf = (text: string): string[] | null => {
  const quoted = text.split('"').filter((_, index) => index % 2 === 1)
  const plain = quoted.length > 0 && quoted.every((path) => path.startsWith('/'))
  return plain && !/\\|\/\.\.?(?:\/|"|$)/.test(text) ? quoted : null
}

/** Reads an entry of internal-sftp; null for what says nothing of these. */
export const readSessionMessage = (entry: string): SessionMessage | null => {
  const line = entry.slice(0, MOST_CHARACTERS)
  const head = ENTRY.exec(line)
  if (head === null) return null
  const text = line.slice(head[0].length).trimEnd()
  const address = LOGIN.exec(text)?.[1]
  if (address !== undefined) return { kind: 'opened', address }
  if (text.startsWith('session closed for ')) return { kind: 'closed' }
  if (CHANGES.test(text) || OPENED.test(text) || CLOSED.test(text))
    return { kind: 'changed', paths: entry.length > MOST_CHARACTERS ? null : pathsOf(text) }
  return null
}
