import { hostname } from 'node:os'
import { createSecureContext } from 'node:tls'
import type { Sampler } from '#edge-cache/index.ts'
import { applicationsOf } from '#handlers/domain/config/proxy/backends.ts'
import { clientAddress, isTrustedAddress } from '#handlers/domain/text/client-address.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { panelNameOf } from '#handlers/domain/access/panel-name.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { withPurgeMethod } from '#handlers/sites/page-cache/purge-method.ts'
import { RequestMeter } from '#handlers/sites/guard/request-meter.ts'
import { StoredNames } from '#handlers/sites/page-cache/stored-names.ts'
import { createExplainer } from '#handlers/sites/explain/explain-request.ts'
import { createSiteHandler } from '#handlers/sites/site-handler.ts'
import { createLog } from '../process/create-log.ts'
import { channelDirectory, watchChannel } from '../web-channel/channel-files.ts'
import { openWorkerCache } from './cache/open-worker-cache.ts'
import type { WorkerCache } from './cache/worker-cache.ts'
import { createResponseCoder } from './coding/response-coder.ts'
import { ConnectionGate } from './connections/connection-gate.ts'
import { CpuMeter } from './cpu/cpu-meter.ts'
import { createEnsureApplication } from './ensure-application.ts'
import { createEnsurePhp } from './ensure-php.ts'
import { createOpenSite } from './open-site.ts'
import { connectionBounds } from '../php-backends/connection-bounds.ts'
import { createPhpOrigin } from '../php-backends/php-origin.ts'
import { spoolDirectoryOf } from '../php-backends/spool-directory.ts'
import { FiguresMeter } from './figures/figures-meter.ts'
import { VisitorKey } from './figures/visitor-key.ts'
import { createHostRegistry } from './host-registry.ts'
import { HttpClock } from './http1/http-clock.ts'
import type { PurgeOrder } from './front/orders.ts'
import { withOrders } from './front/with-orders.ts'
import { createFastLimits } from './limits/fast-limits.ts'
import { openListeners } from './listeners.ts'
import { openLogs } from './log/open-logs.ts'
import { createProxyOrigin } from './proxy/proxy-origin.ts'
import { createTunnels } from './proxy/tunnels.ts'
import { createPurgeRights } from './purges/purge-rights.ts'
import { createWorkerSampler } from './sampling/worker-sampler.ts'
import { createCertificateContexts } from './tls/certificate-contexts.ts'
import { tlsProtocols } from './tls/tls-protocols.ts'
import { TrafficMeter } from './traffic/traffic-meter.ts'
import { createPageAdopter } from './warm/adopt-page.ts'
import { gaugePhp } from './warm/php-gauge.ts'
import { createShownPorts } from './warm/shown-ports.ts'
import { createWarmFiller } from './warm/warm-filler.ts'
import { Heartbeat } from './watchdog/heartbeat.ts'
import { RequestTurns } from './watchdog/request-turns.ts'
import { createWorkerEngine } from './worker-engine.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './workers/messages.ts'
import { obeyPrimary } from './workers/obey-primary.ts'
import type { ProcessChannel } from './workers/process-channel.ts'
import { createSiteKnowledge } from './workers/site-knowledge.ts'
import { createWorkerReports } from './workers/worker-reports.ts'

/** Disk that request bodies may take, over all workers; a worker has room for one site's at least. */
const SPOOL_BYTES = 512 * 2 ** 20
const MIN_SPOOL_BYTES = 128 * 2 ** 20

/** Port that redirects to https lead to. */
const httpsPortOf = (config: ServerConfig): number =>
  parseListenAddress(config.server.listen_ssl[0] ?? '')?.port ?? 443

/** A running worker. */
export interface Worker {
  handle(message: ToWorker): unknown
}

