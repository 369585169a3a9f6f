/** What the options of sendmail ask for. */
export interface SendmailOptions {
  /** Of `-f` or `-r`. */
  sender: string | null
  /** Of `-F`. */
  fullName: string | null
  /** Of `-t`. */
  extract: boolean
  /** Of `-i` or `-oi`: a line with a dot alone does not end the message. */
  ignoreDots: boolean
  recipients: string[]
}

/** Options with a value that say nothing to us, such as `-B 8BITMIME`. */
const IGNORED_WITH_VALUE = 'BCDdhLMNOopqRVX'
/** Ways in which sendmail does something else than send, such as listing a queue. */
const OTHER_MODES = /^-(?:b[^m]|q|I$)/

/**
 * Reads the arguments of sendmail(8). A text says what cannot be done. Of options that say
 * nothing to us the ones that programs give are left out, with their values.
 */
export const readSendmailOptions = (argv: readonly string[]): SendmailOptions | string => {
  const options: SendmailOptions = {
    ...{ sender: null, fullName: null },
    ...{ extract: false, ignoreDots: false, recipients: [] },
  }
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (word === '--') {
      options.recipients.push(...argv.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') options.recipients.push(word)
    else if (OTHER_MODES.test(word)) return `Only sending is possible here, not ${word}.`
    else if (/^-[frF]/.test(word)) {
      let value: string | undefined = word.slice(2)
      if (value === '') {
        at += 1
        value = argv[at]
      }
      if (value === undefined) return `${word} needs a value.`
      if (word[1] === 'F') options.fullName = value
      else options.sender = value.replace(/^<|>$/g, '')
    } else if (/^-[ti]+$/.test(word)) {
      options.extract ||= word.includes('t')
      options.ignoreDots ||= word.includes('i')
    } else if (word === '-oi') options.ignoreDots = true
    else if (IGNORED_WITH_VALUE.includes(word[1] ?? '') && word.length === 2) at += 1
  }
  return options
}
