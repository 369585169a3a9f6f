import { z } from 'zod'
import {
  dnsAccessChangeSchema,
  newDnsAccessSchema,
} from '#handlers/domain/certificates/dns-access-schema.ts'
import { publicFolderFault } from '#handlers/domain/applications/release-paths.ts'
import { EVENT_NAMES } from '#handlers/domain/events/events.ts'
import { siteTestFields } from '#handlers/domain/site-test/order-schema.ts'
import { TARGET_LENGTHS } from '#handlers/domain/backups/target-rules.ts'
import { PIECE_BYTES } from '#handlers/ports/host/files.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import {
  applicationName,
  applicationOf,
  releaseName,
  sharedPaths,
  applicationSpec,
  secretChange,
} from './application-shapes.ts'
import {
  archiveSource,
  atPath,
  backupContents,
  backupWork,
  bytes,
  certificate,
  certificateOrder,
  challengeType,
  change,
  databaseChange,
  databaseCopyWork,
  databaseExport,
  databaseGrants,
  databaseMoves,
  databaseName,
  databaseUser,
  dnsAccessName,
  dnsAccessOwner,
  domain,
  encoding,
  engine,
  knownBackup,
  logFile,
  logPlace,
  logSearch,
  nothing,
  operationId,
  password,
  path,
  pem,
  phpMode,
  phpVersion,
  sftpLogins,
  remoteAddresses,
  sftpUserName,
  targetName,
  targetSecret,
  targetSettings,
  text,
  upload,
  username,
  virtualHost,
} from './argument-shapes.ts'
import {
  WORDPRESS_CARE,
  WORDPRESS_COPY,
  WORDPRESS_EXTENSIONS,
  WORDPRESS_INSTALL,
  WORDPRESS_LOGIN,
  WORDPRESS_UPDATE,
} from './wordpress-shapes.ts'
import { snapshotId, snapshotPlace, snapshotRead, snapshotWork } from './snapshot-shapes.ts'

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
      uid: z.number().int().positive().exactOptional(),
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
      memoryTotalMb: z.number().int().nonnegative(),
      cpuWeight: z.number().int().min(1).max(10_000),
      cpuPercent: z.number().int().nonnegative(),
      ioWeight: z.number().int().min(1).max(10_000),
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
    facts: z.object({ version: phpVersion, mode: phpMode }),
    configure: z.object({ operationId, username, version: phpVersion, mode: phpMode }),
  },
  cron: {
    start: z.object({
      runId: operationId,
      username,
      program: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('command'), argv: z.array(text(4096)).min(1).max(100) }),
        z.object({ kind: z.literal('shell'), line: text(4096) }),
        z.object({
          kind: z.literal('source'),
          url: text(1000).nullable(),
          ref: text(200).nullable(),
          release: releaseName,
        }),
      ]),
      phpVersion: phpVersion.nullable(),
      timeZone: z.string().regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,49}$/),
      timeLimitSecs: z.number().int().min(1).max(86_400),
      application: applicationName.exactOptional(),
      release: releaseName.exactOptional(),
    }),
    wait: z.object({ runId: operationId }),
    stop: z.object({ runId: operationId }),
  },
  applications: {
    runtimes: nothing,
    put: z.object({ spec: applicationSpec, secrets: secretChange }),
    remove: applicationOf,
    deploy: applicationOf,
    stop: applicationOf,
    switch: applicationOf.extend({
      release: releaseName,
      serves: z.string().refine((folder) => publicFolderFault(folder) === null),
      keep: z.array(releaseName).max(100),
    }),
    share: applicationOf.extend({ release: releaseName, paths: sharedPaths }),
    commit: applicationOf.extend({ release: releaseName }),
    pushes: z.object({ done: z.array(z.uuid()).max(1000) }),
    deployKey: applicationOf,
    states: z.object({ username }),
    log: applicationOf,
  },
  sftp: {
    details: nothing,
    setLogins: sftpLogins,
    loginDifferences: sftpLogins,
    shellProblem: z.object({ username }),
    setUserPassword: z.object({ username, name: sftpUserName, password }),
    userProblems: z.object({ username }),
    seenLogins: z.object({ after: z.int().min(0) }),
  },
  outgoingMail: {
    submit: z.object({ to: text(254), subject: text(1000), text: text(200_000) }),
  },
  mailQueue: {
    status: nothing,
    allowance: z.object({ username }),
    setAccount: z.object({
      username,
      perHour: z.number().int().nonnegative(),
      mainDomain: domain,
    }),
    list: z.object({
      username: username.exactOptional(),
      only: z.literal('panel').exactOptional(),
      state: z.enum(['queued', 'kept', 'sent', 'failed', 'refused']).exactOptional(),
      q: text(200).exactOptional(),
      sort: z.enum(['created_at', 'subject', 'state', 'size_bytes']),
      order: z.enum(['asc', 'desc']),
      offset: bytes,
      limit: z.number().int().min(0).max(1000),
    }),
    message: z.object({ id: operationId }),
    source: z.object({ id: operationId }),
    retry: z.object({ id: operationId }),
    remove: z.object({ id: operationId }),
    takeNews: z.object({ acknowledged: bytes }),
  },
  databases: {
    engines: nothing,
    create: z.object({ ...databaseChange, password }),
    setPassword: z.object({ ...databaseChange, password }),
    remove: z.object(databaseChange),
    facts: z.object({ username }),
    slowQueries: z.object({ username }),
    setLocked: z.object({ operationId, username, locked: z.boolean() }),
  },
  databaseUsers: {
    create: z.object({ ...databaseUser, password, grants: databaseGrants }),
    setGrants: z.object({ ...databaseUser, grants: databaseGrants }),
    setPassword: z.object({ ...databaseUser, password }),
    rename: z.object({ ...databaseUser, to: databaseName }),
    remove: z.object(databaseUser),
  },
  databaseRemote: {
    state: nothing,
    setAddresses: z.object({ operationId, username, addresses: remoteAddresses }),
  },
  databaseCopies: {
    start: databaseCopyWork,
    wait: z.object({ operationId }),
    exports: z.object({ username }),
    read: z.object({ ...databaseExport, offset: bytes }),
    remove: z.object(databaseExport),
  },
  databaseTool: {
    open: z.object({ sessionId: operationId, username, engine, database: databaseName }),
    close: z.object({ sessionId: operationId }),
    closeAll: nothing,
  },
  backups: {
    start: backupWork,
    wait: z.object({ operationId }),
    restores: z.object({ username }),
    contents: backupContents,
    remove: z.object(knownBackup),
    read: z.object({ ...knownBackup, offset: z.number().int().nonnegative() }),
    targets: nothing,
  },
  targets: {
    save: z.object({
      settings: targetSettings,
      secret: targetSecret.nullable(),
      isNew: z.boolean(),
    }),
    remove: z.object({ name: targetName }),
    test: z.object({ name: targetName }),
    serverKey: z.object({
      endpoint: text(TARGET_LENGTHS.endpoint),
      allowPrivate: z.boolean(),
    }),
  },
  imports: {
    find: z.union([z.object({ path }), z.object({ target: targetName })]),
    open: z.object({ importId: operationId, source: archiveSource }),
    fill: z.object({ importId: operationId, username, databases: databaseMoves }),
    wait: z.object({ importId: operationId, step: z.enum(['open', 'fill']) }),
    takeCertificate: z.object({
      importId: operationId,
      operationId,
      username,
      from: domain,
      domain,
    }),
    pointConfigs: z.object({ importId: operationId, username }),
    takePasswords: z.object({
      importId: operationId,
      username,
      databases: databaseMoves,
      users: databaseMoves,
      system: z.boolean(),
    }),
    close: z.object({ importId: operationId }),
  },
  snapshots: {
    engine: nothing,
    start: snapshotWork,
    wait: z.object({ operationId }),
    stop: z.object({ operationId }),
    list: z.object(snapshotPlace),
    browse: z.object({ ...snapshotPlace, snapshotId, directory: path, offset: bytes }),
    open: z.object({ ...snapshotPlace, snapshotId, readId: operationId, what: snapshotRead }),
    read: z.object({ readId: operationId }),
    close: z.object({ readId: operationId }),
    destroy: z.object(snapshotPlace),
  },
  certificates: {
    prepare: z.object({
      ...certificateOrder,
      force: z.boolean(),
      challenge: challengeType.nullable(),
    }),
    issue: z.object({
      ...certificateOrder,
      operationId,
      by_dns: z.array(domain).max(100),
      replaces: operationId.nullable(),
    }),
    renewalWindow: z.object({ ...certificate, version: operationId }),
    install: z.object({ ...certificate, operationId, certificate: pem, key: pem }),
    prune: z.object({ ...certificate, keep: operationId.nullable() }),
    panelName: nothing,
    beginOrder: z.object({ ...certificate, names: certificateOrder.names }),
    waitingOrders: nothing,
    lookAtOrder: z.object(certificate),
    finishOrder: z.object({ ...certificate, operationId }),
    dropOrder: z.object(certificate),
  },
  dnsAccess: {
    list: z.object(dnsAccessOwner),
    add: z.object({ ...dnsAccessOwner, access: newDnsAccessSchema }),
    change: z.object({
      ...{ ...dnsAccessOwner, name: dnsAccessName },
      change: dnsAccessChangeSchema,
    }),
    remove: z.object({ ...dnsAccessOwner, name: dnsAccessName }),
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
    takeFigures: z.object({ acknowledged: text(64).nullable() }),
    explain: z.object({ ...siteTestFields, domain }),
    purge: z.object({ domains: z.array(domain).max(10_000) }),
  },
  wordpress: { find: z.object({ username }), sources: nothing },
  wordpressInstall: WORDPRESS_INSTALL,
  wordpressLogin: WORDPRESS_LOGIN,
  wordpressCare: WORDPRESS_CARE,
  wordpressUpdate: WORDPRESS_UPDATE,
  wordpressCopy: WORDPRESS_COPY,
  wordpressExtensions: WORDPRESS_EXTENSIONS,
  cachePlugin: {
    find: z.object({ domain }),
    change: z.object({ domain, installed: z.boolean() }),
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
  accountUse: { of: z.object({ username }), shortOfMemory: nothing },
  machine: { facts: nothing, fillers: nothing },
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
