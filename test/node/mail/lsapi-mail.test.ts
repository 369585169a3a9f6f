import { describe, test } from 'vitest'
import { shareInstance } from '#test/support/setups/shared-instance.ts'
import { MODES } from '#test/node/php-modes/modes.ts'
import { mailsOfModes } from './mails-of-modes.ts'

const lsapi = MODES.find(({ mode }) => mode === 'lsapi')

/** As root; the modes fpm and cgi are proved to a relay in `test/e2e/mail`. */
describe('mail of sites by lsphp', () => {
  const missing = lsapi?.missing
  if (missing !== undefined) {
    test('is sent', ({ skip }) => skip(missing))
    return
  }
  shareInstance(lsapi?.settings === undefined ? {} : { settings: lsapi.settings })
  mailsOfModes(['lsapi'])
})
