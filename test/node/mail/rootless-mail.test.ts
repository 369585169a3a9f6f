import { shareInstance } from '#test/support/setups/shared-instance.ts'
import { MODES } from '#test/node/php-modes/modes.ts'
import { mailsOfModes } from './mails-of-modes.ts'

/** A user id that nobody has; as root the instance is started as this user. */
const NOBODYS_UID = 47_219

const tried = MODES.filter(({ missing }) => missing === undefined)
shareInstance({
  ...(process.getuid?.() === 0 ? { asUid: NOBODYS_UID } : {}),
  settings: Object.assign({}, ...tried.map(({ settings }) => settings ?? {})),
})
mailsOfModes(tried.map(({ mode }) => mode))
