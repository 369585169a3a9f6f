import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { redefine } from '#adapters/node/agent/backups/import/redefine.ts'
import { checkPair } from '#adapters/node/agent/certificates/check-pair.ts'
import { readRenewalInfo } from '#adapters/node/agent/certificates/renewal-info.ts'
import { readZip } from '#adapters/node/archives/zip-reader.ts'
import { groupsIn, hashIn } from '#handlers/sites/htaccess/access/password-files.ts'
import { makeZip } from '#test/support/make-zip.ts'
import { bytesOf, opened, parsersOf, piecesOf } from './parser-list.ts'

/** As long as a name in a zip archive may be. */
const NAME_BYTES = 65_535

/** A text as names in an archive, once as what the flag for UTF-8 says and once without it, and as what a link leads to. */
const readNames = async (text: string): Promise<void> => {
  const name = bytesOf(text).subarray(0, NAME_BYTES)
  const members = [
    ...[{ name }, { name, says: { flags: 1 << 11 } }],
    { name: 'link', content: name.subarray(0, 4096), mode: 0o120777 },
  ]
  const directory = mkdtempSync(join(tmpdir(), 'zip-names-'))
  const fd = openSync(join(directory, 'a.zip'), 'wx+')
  try {
    writeSync(fd, makeZip(members))
    await readZip(fd, { maxEntries: 100, maxBytes: 2 ** 20 }, async (_entry, content) => {
      for await (const piece of content) void piece
    })
  } finally {
    closeSync(fd)
    rmSync(directory, { recursive: true })
  }
}

const judgePair = (text: string): unknown => {
  const pair = { domain: 'a.test', certificate: text, key: text, nowMs: 0 }
  return checkPair(pair)
}

/** What accounts bring along in files and fields of their own. */
export const fileParsers = parsersOf('tenant', 64 * 1024, {
  'adapters/node/agent/backups/import/redefine.ts redefine': opened(
    ['CREATE DEFINER=`a`@`localhost` ', '/*!50013 CREATE*/ /*!50013 DEFINER=`'],
    async (text) => {
      for await (const piece of Readable.from(piecesOf(text)).pipe(redefine('a', 'b'))) void piece
    },
  ),
  'adapters/node/archives/zip-reader.ts readZip': opened(['a/../', './', 'C:\\'], readNames),
  'adapters/node/agent/certificates/renewal-info.ts readRenewalInfo': (text) =>
    readRenewalInfo({ suggestedWindow: { start: text, end: text }, explanationURL: text }),
  'adapters/node/agent/certificates/check-pair.ts checkPair': opened(
    [
      '-----BEGIN CERTIFICATE-----\n',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
      '-----BEGIN PRIVATE KEY-----\n',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'.repeat(900),
    ],
    judgePair,
  ),
})

/** As much as is read of a file of passwords. */
export const passwordFileParsers = parsersOf('tenant', 2 ** 20, {
  'handlers/sites/htaccess/access/password-files.ts hashIn': opened(['a:', '\n'], (text) => [
    hashIn(text, 'a'),
    hashIn(text, 'a'.repeat(250)),
  ]),
  'handlers/sites/htaccess/access/password-files.ts groupsIn': opened(['a: ', 'a:a\n'], (text) => [
    groupsIn(text, 'a'),
    groupsIn(text, 'a'.repeat(250)),
  ]),
})
