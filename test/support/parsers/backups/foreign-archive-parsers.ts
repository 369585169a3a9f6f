import { createConfigFinder } from '#adapters/node/agent/backups/import/config-finder.ts'
import { cleanDump } from '#adapters/node/agent/foreign-archives/clean-dump.ts'
import { zstdFrames } from '#adapters/node/agent/foreign-archives/zstd-frames.ts'
import { belowHome } from '#handlers/domain/foreign-archives/below-home.ts'
import { readCarriedHash } from '#handlers/domain/foreign-archives/carried-hash.ts'
import { readCertificateTexts } from '#handlers/domain/foreign-archives/certificate-texts.ts'
import { readCpanel } from '#handlers/domain/foreign-archives/cpanel.ts'
import { createCronLines, toldLine } from '#handlers/domain/foreign-archives/cron-lines.ts'
import { readCrontab } from '#handlers/domain/foreign-archives/crontab.ts'
import { readEqualsLines } from '#handlers/domain/foreign-archives/equals-lines.ts'
import {
  isControlFile,
  isHomeMember,
  readForeignArchive,
} from '#handlers/domain/foreign-archives/foreign-archives.ts'
import { readMysqlGrants } from '#handlers/domain/foreign-archives/mysql-grants.ts'
import { databaseNamesHere, usernameHere } from '#handlers/domain/foreign-archives/names-here.ts'
import { readPhpVersion } from '#handlers/domain/foreign-archives/php-version.ts'
import { readPlainYaml } from '#handlers/domain/foreign-archives/plain-yaml.ts'
import { readQuotedPairs } from '#handlers/domain/foreign-archives/quoted-pairs.ts'
import { isKnownConfig, isPlainHome } from '#handlers/domain/backups/known-configs.ts'
import { replaceHome, replaceHomes } from '#handlers/domain/backups/replace-home.ts'
import { createReportLines } from '#handlers/domain/foreign-archives/report-lines.ts'
import { readUserdataHost, readUserdataMain } from '#handlers/domain/foreign-archives/userdata.ts'
import { bytesOf, opened, parsersOf, piecesOf } from '../parser-list.ts'

/** Every small file of an archive being the same text. */
const archiveOf = (names: readonly string[], text: string) => ({
  names: [...names, ...text.split('\n', 1000)],
  texts: new Map(names.map((name) => [name, text])),
})

const drain = async (source: AsyncIterable<unknown>): Promise<void> => {
  for await (const piece of source) void piece
}

/** The start of a frame without a window, of unknown size. */
const FRAME = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00])

async function* frames(text: string): AsyncGenerator<Buffer> {
  yield FRAME
  yield bytesOf(text)
}

