import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadKitHandler } from '#adapters/node/panel/listening/kit-handler.ts'
import { publishPanel } from '#adapters/shared/panel-http/publish-panel.ts'
import { startSampling } from '#adapters/node/panel/duties/start-sampling.ts'
import { startPanelServer } from '#adapters/node/panel/listening/server.ts'
import { createArgon2Passwords } from '#adapters/node/store/argon2-passwords.ts'
import { openStore } from '#adapters/node/store/open-store.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { AppError } from '#handlers/errors.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { AccountUse } from '#handlers/ports/host/accounts/account-use.ts'
import type { LogFile } from '#handlers/ports/host/logs.ts'
import type { HostLogin } from '#handlers/ports/host/sftp.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import type { FoundWordpress } from '#handlers/ports/host/wordpress/wordpress.ts'
import type { RecoveryFacts } from '#handlers/ports/recovery.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import type { FakeArchive } from '#test/fakes/backups/fake-imports.ts'
import { createFakeBackground } from '#test/fakes/fake-background.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { fillStore } from '#test/support/fill-store.ts'
import { fillCache } from './fill-cache.ts'
import { fillFigures } from './fill-figures.ts'
import { makeBackupPast, type BackupPast } from './make-backup-past.ts'
import { addHost } from './hosts/add-host.ts'
import { busier, makeHistory } from './make-history.ts'
import type { PutMails } from './start-panel.ts'

/**
 * The panel's own server, application, store and UI over a host held in memory;
 * started as a process of its own by `startPanel`, because the UI's build is
 * loaded as it is in production. Ends with its parent.
 */
const dir = mkdtempSync(join(tmpdir(), 'berth-ui-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
process.on('disconnect', () => process.exit(0))

const host = createFakeHost()
host.certificates.ownName = 'panel.example'
let recovery: RecoveryFacts = {
  held: false,
  imported: null,
  kitMadeAt: '2026-11-01 10:00:00',
  kitVerifiedAt: '2026-11-01 11:00:00',
  exportedAt: timestamp(Date.now() - 3_600_000),
  hooksWaiting: 0,
  hostsWaiting: 0,
}
process.on(
  'message',
  (message: {
    fault?: string
    message?: string
    clear?: boolean
    log?: [LogFile, string[]]
    cache?: boolean
    stalls?: WorkerStall[]
    machine?: { name: string; away: boolean }
    use?: { username: string; use: AccountUse }
    logins?: HostLogin[]
    mails?: PutMails
    recovery?: RecoveryFacts
    wordpress?: [username: string, found: FoundWordpress[]]
    backups?: BackupPast
    archives?: [path: string, archive: FakeArchive][]
    fill?: { accounts: number; domainsOfEach: number }
  }) => {
    if (message.fill) fillStore(join(dir, 'panel.db'), message.fill)
    for (const [path, archive] of message.archives ?? []) host.imports.archives.set(path, archive)
    if (message.backups) makeBackupPast(join(dir, 'panel.db'), message.backups)
    if (message.wordpress) host.wordpress.installed.set(...message.wordpress)
    if (message.recovery) recovery = message.recovery
    if (message.mails) host.mail.relay = message.mails.relay
    for (const { source, ...record } of message.mails?.records ?? []) host.mail.put(record, source)
    if (message.logins) host.sftp.seen = message.logins
    if (message.machine) void addHost(store, message.machine)
    if (message.stalls) host.webServer.stalls = message.stalls
    if (message.use) host.accountUse.used.set(message.use.username, message.use.use)
    if (message.cache)
      void fillCache(host, store, Date.now())
        .then(() => fillFigures(store, Date.now()))
        .then(() => process.send?.({ done: true }))
    for (const line of message.log?.[1] ?? []) host.logs.append(message.log?.[0] ?? 'access', line)
    if (message.clear) {
      host.clearFaults()
      Object.assign(store, whole)
    }
    if (message.fault?.startsWith('store.')) {
      const error = new AppError(503, 'The records cannot be read. Try again in a moment.')
      Object.assign(store, { [message.fault.slice(6)]: () => Promise.reject(error) })
    } else if (message.fault !== undefined) {
      const away = 'The host agent is not reachable. Try again in a moment.'
      const error = new AppError(503, message.message ?? away)
      host.inject({ method: message.fault, when: 'before', error, times: 1000 })
    }
    if (!message.cache) process.send?.({ done: true })
  },
)

const { store } = await openStore(join(dir, 'panel.db'))
const whole = { ...store }
if (process.env['TEST_HISTORY'] !== undefined) await makeHistory(store, Date.now())
const log = createRecordingLog()
const app = createPanelApp({
  store,
  host: host.ports,
  passwords: createArgon2Passwords(),
  clock: { nowMs: () => Date.now() },
  license: communityLicense,
  log,
  background: createFakeBackground(),
  judges: new AsyncLocalStorage(),
  recovery: () => recovery,
  jwtSecret: 'a secret of the test, long enough for HS256',
  config: { homeBase: '/home', setupToken: process.env['TEST_SETUP_TOKEN'] ?? null },
})
startSampling(async () => {
  const { counted } = host.webServer
  if (counted !== null) Object.assign(counted, busier(counted))
  await app.sampleHost()
})
publishPanel(app, process.env['TEST_SETUP_TOKEN'] !== undefined)
const server = await startPanelServer({
  app,
  kit: await loadKitHandler(),
  listen: [{ host: process.env['TEST_LISTEN'] ?? '127.0.0.1', port: 0 }],
  trustedProxies: [],
  log,
})
process.send?.({ port: server.ports[0] })
