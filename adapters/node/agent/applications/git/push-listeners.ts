import type { Caller } from '../../sftp/sessions/session-logs.ts'

/** Who pushed and waits to hear what becomes of it, by the ids of pushes. Who has gone is forgotten; no push depends on it. */
export interface PushListeners {
  /** Of too many it ends the new one at once. */
  add(id: string, username: string, caller: Caller): void
  /** What the deployment wrote since, and once it has ended (`ended`) the last sentence. False: nobody hears it. */
  tell(id: string, text: string, ended: string | null): boolean
}

/** Of all accounts. */
const MOST = 100
const MOST_OF_ONE = 8
/** Of one push; the panel shows the rest. */
const MOST_CHARACTERS = 262_144
/** Not yet taken by who hears it; what comes meanwhile is left out. */
const MOST_BEHIND_BYTES = 65_536
/** The panel says something every few seconds, and be it nothing new. */
const SILENCE_MS = 60_000
/** Fetching, installing and building may take an hour each. */
const MOST_MS = 4 * 3_600_000

const CUT = '[...] The panel shows the rest.\n'
const SILENT = 'The panel does not answer now. It shows how it goes once it does.\n'

interface Listening {
  username: string
  caller: Caller
  /** How many characters more it is told. */
  left: number
  /** Whether the last thing that it was told ends a line. */
  atLineStart: boolean
  silence: NodeJS.Timeout
  longest: NodeJS.Timeout
}

/** Lines for a terminal of somebody else: without characters that would move its cursor. */
const plain = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- these are what must not come through
  text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')

/** `silenceMs`: after that much of it nobody waits any longer. */
export const createPushListeners = (silenceMs = SILENCE_MS): PushListeners => {
  const all = new Map<string, Listening>()
  const forget = (id: string): void => {
    const one = all.get(id)
    if (one === undefined) return
    all.delete(id)
    clearTimeout(one.silence)
    clearTimeout(one.longest)
  }
  const end = (id: string, sentence: string): void => {
    const one = all.get(id)
    if (one === undefined) return
    forget(id)
    one.caller.write(`${one.atLineStart ? '' : '\n'}${sentence}`)
    one.caller.end()
  }
  return {
    add(id, username, caller) {
      const own = [...all.values()].filter((one) => one.username === username)
      if (all.size >= MOST || own.length >= MOST_OF_ONE) {
        caller.end()
        return
      }
      const silence = setTimeout(() => end(id, SILENT), silenceMs)
      const longest = setTimeout(() => end(id, CUT), MOST_MS)
      for (const timer of [silence, longest]) timer.unref()
      const left = MOST_CHARACTERS
      all.set(id, { username, caller, left, atLineStart: true, silence, longest })
      caller.hold(() => forget(id))
    },
    tell(id, text, ended) {
      const one = all.get(id)
      if (one === undefined) return false
      one.silence.refresh()
      const told = plain(text)
      if (told !== '' && one.left > 0 && one.caller.behindBytes() <= MOST_BEHIND_BYTES) {
        const part = told.slice(0, one.left).toWellFormed()
        one.left -= told.length
        one.atLineStart = part.endsWith('\n')
        one.caller.write(part)
        if (one.left <= 0) {
          one.caller.write(`${one.atLineStart ? '' : '\n'}${CUT}`)
          one.atLineStart = true
        }
      }
      if (ended !== null) end(id, plain(`${ended}\n`))
      return true
    },
  }
}
