import { displayWidth } from '#cli/terminal/print-table.ts'
import { printable } from '#cli/terminal/printable.ts'
import { readableLine } from '#cli/terminal/readable-line.ts'
import { unescapeText, visibleText } from '#handlers/services/logs/escaped-text.ts'
import { maskSecrets } from '#handlers/services/logs/mask-secrets.ts'
import { hostOfAccessLine, parseAccessLine } from '#handlers/services/logs/parse-access-line.ts'
import {
  parseErrorLine,
  parseJsonLine,
  parsePhpLine,
} from '#handlers/services/logs/parse-text-lines.ts'
import { opened, parsersOf } from './parser-list.ts'

/** Lines of logs, which hold what visitors and programs wrote. */
export const logParsers = parsersOf('visitor', 8 * 1024, {
  'handlers/services/logs/escaped-text.ts visibleText': visibleText,
  'handlers/services/logs/escaped-text.ts unescapeText': opened(['\\x'], unescapeText),
  'handlers/services/logs/mask-secrets.ts maskSecrets': opened(
    ['token=', 'Bearer ', 'http://', 'eyJ', 'password'],
    maskSecrets,
  ),
  'handlers/services/logs/parse-access-line.ts hostOfAccessLine': opened(
    ['1.2.3.4 - - ['],
    hostOfAccessLine,
  ),
  'handlers/services/logs/parse-access-line.ts parseAccessLine': opened(
    [
      '1.2.3.4 - - [',
      '1.2.3.4 - - [23/Nov/2026:04:00:00 +0000] "',
      '1.2.3.4 - - [23/Nov/2026:04:00:00 +0000] "GET / HTTP/1.1" 200 5 "',
    ],
    parseAccessLine,
  ),
  'handlers/services/logs/parse-text-lines.ts parseErrorLine': opened(
    ['2026-11-23T04:00:00Z [', '['],
    parseErrorLine,
  ),
  'handlers/services/logs/parse-text-lines.ts parsePhpLine': opened(
    ['[23-Nov-2026 04:00:00 UTC] ', '[23-Nov-2026 04:00:00 UTC] PHP Fatal error: '],
    parsePhpLine,
  ),
  'handlers/services/logs/parse-text-lines.ts parseJsonLine': opened(['{"a":"'], parseJsonLine),
  'cli/terminal/readable-line.ts readableLine': opened(['{"msg":"'], readableLine),
  'cli/terminal/printable.ts printable': printable,
  'cli/terminal/print-table.ts displayWidth': displayWidth,
})
