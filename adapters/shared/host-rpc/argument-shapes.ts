import { z } from 'zod'
import { isArchiveName } from '#handlers/domain/backups/archive-name.ts'
import { accountRecordSchema } from '#handlers/domain/backups/archived-record.ts'
import { DNS_ACCESS_PATTERNS } from '#handlers/domain/certificates/dns-access.ts'
import { isRemoteAddress } from '#handlers/domain/databases/remote-address.ts'
import { isExportName } from '#handlers/domain/databases/export-name.ts'
import { TARGET_LENGTHS, TARGET_PATTERNS } from '#handlers/domain/backups/target-rules.ts'
import { siteSettingsSchema } from '#handlers/domain/site-settings/settings-schema.ts'
import { MAX_RESTORE_PARTS } from '#handlers/ports/host/backups/restore-parts.ts'
import { LOG_FILES, LOG_LEVELS } from '#handlers/ports/host/logs.ts'
import { applicationInstances, applicationName, siteApplication } from './application-shapes.ts'

const NUL = '\0'
/** Text without NUL: no path, name or argument on the host may hold one. */
export const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes(NUL), 'must not contain NUL')

export const nothing = z.undefined()
/** It names files and folders, too: never the folder itself, or the one above. */
export const operationId = z
  .string()
  .min(1)
  .max(100)
  .regex(/^(?!\.\.?$)[A-Za-z0-9._:-]+$/)
export const username = z.string().regex(/^[a-z0-9]{3,16}$/)
export const password = z
  .string()
  .min(1)
  .max(1024)
  .refine((value) => !/[\r\n]/.test(value) && !value.includes(NUL), 'must be one line')
/** Lower-case A-labels, a wildcard's behind its mark; what exactly is a good domain the panel has judged already. */
export const domain = z
  .string()
  .max(253)
  .regex(/^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/)
export const path = text(4096)
export const engine = z.enum(['mariadb', 'mysql', 'postgresql'])
export const databaseName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_]+$/)
export const phpVersion = z.string().regex(/^\d{1,2}\.\d{1,2}$/)
export const phpMode = z.enum(['cgi', 'fpm', 'lsapi'])
export const encoding = z.enum(['utf8', 'base64'])

export const siteCache = z.object({
  enable: z.boolean(),
  ttl: z.number().int().nonnegative().nullable(),
  exclude: z.array(text(2048)).max(1000),
  bypassCookies: z.array(text(256)).max(200).exactOptional(),
  ignoreQueryParams: z.array(text(256)).max(200).exactOptional(),
  mobileVariant: z.boolean().exactOptional(),
  fills: z.enum(['visitor', 'neutral']).exactOptional(),
  harmlessCookies: z.array(text(256)).max(200).exactOptional(),
  sessionCookies: z.array(text(256)).max(200).exactOptional(),
  application: text(64).exactOptional(),
})

export const virtualHost = z.object({
  domain,
  aliases: z.array(domain).max(1000),
  username,
  root: path,
  suspended: z.boolean(),
  overBandwidth: z.boolean(),
  php: z
    .object({
      version: phpVersion,
      mode: phpMode,
      pool: z
        .object({
          maxChildren: z.number().int().min(1).max(1000).nullable(),
          memoryLimit: text(12).nullable(),
          ini: z.record(text(100), z.string().max(1024)),
        })
        .exactOptional(),
    })
    .nullable(),
  ssl: z.object({ certificate: path, key: path }).nullable(),
  redirectHttps: z.boolean(),
  hstsMaxAgeSecs: z.number().int().nonnegative().exactOptional(),
  defaultHost: z.literal(true).exactOptional(),
  cache: siteCache,
  site: siteSettingsSchema.exactOptional(),
  application: siteApplication.exactOptional(),
  instances: applicationInstances.exactOptional(),
})

/** One or several PEM blocks. */
export const pem = text(100_000)
export const certificate = { username: username.nullable(), domain }
export const certificateOrder = {
  ...certificate,
  names: z.array(domain).min(1).max(100),
  webroot: path.nullable(),
}

export const challengeType = z.enum(['http-01', 'dns-01'])
export const dnsAccessOwner = { username: username.nullable() }
export const dnsAccessName = z.string().regex(DNS_ACCESS_PATTERNS.name)

