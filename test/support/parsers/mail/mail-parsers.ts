import { LineEnds } from '#adapters/node/mail/line-ends.ts'
import { readSendmailOptions } from '#adapters/node/sendmail/read-options.ts'
import { parseRelay } from '#handlers/domain/config/mail/mail-section.ts'
import { readAddressList } from '#handlers/domain/mail/address-list.ts'
import { decodeWords } from '#handlers/domain/mail/decode-words.ts'
import { headEnd, readHeaderBlock } from '#handlers/domain/mail/header-block.ts'
import { isMailAddress, parseMailAddress } from '#handlers/domain/mail/mail-address.ts'
import { isLooping, mayUse, recipientsOf, rewriteHead } from '#handlers/domain/mail/rewrite-head.ts'
import { opened, parsersOf } from '../parser-list.ts'

const sender = { domains: ['own.example'], fallback: 'alice@own.example' }
const facts = { date: 'today', messageId: '<1@own.example>', received: 'by here' }

/** What programs of accounts hand over to be sent. */
export const mailParsers = parsersOf('tenant', 256 * 1024, {
  'adapters/node/mail/line-ends.ts LineEnds': (text) => new LineEnds().push(Buffer.from(text)),
  'adapters/node/sendmail/read-options.ts readSendmailOptions': (text) =>
    readSendmailOptions(text.split(' ')),
  'handlers/domain/config/mail/mail-section.ts parseRelay': opened(
    ['smtp://', 'smtps://['],
    parseRelay,
  ),
  'handlers/domain/mail/address-list.ts readAddressList': opened(['A <', '"', '(', 'g:'], (text) =>
    readAddressList(text, 50),
  ),
  'handlers/domain/mail/decode-words.ts decodeWords': opened(['=?utf-8?q?', '=?utf-8?b?'], (text) =>
    decodeWords(text, 250),
  ),
  'handlers/domain/mail/header-block.ts headEnd': headEnd,
  'handlers/domain/mail/header-block.ts readHeaderBlock': opened(
    ['To:', 'a:\r\n '],
    readHeaderBlock,
  ),
  'handlers/domain/mail/mail-address.ts isMailAddress': opened(['a@', 'a.'], isMailAddress),
  'handlers/domain/mail/mail-address.ts parseMailAddress': opened(['a@', 'a.'], parseMailAddress),
  'handlers/domain/mail/rewrite-head.ts mayUse': (text) => mayUse(sender, text),
  'handlers/domain/mail/rewrite-head.ts isLooping': (text) =>
    isLooping([{ name: text, value: text }]),
  'handlers/domain/mail/rewrite-head.ts recipientsOf': opened(['A <', '"', '('], (text) =>
    recipientsOf([{ name: 'To', value: text }], 50),
  ),
  'handlers/domain/mail/rewrite-head.ts rewriteHead': opened(['A <', '"', '('], (text) =>
    rewriteHead([{ name: 'From', value: text }], sender, facts),
  ),
})
