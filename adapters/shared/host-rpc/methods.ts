import { z } from 'zod'
import { EVENT_NAMES } from '#handlers/domain/events/events.ts'
import { PIECE_BYTES } from '#handlers/ports/host/files.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { LOG_FILES, LOG_LEVELS } from '#handlers/ports/host/logs.ts'

/** Argument of a port method; `undefined` for methods without one. */
export type InputOf<F> = F extends (...args: infer A) => unknown
  ? A extends [infer I]
    ? I
    : undefined
  : never

type MethodTable = {
  readonly [P in keyof HostPorts]: {
    readonly [M in keyof HostPorts[P]]: z.ZodType<InputOf<HostPorts[P][M]>>
  }
}

const NUL = '\0'
/** Text without NUL: no path, name or argument on the host may hold one. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes(NUL), 'must not contain NUL')

const nothing = z.undefined()
const operationId = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[A-Za-z0-9._:-]+$/)
const username = z.string().regex(/^[a-z0-9]{3,16}$/)
const password = z
  .string()
  .min(1)
  .max(1024)
  .refine((value) => !/[\r\n]/.test(value) && !value.includes(NUL), 'must be one line')
/** Lower-case A-labels; what exactly is a good domain the panel has judged already. */
const domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/)
const path = text(4096)
const engine = z.enum(['mariadb', 'mysql', 'postgresql'])
const databaseName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_]+$/)
const phpVersion = z.string().regex(/^\d{1,2}\.\d{1,2}$/)
const phpMode = z.enum(['cgi', 'fpm', 'lsapi'])
const encoding = z.enum(['utf8', 'base64'])

const virtualHost = z.object({
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
  cache: z.object({
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
  }),
})

/** One or several PEM blocks. */
const pem = text(100_000)
const certificate = { username: username.nullable(), domain }
const certificateOrder = {
  ...certificate,
  names: z.array(domain).min(1).max(100),
  webroot: path.nullable(),
}

const backupFile = z.string().regex(/^[a-z0-9]{3,16}-\d{8}-\d{6}\.tar\.gz$/)
const knownBackup = {
  username,
  filename: backupFile,
  location: z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/),
}
const measured = {
  ...knownBackup,
  operationId,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.number().int().positive(),
}
const backupWork = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create'), operationId, username, filename: backupFile }),
  z.object({
    kind: z.literal('restore'),
    ...measured,
    what: z.enum(['all', 'files', 'databases']),
  }),
  z.object({ kind: z.literal('upload'), ...measured }),
])

const change = z.object({ operationId, username })
const atPath = z.object({ username, path })
const bytes = z.number().int().nonnegative()
const upload = { username, path, token: z.string().regex(/^[0-9a-f]{16}$/) }
const databaseChange = { operationId, username, engine, database: databaseName, user: databaseName }

const logFile = z.enum(LOG_FILES)
const logPlace = z.string().regex(/^\d{1,20}-\d{1,15}$/)
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
const logSearch = { file: logFile, filter: logFilter }

/**
 * Every method of the host, with the shape of its argument. The one table that
 * client and handler are made of: a port method missing here, or one whose
 * argument changed, does not compile. Keys that are not named here do not arrive.
 */
