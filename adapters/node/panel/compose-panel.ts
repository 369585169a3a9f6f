import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { PanelApp } from '#handlers/panel/deps.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { productVersion } from '../process/product-version.ts'
import { unixFetch } from '../process/unix-fetch.ts'
import { createArgon2Passwords } from '../store/argon2-passwords.ts'
import { openPanelStore } from '../store/open-panel-store.ts'
import { createToolServer } from './database-tool/tool-server.ts'
import type { PanelCertificate } from './listening/panel-certificate.ts'
import { createAddresses } from './duties/ask-addresses.ts'
import { createBackground } from './duties/background.ts'
import { readJwtSecret } from './jwt-secret.ts'
import { startDailyRenewal } from './duties/daily-renewal.ts'
import { startDailySizes } from './duties/daily-sizes.ts'
import { heldDuties } from './duties/held-duties.ts'
import { aloneDuties, startSharedDuties } from './duties/shared-duties.ts'
import { readInstanceId } from './instance-id.ts'
import { isElsewhere } from '../layout/joined-file.ts'
import { createHandover } from './hosts/panel-handover.ts'
import { createHostLinks } from './hosts/host-links.ts'
import { createLicense } from './license.ts'
import { createStoreClock } from './store-clock.ts'
import { readRecoveryFacts } from '../layout/recovery-files.ts'
import { machineNames } from '../machine/machine-names.ts'
import { readSetupToken } from './setup-token.ts'
import { startPushes } from './duties/start-pushes.ts'
import { startCron } from './duties/start-cron.ts'
import { startSampling } from './duties/start-sampling.ts'
import { startWaitingOrders } from './duties/waiting-orders.ts'
import { startScheduledBackups } from './duties/scheduled-backups.ts'
import { startWeeklyProofs } from './duties/weekly-proofs.ts'
import { createPosts } from './duties/posts.ts'
import { createWebhookSender } from './duties/webhook-sender.ts'
import { panelUrl } from './listening/panel-url.ts'

export interface ComposedPanel {
  app: PanelApp
  setupNeedsToken: boolean
  /** Waits a little for background work, then closes the store. */
  close(): Promise<void>
}

/** No site may have a name of the machine or of the panel. */
const ownNames = ({ panel }: ServerConfig): string[] =>
  panel.tls.includes('.') ? [...machineNames(), panel.tls] : machineNames()

const TRAFFIC_INTERVAL_MS = 30_000
const EVENTS_INTERVAL_MS = 2000
const PROBE_INTERVAL_MS = 10_000
const ROTATION_INTERVAL_MS = 60_000
/** A login that is lent does not outlive the session that it was lent to for long. */
const TOOL_INTERVAL_MS = 5000

/**
 * Builds the panel of a host: store, argon2id, the agent behind its
 * socket. The only place that knows which implementation stands behind a port.
 * Client addresses are settled by the listener, so the application is given no
 * trusted proxies of its own.
 */