/** Archives of other panels, by the small files in them. */
export const foreignArchiveParsers = parsersOf('tenant', 64 * 1024, {
  'adapters/node/agent/foreign-archives/clean-dump.ts cleanDump': opened(
    ['/*M!999999\\- enable the sandbox mode */'],
    (text) => drain(cleanDump(piecesOf(text))),
  ),
  'adapters/node/agent/foreign-archives/zstd-frames.ts zstdFrames': opened([''], (text) =>
    drain(zstdFrames(frames(text))),
  ),
  'handlers/domain/foreign-archives/below-home.ts belowHome': opened(['/home/a/'], (text) =>
    belowHome('/home/a', text),
  ),
  'handlers/domain/foreign-archives/carried-hash.ts readCarriedHash': opened(
    ['*', '0x'],
    readCarriedHash,
  ),
  'handlers/domain/foreign-archives/certificate-texts.ts readCertificateTexts': opened(
    ['-----BEGIN CERTIFICATE-----', '-----BEGIN '],
    (text) => readCertificateTexts(text),
  ),
  'handlers/domain/foreign-archives/cpanel.ts readCpanel': opened(['a: '], (text) =>
    readCpanel(
      archiveOf(['cp/a', 'userdata/main', 'mysql.sql', 'mysql/a.create', 'cron/a'], text),
      '',
    ),
  ),
  'handlers/domain/foreign-archives/cron-lines.ts toldLine': opened([''], toldLine),
  'handlers/domain/foreign-archives/crontab.ts readCrontab': opened(
    ['* * * * * a\n', 'MAILTO=', '0 0 30 2 * '],
    (text) => readCrontab(text, createCronLines(createReportLines())),
  ),
  'handlers/domain/foreign-archives/equals-lines.ts readEqualsLines': opened(
    ['a='],
    readEqualsLines,
  ),
  'handlers/domain/foreign-archives/foreign-archives.ts readForeignArchive': opened(
    ["A='"],
    (text) => {
      readForeignArchive(
        archiveOf(
          ['hestia/user.conf', 'web/a/hestia/web.conf', 'db/a/hestia/db.conf', 'cron/cron.conf'],
          text,
        ),
      )
      readForeignArchive(
        archiveOf(
          [
            'backup/user.conf',
            'backup/a/domain.conf',
            'backup/a.conf',
            'backup/a.sql',
            'backup/crontab.conf',
          ],
          text,
        ),
      )
    },
  ),
  'handlers/domain/foreign-archives/foreign-archives.ts isControlFile': opened(
    ['web/', 'backup/'],
    isControlFile,
  ),
  'handlers/domain/foreign-archives/foreign-archives.ts isHomeMember': opened(
    ['homedir/'],
    isHomeMember,
  ),
  'handlers/domain/foreign-archives/mysql-grants.ts readMysqlGrants': opened(
    ["GRANT USAGE ON *.* TO '", 'GRANT ', '{"a":{"b":{"pass_hash":"'],
    (text) => readMysqlGrants(text, text),
  ),
  'handlers/domain/foreign-archives/names-here.ts databaseNamesHere': opened(['a_'], (text) =>
    databaseNamesHere(text.split('\n'), { there: 'a', here: 'b' }),
  ),
  'handlers/domain/foreign-archives/names-here.ts usernameHere': usernameHere,
  'handlers/domain/foreign-archives/php-version.ts readPhpVersion': opened(
    ['PHP-', 'ea-php'],
    readPhpVersion,
  ),
  'handlers/domain/foreign-archives/plain-yaml.ts readPlainYaml': opened(
    ['a: "', 'a:\n- '],
    readPlainYaml,
  ),
  'adapters/node/agent/backups/import/config-finder.ts createConfigFinder': opened(
    ['/home/a', '/home/a/home/b'],
    async (text) => {
      const finder = createConfigFinder(['/home/a', text.slice(0, 300)])
      finder.begin('/home/b')
      const sizeBytes = bytesOf(text).length
      const file = { name: '.env', type: 'file', mode: 0o644, mtimeSecs: 0, link: '' } as const
      await finder.look({ ...file, sizeBytes }, piecesOf(text))
    },
  ),
  'handlers/domain/backups/known-configs.ts isKnownConfig': opened(['.env.'], isKnownConfig),
  'handlers/domain/backups/known-configs.ts isPlainHome': opened(['/home/', '/'], isPlainHome),
  'handlers/domain/backups/replace-home.ts replaceHomes': opened(
    ['/home/a', '/home/a/home/b'],
    (text) => replaceHomes(text, ['/home/a', '/home/b'], '/home/a/b'),
  ),
  'handlers/domain/backups/replace-home.ts replaceHome': opened(
    ['/home/a', '/home/a/home/a', '://home/a'],
    (text) => replaceHome(text, '/home/a', '/home/bc'),
  ),
  'handlers/domain/foreign-archives/quoted-pairs.ts readQuotedPairs': opened(
    ["A='"],
    readQuotedPairs,
  ),
  'handlers/domain/foreign-archives/userdata.ts readUserdataMain': opened(
    ['sub_domains:\n- ', 'addon_domains: {', 'a: "'],
    readUserdataMain,
  ),
  'handlers/domain/foreign-archives/userdata.ts readUserdataHost': opened(
    ['documentroot: '],
    readUserdataHost,
  ),
})