export const HOST_METHODS: MethodTable = {
  users: {
    create: z.object({
      operationId,
      username,
      password,
      primaryDomain: domain,
      diskQuotaMb: z.number().int(),
    }),
    remove: change,
    suspend: change,
    unsuspend: change,
    setPassword: z.object({ operationId, username, password }),
    setDiskQuota: z.object({ operationId, username, diskQuotaMb: z.number().int().nonnegative() }),
    setLimits: z.object({
      operationId,
      username,
      processes: z.number().int().positive(),
      memoryMb: z.number().int().positive(),
    }),
    list: nothing,
    diskUsedMb: z.object({ username }),
    operation: z.object({ operationId }),
  },
  files: {
    list: atPath,
    read: z.object({ username, path, maxBytes: z.number().int().nonnegative() }),
    write: z.object({ username, path, content: z.string(), encoding }),
    mkdir: atPath,
    chmod: z.object({ username, path, mode: z.string().regex(/^[0-7]{3,4}$/) }),
    delete: atPath,
    beginUpload: atPath,
    appendUpload: z.object({
      ...upload,
      offset: bytes,
      content: z.string().max(Math.ceil(PIECE_BYTES / 3) * 4),
    }),
    endUpload: z.object({ ...upload, size: bytes }),
    abortUpload: z.object(upload),
    readPart: z.object({
      username,
      path,
      offset: bytes,
      length: bytes.max(PIECE_BYTES),
      identity: text(100).nullable(),
    }),
    move: z.object({ username, path, to: path }),
    copy: z.object({ username, path, to: path }),
    archive: z.object({ username, paths: z.array(path).min(1).max(1000), to: path }),
    extract: z.object({ username, path, to: path, overwrite: z.boolean() }),
  },
  php: {
    versions: nothing,
    pools: nothing,
    test: z.object({ username: username.nullable(), version: phpVersion, mode: phpMode }),
    configure: z.object({ operationId, username, version: phpVersion, mode: phpMode }),
  },
  databases: {
    engines: nothing,
    create: z.object({ ...databaseChange, password }),
    setPassword: z.object({ ...databaseChange, password }),
    remove: z.object(databaseChange),
    facts: z.object({ username }),
    setLocked: z.object({ operationId, username, locked: z.boolean() }),
  },
  backups: {
    start: backupWork,
    wait: z.object({ operationId }),
    remove: z.object(knownBackup),
    read: z.object({ ...knownBackup, offset: z.number().int().nonnegative() }),
    targets: nothing,
  },
  certificates: {
    prepare: z.object({ ...certificateOrder, force: z.boolean() }),
    issue: z.object({ ...certificateOrder, operationId }),
    install: z.object({ ...certificate, operationId, certificate: pem, key: pem }),
    prune: z.object({ ...certificate, keep: operationId.nullable() }),
    panelName: nothing,
  },
  webServer: {
    apply: z.object({
      put: z.array(virtualHost).max(10_000),
      remove: z.array(domain).max(10_000),
    }),
    edition: nothing,
    regenerate: z.object({
      hosts: z.array(virtualHost).max(100_000),
      since: text(64).exactOptional(),
      leave: z.array(username).max(100_000).exactOptional(),
    }),
    reload: nothing,
    restart: nothing,
    status: nothing,
    counters: nothing,
    takeTraffic: z.object({ acknowledged: text(64).nullable() }),
    purge: z.object({ domains: z.array(domain).max(10_000) }),
  },
  pageCache: {
    report: nothing,
    purge: z.object({
      domain,
      scope: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('all') }),
        z.object({ kind: z.literal('paths'), paths: z.array(text(8192)).min(1).max(100) }),
        z.object({ kind: z.literal('tags'), tags: z.array(text(1024)).min(1).max(100) }),
      ]),
      cause: text(128).exactOptional(),
    }),
    insight: z.object({ domain }),
    forgetCookie: z.object({ domain, name: text(128).min(1).nullable() }),
    warm: z.object({
      domain,
      batch: operationId,
      urls: z.array(text(8192)).max(2000),
      discover: z.boolean(),
    }),
    warmProgress: z.object({ batch: operationId }),
  },
  system: { info: nothing },
  inspection: {
    inspect: nothing,
    repairPath: z.object({ path }),
    endPhp: z.object({ pid: z.int().min(2) }),
  },
  hooks: { run: z.object({ event: z.enum(EVENT_NAMES), message: text(65_536) }) },
  logs: {
    list: nothing,
    read: z.object({
      ...logSearch,
      before: logPlace.nullable(),
      lines: z.int().min(1).max(1000),
    }),
    place: z.object({ file: logFile, bytesBack: bytes }),
    follow: z.object({
      ...logSearch,
      after: logPlace,
      lines: z.int().min(1).max(5000),
      maxLagBytes: bytes.nullable(),
    }),
  },
}
