import { createSecureContext } from 'node:tls'
import { editionOf } from '#edge-cache/changed-pages.ts'
import { createCookieMemory } from '#edge-cache/index.ts'
import { serializeEntry } from '#edge-cache/serialize.ts'
import type { Sampler } from '#edge-cache/sampling/sampler.ts'
import { createSingleFlight } from '#edge-cache/single-flight.ts'
import { isTrustedAddress } from '#handlers/domain/client-address.ts'
import { panelNameOf } from '#handlers/domain/panel-name.ts'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import { parseListenAddress } from '#handlers/domain/server-config-listen.ts'
import { normalizeTarget } from '#handlers/sites/request-path.ts'
import { createSiteRules } from '#handlers/sites/htaccess/site-rules.ts'
import { withPurgeMethod } from '#handlers/sites/purge-method.ts'
import { createSiteApplications } from '#handlers/sites/site-applications.ts'
import { createSiteHandler } from '#handlers/sites/site-handler.ts'
import type { PurgeSite } from '#handlers/sites/site-purges.ts'
import { portInKey } from '#handlers/sites/shown-host.ts'
import { createVaryingSites } from '#handlers/sites/varying-sites.ts'
import { createLog } from '../process/create-log.ts'
import { createWorkerCache, type WorkerCache } from './cache/worker-cache.ts'
import { createAnswerCoder } from './coding/answer-coder.ts'
import { ConnectionGate } from './connections/connection-gate.ts'
import { createCookieLearner } from './cookies/learn-cookies.ts'
import { CpuMeter, reportCpu } from './cpu/cpu-meter.ts'
import { createEnsurePhp } from './ensure-php.ts'
import { connectionBounds } from './fastcgi/connection-bounds.ts'
import { createPhpOrigin } from './fastcgi/php-origin.ts'
import { spoolDirectoryOf } from './fastcgi/spool-directory.ts'
import { existsFairly } from './files/open-fairly.ts'
import { createRuleFiles } from './files/rule-files.ts'
import { createSiteFiles } from './files/site-files.ts'
import { createHostRegistry } from './host-registry.ts'
import { createFileWay } from './http1/file-way.ts'
import { HotAnswers } from './http1/hot-answers.ts'
import type { LearnedAt } from './http1/hot-facts.ts'
import { createHotWay } from './http1/hot-way.ts'
import { createNothingWay } from './http1/nothing-way.ts'
import { createRequestClass } from './http1/request-class.ts'
import { HttpClock } from './http1/http-clock.ts'
import { openListeners } from './listeners.ts'
import { createSiteEngine } from './site-engine.ts'
import { createProxyOrigin } from './proxy/proxy-origin.ts'
import { createTunnels } from './proxy/tunnels.ts'
import { openLogs } from './log/open-logs.ts'
import { createPurgeRights } from './purge/purge-rights.ts'
import { createCertificateContexts } from './tls/certificate-contexts.ts'
import { tlsProtocols } from './tls/tls-protocols.ts'
import { reportObservations } from './observations/report-observations.ts'
import { createWorkerSampler } from './sampling/worker-sampler.ts'
import { createFillClient } from './workers/fill-client.ts'
import { StallWatch } from './workers/stall-watch.ts'
import type { FillRole, ToPrimary, ToWorker, WorkerStart, WorkerStats } from './workers/messages.ts'
import { reportTraffic, TrafficMeter } from './traffic/traffic-meter.ts'
import { Heartbeat } from './watchdog/heartbeat.ts'
import { HeldRequests } from './watchdog/held-requests.ts'
import { RequestTurns } from './watchdog/request-turns.ts'
import { createPageAdopter } from './warm/adopt-page.ts'
import { measureLagMs } from './warm/measure-lag.ts'
import { gaugePhp } from './warm/php-gauge.ts'
import { createShownPorts } from './warm/shown-ports.ts'
import { createWarmFiller } from './warm/warm-filler.ts'
import type { ProcessChannel } from './workers/process-channel.ts'
import { createCounterReports } from './workers/report-counters.ts'

