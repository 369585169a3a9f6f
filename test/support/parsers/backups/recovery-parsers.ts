import { parseLogins } from '#adapters/node/agent/recovery/export/logins.ts'
import { parseAbout, parseExportManifest } from '#handlers/domain/recovery/export-manifest.ts'
import { isInKit, missingInKit, parseKit } from '#handlers/domain/recovery/kit-text.ts'
import { parseMemberName } from '#handlers/domain/recovery/member-name.ts'
import { allOff, countOff, hostsOff, hostsOn } from '#handlers/domain/recovery/switch-off.ts'
import { opened, parsersOf } from '../parser-list.ts'

const HOST = '[[virtualhost]]\n'

/** What comes with an export of a panel, and its recovery kit. */
export const recoveryParsers = parsersOf('administrator', 32 * 1024, {
  'adapters/node/agent/recovery/export/logins.ts parseLogins': opened(
    ['{"accounts":[{"username":"', '{"folder_users":[{"hash":"', '{"databases":[{"user":"'],
    parseLogins,
  ),
  'handlers/domain/recovery/export-manifest.ts parseAbout': opened(['{"format":"'], parseAbout),
  'handlers/domain/recovery/export-manifest.ts parseExportManifest': opened(
    ['{"members":[{"name":"'],
    parseExportManifest,
  ),
  'handlers/domain/recovery/kit-text.ts parseKit': opened(
    ['AGE-SECRET-KEY-1', 'BERTH-PROOF-'],
    parseKit,
  ),
  'handlers/domain/recovery/kit-text.ts isInKit': (text) => isInKit(text, 'a'),
  'handlers/domain/recovery/kit-text.ts missingInKit': (text) =>
    missingInKit(text, [{ name: 'a', lines: ['b'] }]),
  'handlers/domain/recovery/member-name.ts parseMemberName': opened(['secrets/'], parseMemberName),
  'handlers/domain/recovery/switch-off.ts allOff': opened([HOST], allOff),
  'handlers/domain/recovery/switch-off.ts hostsOff': opened([HOST, 'a = """'], hostsOff),
  'handlers/domain/recovery/switch-off.ts hostsOn': opened(['#off# '], hostsOn),
  'handlers/domain/recovery/switch-off.ts countOff': opened([`#off# ${HOST}`], countOff),
})
