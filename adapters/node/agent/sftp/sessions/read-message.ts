import type { SftpLoginKind } from '#handlers/ports/host/sftp.ts'

/** What a session of an account says it did; `process`: who says so. */
export type SessionMessage = { process: number } & (
  | { kind: 'opened'; address: string }
  | { kind: 'closed' }
  /** Null: at a place that is not told plainly. */
  | { kind: 'changed'; paths: readonly string[] | null }
  /** A file that was closed again, with what went through it. */
  | { kind: 'moved'; paths: readonly string[] | null; readBytes: number; writtenBytes: number }
  /** sshd itself: somebody is in, by the key of that number or, null, by the password. */
  | { kind: 'began'; keyId: number | null }
  /** sshd itself: where from, and what for where it says that, too. */
  | { kind: 'located'; address: string; asked: 'sftp' | null }
  /** The login program of a shell: what the connection that `of` serves is for. */
  | { kind: 'asked'; of: number; asked: SftpLoginKind }
  /** What git runs after a push: to which branch of whose repository, by the name of the application. */
  | { kind: 'pushed'; name: string; branch: string }
  | { kind: 'ended' }
)

/** As syslog(3) writes it, after its priority and time: program, process, text. */
const ENTRY = /^<\d{1,3}>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([\w-]{1,40})\[(\d{1,10})\]: /
const MOST_CHARACTERS = 4096
/** Words with which sftp-server(8) begins what it says of a change; reading and listing are none. */
const CHANGES =
  /^(?:posix-rename|rename|remove|rmdir|mkdir|symlink|hardlink|set|lsetstat|copy-data) /
const OPENED = /^open ".*" flags \S*(?:CREATE|TRUNCATE)/s
const CLOSED = /^(?:forced )?close ".*" bytes read (\d{1,15}) written (\d{1,15})$/s
const LOGIN = /^session opened for local user \S{1,40} from \[([\da-fA-F.:]{2,45})(?:%\w{1,20})?\]$/

/** Whole paths in quotes; null: some are not, or hold what was written in another way. */
const pathsOf = (text: string): string[] | null => {
  const quoted = text.split('"').filter((_, index) => index % 2 === 1)
  const plain = quoted.length > 0 && quoted.every((path) => path.startsWith('/'))
  return plain && !/\\|\/\.\.?(?:\/|"|$)/.test(text) ? quoted : null
}

/** What `LogVerbose` makes sshd say: the options that hold, which for a key tell its number (`key-files.ts`). */
const ACTIVE = /auth_log_authopts\(\):\d{1,6} \(pid=\d{1,10}\): active: key options:/
const NUMBER = / tun=(\d{1,10})(?: |$)/
const STARTING = /do_exec\(\):\d{1,6} \(pid=\d{1,10}\): Starting session: /
const FROM = / from ([\da-fA-F.:]{2,45})(?:%\w{1,20})? port \d{1,5} id \d{1,10}$/
const JAILED = /: Starting session: forced-command \(config\) 'internal-sftp /
const ASKED = /^(sftp|shell|scp|rsync|command) for (\d{1,10})$/
const KINDS: readonly SftpLoginKind[] = ['sftp', 'shell', 'scp', 'rsync', 'command']
const PUSHED = /^([a-z][a-z0-9-]{0,31}) ([A-Za-z0-9_][\w./+-]{0,199})$/
const GONE = /^Disconnected from user \S{1,40} /

const ofSshd = (text: string, process: number): SessionMessage | null => {
  if (ACTIVE.test(text)) {
    const number = NUMBER.exec(text)?.[1]
    return { kind: 'began', process, keyId: number === undefined ? null : Number(number) }
  }
  const address = STARTING.test(text) ? FROM.exec(text)?.[1] : undefined
  if (address !== undefined)
    return { kind: 'located', process, address, asked: JAILED.test(text) ? 'sftp' : null }
  return GONE.test(text) ? { kind: 'ended', process } : null
}

/** Reads an entry of sshd or internal-sftp; null for what says nothing of these. */
export const readSessionMessage = (entry: string): SessionMessage | null => {
  const line = entry.slice(0, MOST_CHARACTERS)
  const head = ENTRY.exec(line)
  if (head === null) return null
  const text = line.slice(head[0].length).trimEnd()
  const process = Number(head[2])
  // Called sshd-session from OpenSSH 9.8 on.
  if (head[1] === 'sshd' || head[1] === 'sshd-session') return ofSshd(text, process)
  if (head[1] === 'berth-login') {
    const [, word, of] = ASKED.exec(text) ?? []
    const asked = KINDS.find((kind) => kind === word)
    return asked === undefined ? null : { kind: 'asked', process, of: Number(of), asked }
  }
  if (head[1] === 'berth-push') {
    const [, name, branch] = PUSHED.exec(text) ?? []
    return name === undefined || branch === undefined
      ? null
      : { kind: 'pushed', process, name, branch }
  }
  const address = LOGIN.exec(text)?.[1]
  if (address !== undefined) return { kind: 'opened', process, address }
  if (text.startsWith('session closed for ')) return { kind: 'closed', process }
  const paths = entry.length > MOST_CHARACTERS ? null : pathsOf(text)
  const moved = CLOSED.exec(text)
  if (moved !== null) {
    const [readBytes, writtenBytes] = [Number(moved[1]), Number(moved[2])]
    return { kind: 'moved', process, paths, readBytes, writtenBytes }
  }
  return CHANGES.test(text) || OPENED.test(text) ? { kind: 'changed', process, paths } : null
}