/** Prebuilt answers may take this part of a worker's memory for pages. */
const PREBUILT_SHARE = 8
/** Disk that request bodies may take, over all workers; a worker has room for one site's at least. */
const SPOOL_BYTES = 512 * 2 ** 20
const MIN_SPOOL_BYTES = 128 * 2 ** 20
const PREBUILT_BYTES = 16 * 2 ** 20
/** Memory of a worker for answers with files of the last second. */
const REMEMBERED_FILES_BYTES = 32 * 2 ** 20

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
  const registry = createHostRegistry(config.virtualhost, panelNameOf(config))
  const hosts = registry.table
  const primaryName = (name: string): string | null => hosts().find(name)?.domain ?? null
  const traffic = new TrafficMeter(primaryName)
  const cpu = new CpuMeter(primaryName)
  const turns = new RequestTurns(
    start.heartbeatFd === null ? null : new Heartbeat(start.heartbeatFd),
    cpu,
  )
  const logs = openLogs(config, clock, createLog('web-worker'), {
    access: true,
    count: (host, bytes) => traffic.add(host, bytes),
  })
  const { log } = logs
  const sampler: Sampler = createWorkerSampler({
    phpRunning: () => gauge.running(),
    layers: () => cache?.layers ?? null,
    filler: () => warm,
    ask: (body) => primary.ask(body),
  })
  const cache: WorkerCache | null = await createWorkerCache(start, {
    sampler,
    // A worker by itself needs nobody's leave.
    coordinator:
      start.workers === 1
        ? createSingleFlight()
        : createFillClient({
            join: async (key) => (await primary.ask({ type: 'fill-join', key })) as FillRole,
            settle: async (fill, kind) =>
              (await primary.ask({ type: 'fill-settle', fill, kind })) === true,
            give: (fill, entry) => primary.tell({ type: 'fill-page', fill, entry }),
          }),
    writer: {
      put: async (entry) => {
        const { id } = entry.key
        const bytes = serializeEntry(entry)
        await primary.ask({ type: 'l2-put', id, edition: editionOf(entry), entry: bytes })
      },
      delete: (key) => primary.ask({ type: 'l2-delete', key }),
    },
    onChanged: (change, replaced) => primary.ask({ type: 'page-changed', change, replaced }),
    invalidate: async (scopes) => {
      await primary.ask({ type: 'invalidate', scopes })
    },
    onBehind: () => primary.tell({ type: 'l2-behind' }),
    onDamage: (error) => primary.tell({ type: 'l2-damage', error }),
    log,
  })
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
  const files = createSiteFiles()
  const ruleFiles = createRuleFiles()
  const held: HeldRequests = new HeldRequests({
    files: ruleFiles,
    nowMs: () => performance.now(),
    changed: (site: string) => primary.tell({ type: 'held-rules-changed', site }),
  })
  held.put(start.heldSites)
  const rules = createSiteRules({
    files,
    ruleFiles,
    changed: async ({ domain }) => {
      await primary.ask({ type: 'rules-changed', site: domain })
    },
    log,
    nowMs: () => Date.now(),
  })
  const cookieMemory = createCookieMemory(start.learnedCookies)
  const cookies = createCookieLearner({
    memory: cookieMemory,
    ask: (site, names) => primary.ask({ type: 'learn-cookies', site, names }),
    nowMs: () => Date.now(),
  })
  const varying = createVaryingSites(start.varyingSites)
  const learnedAt: LearnedAt = ({ domain, cache }) => cookieMemory.at(domain, cache)
  const purged = async (change: ToPrimary & { site: string }): Promise<void> => {
    try {
      await primary.ask(change)
    } catch (error) {
      log.warn('a change could not be purged', { domain: change.site, error: String(error) })
    }
  }
  const applications = createSiteApplications({
    files,
    nowMs: () => performance.now(),
    changed: ({ domain }, effect) => purged({ type: 'site-changed', site: domain, effect }),
    recognised: ({ domain }, application) =>
      purged({ type: 'site-recognised', site: domain, application }),
  })
  const purgeSiteBy =
    (cause: string): PurgeSite =>
    async (domain, scopes) => {
      await primary.ask({ type: 'purge-site', domain, scopes, cause })
    }
  const answering = createSiteHandler({
    challenge: (token) => challenges.get(token) ?? null,
    hosts,
    files,
    rules,
    php: gauge.php,
    turns,
    held,
    proxy: createProxyOrigin({ trustedProxies: config.panel.trusted_proxies }),
    cache: pageCache,
    ...(pageCache === null ? {} : { cookies, applications, varying }),
    purgeSite: purgeSiteBy('php'),
    ...(config.server.compress ? { coder: createAnswerCoder() } : {}),
    log,
    httpsPort: httpsPortOf(config),
    isTrustedProxy: (address) => isTrustedAddress(address, config.panel.trusted_proxies),
  })
  const site =
    pageCache === null
      ? answering
      : withPurgeMethod(answering, {
          ...{ hosts, purgeSite: purgeSiteBy('purge-method'), log, nowMs: () => Date.now() },
          rights: createPurgeRights(config.paths.run_dir),
        })
  const shownPorts = createShownPorts()
  /** What is held goes the cold way, where that is known. */
  const hotEditionOf: typeof rules.hotEdition = (vhost, path, withQuery) =>
    held.concerns(vhost) ? null : rules.hotEdition(vhost, path, withQuery)
  const warm = createWarmFiller(site, config, shownPorts.isShown)
  const adopt = cache === null ? null : createPageAdopter(cache.layers, config.cache)
  const tunnels = createTunnels((domain) => {
    const host = hosts().find(domain)
    return (
      host !== null && !host.suspended && !host.over_bandwidth && host.proxy?.websocket === true
    )
  })
  const engine = await createSiteEngine({
    site: shownPorts.watch(site),
    hosts,
    normalizePath: (raw) => normalizeTarget(raw)?.path ?? null,
    hot: createHotWay({
      hosts,
      cache: pageCache,
      mobileVariant: config.cache.mobile_variant,
      portInKey,
      learnedAt,
      editionOf: hotEditionOf,
    }),
    answers: new HotAnswers(
      clock,
      Math.max(PREBUILT_BYTES, (cache?.memoryBytes ?? 0) / PREBUILT_SHARE),
    ),
    files: createFileWay({
      hosts,
      cache: pageCache,
      editionOf: hotEditionOf,
      ignoreQueryParams: config.cache.ignore_query_params,
      learnedAt,
      clock,
      limitBytes: REMEMBERED_FILES_BYTES,
    }),
    nothing: createNothingWay({
      hosts,
      cache: pageCache,
      classOf: createRequestClass({
        isOn: pageCache !== null,
        ignoreQueryParams: config.cache.ignore_query_params,
        learnedAt,
      }),
      isUnruled: (vhost) => !held.concerns(vhost) && rules.hasNone(vhost),
      isThere: existsFairly,
      clock,
    }),
    clock,
    cpu: { meter: cpu, turns },
    accessLog: logs.access,
    log,
    times: {
      keepAliveMs: config.server.keepalive_timeout * 1000,
      headMs: config.server.header_timeout * 1000,
      stallMs: 60_000,
    },
    requestMs: config.server.request_timeout * 1000,
    maxBodyBytes: config.server.max_body_size,
    maxHeadBytes: config.server.max_header_size,
    tunnels,
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
    },
    gate,
  )

  const reports = createCounterReports(
    () => ({
      requests: engine.counters().requests,
      refused: gate.refused(),
      cache: pageCache?.counters() ?? null,
    }),
    (counters) => primary.ask({ type: 'counters', counters }),
  )
  const trafficReports = reportTraffic(traffic, (bytes) => primary.ask({ type: 'traffic', bytes }))
  const cpuReports = reportCpu(cpu, (times) => primary.ask({ type: 'cpu', times }))
  const observationReports = reportObservations(
    () => cache?.takeObservations() ?? {},
    (sites) => primary.ask({ type: 'observations', sites }),
  )
  const report = async (): Promise<void> => {
    await Promise.all([
      reports.now(),
      trafficReports.now(),
      cpuReports.now(),
      observationReports.now(),
    ])
  }
  const drain = async (): Promise<void> => {
    listeners.stop()
    await engine.drain()
    await cache?.settled()
    await report()
    await logs.close()
    process.exit(0)
  }
  const stalls = new StallWatch()
  const stats = (): WorkerStats => ({
    engine: engine.counters(),
    connections: engine.connections(),
    ...(cache?.layers.stats() ?? { l1: null, l2: null }),
  })
  return {
    handle: (message) => {
      switch (message.type) {
        case 'hosts':
          registry.apply(message.changes)
          tunnels.review()
          certificates.recheck()
          return null
        case 'purge':
          pageCache?.applyPurge(message.purge.sequence, message.purge.scopes, message.purge.atMs)
          return null
        case 'warm':
          return warm.fill(message.target)
        case 'warm-read':
          return warm.read(message.target)
        case 'adopt':
          return adopt?.(message.entry)
        case 'load':
          return measureLagMs().then((lagMs) => ({ lagMs, phpRunning: gauge.running() }))
        case 'purges':
          for (const { sequence, scopes, atMs } of message.purges)
            pageCache?.applyPurge(sequence, scopes, atMs)
          return null
        case 'connections':
          gate.hear(message.others)
          return null
        case 'l2-epoch':
          return cache?.setEpoch(message.epoch)
        case 'page-changed':
          if (message.change.edition !== null) pageCache?.storedElsewhere(message.change.id)
          return cache?.layers.changed(message.change.id, message.change.edition)
        case 'l2-reopen':
          cache?.layers.reopen()
          return null
        case 'stats':
          return report().then(stats)
        case 'stalls':
          return stalls.longestMs()
        case 'site-usage':
          return cache?.siteUsage() ?? {}
        case 'site-pages':
          return cache?.pagesToPurge(message.siteTag, message.scopes) ?? []
        case 'ticket-keys':
          listeners.setTicketKeys(Buffer.from(message.keys))
          return null
        case 'challenges':
          challenges = message.challenges
          return null
        case 'learned-cookies':
          cookieMemory.put(message.site, message.known)
          return null
        case 'rules-changed': {
          const host = hosts().find(message.site)
          if (host !== null) rules.doubt(host)
          return null
        }
        case 'varying-site':
          varying.put(message.site, message.varies)
          return null
        case 'held-sites':
          held.put(message.sites)
          return null
        case 'reopen-logs':
          return logs.reopen()
        case 'drain':
          return drain()
        case 'start':
          throw new Error('A worker is started once.')
      }
    },
  }
}