export const composePanel = async (
  config: ServerConfig,
  certificate: PanelCertificate | null,
  log: Log,
): Promise<ComposedPanel> => {
  const { paths } = config
  const jwtSecret = readJwtSecret(paths.secrets_dir)
  const setupToken = readSetupToken(config.panel.setup_token_file)
  const background = createBackground(log)
  const turns = new AsyncLocalStorage<Turn | null>()
  const { store, problem, place, close } = await openPanelStore(config, { log }, turns)
  // Alone with its file it needs no leases.
  const instance = config.panel.store === null ? null : readInstanceId(paths.state_dir)
  const shared = instance === null ? null : createStoreClock(store)
  await shared?.ask()
  const stopAsking = shared?.keepAsking(log)
  const clock = shared ?? { nowMs: () => Date.now() }
  const elsewhere = instance !== null && isElsewhere(paths.state_dir)
  // It works with what lies on host 0.
  const tool = elsewhere ? null : createToolServer({ panel: config.panel, certificate, log })
  const app = createPanelApp({
    store,
    host: createHostClient(unixFetch(join(paths.run_dir, 'agent.sock')), turns),
    turns,
    hostLinks: createHostLinks(join(paths.state_dir, 'panel', 'link'), turns),
    passwords: createArgon2Passwords(),
    clock,
    license: createLicense(config.panel, { clock, log }),
    log,
    background,
    judges: new AsyncLocalStorage(),
    addresses: createAddresses([...config.server.listen, ...config.server.listen_ssl]),
    webhooks: createWebhookSender(config.webhook, clock),
    posts: createPosts(),
    panelUrl: panelUrl(config.panel),
    recovery: () => readRecoveryFacts(config),
    storeProblem: problem,
    storePlace: place,
    isElsewhere: elsewhere,
    ...(instance === null ? {} : { handover: createHandover(config, certificate, jwtSecret) }),
    ...(shared === null ? {} : { storeSkewMs: shared.skewMs }),
    backupsConfig: config.backups,
    jwtSecret,
    ...(instance === null ? {} : { instance }),
    ...(tool === null ? {} : { databaseTool: tool }),
    config: { homeBase: paths.home_base, setupToken, machineNames: ownNames(config) },
  })
  background.run('settle open operations', async () => {
    await app.settleOpenOperations()
    await app.tellSftp()
    await app.tellMail()
  })
  const live = heldDuties(app, paths, log)
  const duties =
    instance === null
      ? aloneDuties(live)
      : await startSharedDuties(app, live, {
          ...{ store, log, background, instance, turns },
          facts: { name: hostname(), version: productVersion(), besideHost: !elsewhere },
        })
  const collecting = setInterval(() => {
    background.run('collect traffic', () => duties.inTurn('host', () => app.collectTraffic()))
    background.run('collect figures', () => duties.inTurn('host', () => app.collectFigures()))
    background.run('collect news of mail', () => duties.inTurn('host', () => app.collectMailNews()))
    background.run('collect log-ins', () => duties.inTurn('host', () => app.collectLogins()))
  }, TRAFFIC_INTERVAL_MS)
  const telling = setInterval(() => {
    background.run('tell events', () => duties.dispatchEvents())
    background.run('tell people', () => duties.tellNotifications())
  }, EVENTS_INTERVAL_MS)
  tool?.serve(app.databaseTool)
  if (tool !== null)
    background.run('end old sessions of the database tool', () => app.beginDatabaseTool())
  const look = () => background.run('look at the database tool', () => app.checkDatabaseTool())
  const checking = tool === null ? undefined : setInterval(look, TOOL_INTERVAL_MS)
  const probing = setInterval(() => {
    background.run('tell hosts whom they obey', () => app.tellTrust())
    background.run('look whether hosts answer', () =>
      duties.inTurn('probes', () => app.probeHosts()),
    )
    background.run('bring fronts what they lack', () =>
      duties.inTurn('fronts', () => app.bringFronts()),
    )
  }, PROBE_INTERVAL_MS)
  const rotating = setInterval(() => {
    // Its own keys each panel alone has.
    background.run('change keys for hosts', () => app.rotateOwnKeys())
    background.run('change certificates of hosts', () =>
      duties.inTurn('probes', () => app.rotateCertificates()),
    )
  }, ROTATION_INTERVAL_MS)
  // Each measures for its own charts; of a minute one row is kept, whoever wrote it.
  const sampling = startSampling(() => app.sampleHost())
  const renewal = startDailyRenewal(() => duties.renewCertificates(), log)
  const orders = startWaitingOrders(() => duties.goOnWithOrders(), log)
  const backups = startScheduledBackups(
    (signal) => duties.scheduledBackups(signal),
    () => duties.tellOverdueBackups(),
    log,
  )
  const sizes = startDailySizes(() => duties.inTurn('host', () => app.noteDatabaseSizes()), log)
  const proofs = startWeeklyProofs(() => duties.proveBackups(), log)
  // Where there are others, one of them may have the duty, and its runs under way.
  if (instance === null) await app.takeUpCron()
  const cron = startCron(() => duties.tickCron(), log)
  const pushes = startPushes(() => duties.takePushes(), log)
  return {
    app,
    setupNeedsToken: setupToken !== null,
    async close() {
      stopAsking?.()
      clearInterval(collecting)
      clearInterval(telling)
      clearInterval(probing)
      clearInterval(rotating)
      clearInterval(checking)
      await tool?.close()
      sampling.stop()
      background.run('keep the last samples', () => app.keepSamples())
      cron.stop()
      pushes.stop()
      renewal.stop()
      orders.stop()
      backups.stop()
      proofs.stop()
      sizes.stop()
      await background.drain(3000)
      await duties
        .stop()
        .catch((error: unknown) => log.warn('duties end by themselves', { error: String(error) }))
      await close()
    },
  }
}
