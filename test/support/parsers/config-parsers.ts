import { isNativeHash } from '#adapters/node/agent/databases/mariadb/statements.ts'
import { isScramVerifier } from '#adapters/node/agent/databases/postgresql/scram-verifier.ts'
import { failureAdvice } from '#adapters/node/agent/backups/remote/failure-advice.ts'
import { parseS3Page } from '#adapters/node/agent/backups/remote/s3-listing.ts'
import { readTar } from '#adapters/node/archives/tar-reader.ts'
import { parseManifest, readManifest } from '#adapters/node/agent/backups/manifest.ts'
import { isArchiveName } from '#handlers/domain/backups/archive-name.ts'
import { ownerOfBackup } from '#handlers/domain/backups/newest-of-each.ts'
import { parseSizeBytes } from '#edge-cache/config.ts'
import { readLicense } from '#handlers/domain/license/license-file.ts'
import { maskRedisUrl, parseRedisUrl } from '#handlers/domain/config/redis-url.ts'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'
import { withPanelStore } from '#handlers/domain/recovery/with-panel-store.ts'
import { isMediaType } from '#handlers/domain/text/media-type.ts'
import { parseHostPort } from '#handlers/domain/text/host-port.ts'
import { parseSftpEndpoint } from '#handlers/domain/backups/target-rules.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { locateConfig } from '#handlers/domain/config/locate.ts'
import { parseIncludedFile, parseServerConfig } from '#handlers/domain/config/server-config.ts'
import { opened, parsersOf, piecesOf } from './parser-list.ts'

/** The configuration, and what comes with it. */
export const configParsers = parsersOf('administrator', 32 * 1024, {
  'adapters/node/agent/backups/remote/failure-advice.ts failureAdvice': failureAdvice,
  'adapters/node/agent/backups/remote/s3-listing.ts parseS3Page': opened(
    ['<ListBucketResult>', '<ListBucketResult><Contents><Key>', '<ListBucketResult><Contents>'],
    parseS3Page,
  ),
  'handlers/domain/backups/archive-name.ts isArchiveName': opened(['a'], isArchiveName),
  'handlers/domain/backups/newest-of-each.ts ownerOfBackup': opened(['a'], ownerOfBackup),
  'edge-cache/config.ts parseSizeBytes': opened(['1'], parseSizeBytes),
  'handlers/domain/config/locate.ts locateConfig': opened(['a = "', 'a = """', '[['], (text) =>
    locateConfig(text),
  ),
  'handlers/domain/config/server-config.ts parseIncludedFile': opened(
    ['[[virtualhost]]\n', 'a = '],
    (text) => parseIncludedFile('/etc/berth/a.toml', text),
  ),
  'handlers/domain/config/server-config.ts parseServerConfig': opened(
    ['[server]\n', 'a = "'],
    (text) => parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true }),
  ),
  'handlers/domain/config/listen.ts parseListenAddress': opened(['[', 'a:'], parseListenAddress),
  'handlers/domain/text/host-port.ts parseHostPort': opened(['[', 'a:'], (text) =>
    parseHostPort(text, null),
  ),
  'handlers/domain/text/media-type.ts isMediaType': opened(
    ['text/', 'text/plain;', 'text/plain '],
    isMediaType,
  ),
  'handlers/domain/backups/target-rules.ts parseSftpEndpoint': opened(
    ['[', 'a:'],
    parseSftpEndpoint,
  ),
  'handlers/domain/config/redis-url.ts parseRedisUrl': opened(
    ['redis://', 'redis+cluster://', 'unix://'],
    parseRedisUrl,
  ),
  'handlers/domain/config/redis-url.ts maskRedisUrl': opened(['redis://a:', 'unix:///'], (text) =>
    maskRedisUrl(text, '***'),
  ),
  'handlers/domain/config/store-url.ts parseStoreUrl': opened(
    ['postgres://', 'postgres://a@', 'postgres://a@/b?host=/'],
    parseStoreUrl,
  ),
  'handlers/domain/recovery/with-panel-store.ts withPanelStore': opened(
    ['[panel]\n', '[panel]\nstore = "', '['],
    (text) => withPanelStore(text, { store: text, store_password_file: null, store_ca_file: null }),
  ),
  'handlers/domain/license/license-file.ts readLicense': opened(['{"a":"'], (text) =>
    readLicense(text, text, 0),
  ),
  'adapters/node/agent/backups/manifest.ts readManifest': opened(
    ['{"version":', '{"version":2,"home":"/'],
    readManifest,
  ),
  'adapters/node/agent/databases/mariadb/statements.ts isNativeHash': opened(['*'], isNativeHash),
  'adapters/node/agent/databases/postgresql/scram-verifier.ts isScramVerifier': opened(
    ['SCRAM-SHA-256$4096:', 'SCRAM-SHA-256$4096:AAAAAAAA$'],
    isScramVerifier,
  ),
  'adapters/node/agent/backups/manifest.ts parseManifest': opened(['{"username":"'], (text) =>
    parseManifest(text, 'a'),
  ),
  'adapters/node/archives/tar-reader.ts readTar': opened(
    ['a'.repeat(100), '\0'.repeat(1024)],
    (text) =>
      readTar(piecesOf(text), { maxEntries: 1000, maxBytes: 2 ** 20 }, async (_entry, content) => {
        for await (const piece of content) void piece
      }),
  ),
})