const backupFile = z.string().regex(/^[a-z0-9]{3,16}-\d{8}-\d{6}\.tar\.gz$/)
export const panelSecrets = z.object({
  password_hash: z.string().max(1024),
  second_factor: z.string().max(256).nullable(),
})
export const targetName = z.string().regex(TARGET_PATTERNS.name[0])
const oneLine = (maxLength: number) => text(maxLength).regex(/^[^\r\n]*$/)
/** Whether they fit together the agent judges by the rules of the configuration. */
export const targetSettings = z.object({
  name: targetName,
  type: z.enum(['s3', 'sftp']),
  endpoint: oneLine(TARGET_LENGTHS.endpoint),
  bucket: z.string().regex(TARGET_PATTERNS.bucket[0]).nullable(),
  path: oneLine(TARGET_LENGTHS.path).nullable(),
  region: z.string().regex(TARGET_PATTERNS.region[0]).nullable(),
  username: oneLine(128).regex(TARGET_PATTERNS.username[0]).nullable(),
  access_key_id: oneLine(TARGET_LENGTHS.access_key_id).nullable(),
  host_key: z.string().regex(TARGET_PATTERNS.host_key[0]).nullable(),
  is_default: z.boolean(),
  allow_private: z.boolean(),
})
export const targetSecret = z.object({
  kind: z.enum(['secret_key', 'password', 'private_key']),
  value: text(TARGET_LENGTHS.secret).min(1),
})
export const knownBackup = { username, filename: backupFile, location: targetName }
const measured = {
  ...knownBackup,
  operationId,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().positive(),
}
const chosen = <Item extends z.ZodType>(item: Item) =>
  z.union([z.literal('all'), z.literal('none'), z.array(item).max(MAX_RESTORE_PARTS)])
export const restoreParts = z.object({
  files: chosen(path),
  databases: chosen(z.object({ engine, database: databaseName })),
})
export const backupContents = z.object({
  ...knownBackup,
  sha256: measured.sha256,
  sizeBytes: measured.sizeBytes,
  directory: path,
  offset: z.number().int().nonnegative(),
})
export const backupWork = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('create'),
    operationId,
    username,
    filename: backupFile,
    record: accountRecordSchema,
    secrets: panelSecrets,
    gently: z.boolean().exactOptional(),
  }),
  z.object({
    kind: z.literal('restore'),
    ...measured,
    parts: restoreParts,
    evenSuspended: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('undo'), operationId, username, restoreId: operationId }),
  z.object({ kind: z.literal('upload'), ...measured }),
])

export const archiveSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path }),
  z.object({
    kind: z.literal('target'),
    target: targetName,
    filename: z.string().refine(isArchiveName),
  }),
  z.object({
    kind: z.literal('backup'),
    ...knownBackup,
    sha256: measured.sha256,
    sizeBytes: measured.sizeBytes,
  }),
  z.object({
    kind: z.literal('snapshot'),
    username,
    location: knownBackup.location,
    snapshotId: z.string().regex(/^[0-9a-f]{64}$/),
  }),
])
export const databaseMoves = z
  .array(z.object({ engine, from: databaseName, to: databaseName }))
  .max(10_000)

export const change = z.object({ operationId, username })
export const atPath = z.object({ username, path })
export const bytes = z.number().int().nonnegative()
export const upload = { username, path, token: z.string().regex(/^[0-9a-f]{16}$/) }
export const databaseChange = {
  operationId,
  username,
  engine,
  database: databaseName,
  user: databaseName,
}

export const remoteAddresses = z.array(z.string().max(64).refine(isRemoteAddress)).max(1000)
export const databaseUser = { operationId, username, engine, user: databaseName }
export const databaseGrants = z
  .array(z.object({ database: databaseName, rights: z.enum(['read', 'write', 'all']) }))
  .min(1)
  .max(1000)

const databaseCopy = { operationId, username, engine, database: databaseName }
export const databaseCopyWork = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('export'), ...databaseCopy, format: z.enum(['sql', 'gz', 'zip']) }),
  z.object({ kind: z.literal('import'), ...databaseCopy, path }),
])
export const databaseExport = { username, filename: z.string().refine(isExportName) }

export const logFile = z.enum(LOG_FILES)
export const logPlace = z.string().regex(/^\d{1,20}-\d{1,15}$/)
const logFilter = z.object({
  hosts: z
    .array(z.object({ name: z.string().max(253), sinceMs: z.number() }))
    .max(10_000)
    .nullable(),
  q: z.string().max(200).nullable(),
  level: z.enum(LOG_LEVELS).nullable(),
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/)
    .nullable(),
  method: z.string().max(32).nullable(),
  fromMs: z.number().nullable(),
  toMs: z.number().nullable(),
})
export const logSearch = { file: logFile, filter: logFilter }

/** Keys that open something over SFTP. */
const sftpKey = z.object({
  id: z.int().min(0).max(0x7fff_fffd),
  publicKey: text(8000).regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/),
  expiresAt: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .nullable(),
})
const repositoryKey = sftpKey.extend({
  repository: z.object({ name: applicationName, access: z.enum(['pull', 'push']) }),
})
const sftpKeys = z.array(sftpKey).max(1000)

/** A user of an account for one folder. */
export const sftpUserName = z.string().regex(/^[a-z0-9]{1,16}_[a-z0-9]{1,15}$/)

/** What opens an account over SFTP. */
export const sftpLogins = z.object({
  username,
  passwords: z.boolean(),
  keys: sftpKeys,
  users: z
    .array(
      z.object({
        name: sftpUserName,
        folder: text(4095),
        passwords: z.boolean(),
        readOnly: z.boolean(),
        keys: sftpKeys,
      }),
    )
    .max(1000),
  shell: z.boolean(),
  git: z.boolean().exactOptional(),
  repositoryKeys: z.array(repositoryKey).max(1000).exactOptional(),
})