/** Builds a worker from what the primary sent; resolves when it accepts connections. */
export const startWorker = async (
  start: WorkerStart,
  primary: ProcessChannel<ToPrimary, ToWorker>,
): Promise<Worker> => {
  const { config } = start
  const clock = new HttpClock()
  const registry = createHostRegistry(config.virtualhost, panelNameOf(config), {
    unknown: config.server.default_host,
    machineNames: [hostname()],
  })
  const hosts = registry.table
  const primaryName = (name: string): string | null => hosts().answering(name)?.domain ?? null
  const traffic = new TrafficMeter(primaryName, (name) => hosts().isNamed(name))
  const cpu = new CpuMeter(primaryName)
  const turns = new RequestTurns(
    start.heartbeatFd === null ? null : new Heartbeat(start.heartbeatFd),
    cpu,
  )
  const isProxy = (address: string): boolean =>
    isTrustedAddress(address, config.panel.trusted_proxies)
  const meter = new RequestMeter({
    workers: start.workers,
    tell: (used) => primary.tell({ type: 'requests-used', used }),
  })
  const storedNames = new StoredNames(() => clock.nowMs)
  const figures = new FiguresMeter({
    clock,
    siteOf: primaryName,
    ownerOf: (name) => hosts().find(name)?.domain ?? null,
    isProxy,
    clientOf: (address, forwarded) =>
      clientAddress(address, forwarded, config.panel.trusted_proxies),
    key: new VisitorKey(start.dayKey),
  })
  const logs = openLogs(config, clock, createLog('web-worker'), {
    access: true,
    count: (host, bytes) => traffic.add(host, bytes),
    figures,
  })
  const { log } = logs
  const sampler: Sampler = createWorkerSampler({
    phpRunning: () => gauge.running(),
    layers: () => cache?.layers ?? null,
    filler: () => warm,
    ask: (body) => primary.ask(body),
  })
  const cache: WorkerCache | null = await openWorkerCache(start, primary, { sampler, log })
  const pageCache = cache?.pageCache ?? null
  const gauge = gaugePhp(
    createPhpOrigin({
      ensure: createEnsurePhp(config, hosts),
      log,
      ...(logs.php ? { writeError: logs.php.write } : {}),
      maxBodyBytes: config.server.max_body_size,
      temporaryDirectory: spoolDirectoryOf(config.paths.state_dir),
      spoolBytes: Math.max(MIN_SPOOL_BYTES, Math.floor(SPOOL_BYTES / start.workers)),
      requestTimeoutMs: config.php.request_timeout * 1000,
      maxConnectionsPerBackend: config.php.max_children,
      boundsOf: ({ php }) =>
        connectionBounds(php.pool?.max_children ?? config.php.max_children, start.workers),
    }),
  )
  let challenges = start.challenges
  const sites = createSiteKnowledge(start, primary, log)
  const knowing = {
    hosts,
    files: sites.files,
    rules: sites.rules,
    verifyPassword: sites.ruleFiles.verifyPassword,
    turns,
    held: sites.held,
    httpsPort: httpsPortOf(config),
    ...(config.panel.trusted_proxies.length === 0
      ? {}
      : {
          clientOf: (address: string, forwarded: string | null) =>
            clientAddress(address, forwarded, config.panel.trusted_proxies),
        }),
    isTrustedProxy: isProxy,
  }
  const channel = watchChannel(channelDirectory(config.paths.state_dir), (error) => {
    if (config.server.front_listen.length > 0)
      log.warn('the keys of the web channel cannot be used; no front is served', {
        error: String(error),
      })
  })
  const proxy = createProxyOrigin({
    channel,
    trustedProxies: config.panel.trusted_proxies,
    ensureApplication: createEnsureApplication(config),
  })
  proxy.review(registry.all())
  const answering = createSiteHandler({
    ...knowing,
    challenge: (token) => challenges.get(token) ?? null,
    php: gauge.php,
    proxy,
    cache: pageCache,
    ...(pageCache === null
      ? {}
      : { cookies: sites.cookies, applications: sites.applications, varying: sites.varying }),
    purgeSite: sites.purgeSiteBy('php'),
    ...(config.server.compress ? { coder: createResponseCoder() } : {}),
    meter,
    storedNames,
    openSite: createOpenSite(config.paths.run_dir),
    log,
  })
  const site =
    pageCache === null
      ? answering
      : withPurgeMethod(answering, {
          ...{ hosts, purgeSite: sites.purgeSiteBy('purge-method'), log, nowMs: () => Date.now() },
          rights: createPurgeRights(config.paths.run_dir),
        })
  const shownPorts = createShownPorts()
  const warm = createWarmFiller(site, config, shownPorts.isShown)
  const adopt = cache === null ? null : createPageAdopter(cache.layers, config.cache)
  const tunnels = createTunnels((domain) => {
    const host = hosts().find(domain)
    if (host === null || host.suspended || host.over_bandwidth) return false
    return applicationsOf(host).some(({ rule }) => rule.websocket)
  })
  const engine = await createWorkerEngine(config, {
    site: withOrders(
      shownPorts.watch(site),
      async (done) => (await primary.ask({ type: 'front-asks', done })) as PurgeOrder[],
    ),
    ...{ hosts, sites, cache, clock, log, tunnels, storedNames },
    limits: createFastLimits({ hosts, meter, isProxy }),
    accessLog: logs.access,
    cpu: { meter: cpu, turns },
  })
  const gate = new ConnectionGate({
    max: config.server.max_connections,
    maxPerAddress: config.server.max_connections_per_address,
    trustedProxies: config.panel.trusted_proxies,
    workers: start.workers,
    report: (report) => primary.tell({ type: 'connections', report }),
  })
  gate.room.add(() => engine.all())
  const protocols = tlsProtocols(config.ssl.protocols)
  const certificates = createCertificateContexts({
    hosts,
    fallback: createSecureContext({ ...start.selfSigned, ...protocols }),
    protocols,
    log,
  })
  const listeners = await openListeners(
    start.listeners,
    engine,
    {
      contextFor: certificates.contextFor,
      ticketKeys: Buffer.from(start.ticketKeys),
      defaultContext: start.selfSigned,
      protocols,
      channel,
    },
    gate,
  )

  const reports = createWorkerReports(primary, { engine, gate, cache, traffic, cpu, figures })
  return {
    handle: obeyPrimary({
      ...{ registry, hosts, sites, cache, warm, adopt },
      explain: createExplainer(knowing),
      phpRunning: () => gauge.running(),
      ...{ engine, gate, meter, figures, listeners, certificates, tunnels, proxy },
      setChallenges: (all) => {
        challenges = all
      },
      report: () => reports.now(),
      logs,
    }),
  }
}
