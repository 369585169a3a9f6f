/** One mailbox of a field such as To. */
export interface Mailbox {
  /** Its name as text, without quotes and comments; '' where there is none. */
  display: string
  /** What stands between the angle brackets, or all of it; not judged. */
  address: string
}

/** Where the reader is within one mailbox. */
interface State {
  display: string
  angle: string | null
  bare: string
  /** A second pair of brackets, or text behind the first. */
  odd: boolean
}

const fresh = (): State => ({ display: '', angle: null, bare: '', odd: false })

const tidy = (text: string): string =>
  text
    .split(/[ \t\r\n]/)
    .filter((word) => word !== '')
    .join(' ')

const mailboxOf = ({ display, angle, bare, odd }: State): Mailbox | 'odd' | null => {
  if (odd) return 'odd'
  if (angle !== null) return { display: tidy(display), address: angle.trim() }
  const address = bare.trim()
  return address === '' ? null : { display: '', address }
}

/**
 * Reads the mailboxes of a field (RFC 5322 3.4, with groups) in one pass. It stops when it
 * has more than `most`. Null: a part of it cannot be read in one way only, such as two
 * addresses of which none is separated from the other.
 */
export const readAddressList = (text: string, most: number): Mailbox[] | null => {
  const found: Mailbox[] = []
  let state = fresh()
  let quoted = false
  let comment = 0
  let inAngle = false
  const take = (character: string): void => {
    if (inAngle) state.angle = (state.angle ?? '') + character
    else if (state.angle !== null) state.odd ||= character.trim() !== ''
    else {
      state.display += character
      state.bare += character
    }
  }
  /** Answers whether reading goes on. */
  const finish = (): boolean => {
    const mailbox = mailboxOf(state)
    state = fresh()
    if (mailbox === 'odd') return false
    if (mailbox !== null) found.push(mailbox)
    return true
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\\' && (quoted || comment > 0)) {
      at += 1
      if (comment === 0) take(text[at] ?? '')
    } else if (comment > 0) {
      if (character === '(') comment += 1
      else if (character === ')') comment -= 1
    } else if (character === '"') quoted = !quoted
    else if (quoted) take(character)
    else if (character === '(') comment = 1
    else if (character === '<') {
      if (inAngle || state.angle !== null) state.odd = true
      inAngle = true
      state.angle ??= ''
    } else if (character === '>') {
      if (!inAngle) state.odd = true
      inAngle = false
    } else if ((character === ',' || character === ';') && !inAngle) {
      if (!finish()) return null
      if (found.length > most) return found
    } else if (character === ':' && !inAngle && state.angle === null) state = fresh()
    else take(character)
  }
  if (quoted || comment > 0 || inAngle || !finish()) return null
  return found
}
