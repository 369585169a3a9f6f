import { closeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { createConfigLoader } from '../config/config-loader.ts'
import { createLog } from '../process/create-log.ts'
import { productVersion } from '../process/product-version.ts'
import { channelDirectory, watchChannel } from '../web-channel/channel-files.ts'
import { lowerLayer } from './cache/lower-layer.ts'
import { openPageStorage } from './cache/open-page-storage.ts'
import { redisDirectory } from './cache/redis/redis-layer.ts'
import { openRedisOutbox } from './cache/redis/redis-outbox.ts'
import { ConnectionLedger } from './connections/connection-ledger.ts'
import { RefusalLog } from './connections/refusal-log.ts'
import { createPurgeBudget } from './control/purge-budget.ts'
import { createSiteCache } from './control/site-cache.ts'
import { createSitePurges } from './control/site-purges.ts'
import { openControl } from './control/open-control.ts'
import { followHosts } from './front/follow-hosts.ts'
import { createPurgesForFronts } from './front/purges-for-fronts.ts'
import { sharing } from './front/sharing.ts'
import { openKeptFigures } from './figures/kept-figures.ts'
import { emptySpoolDirectory } from '../php-backends/spool-directory.ts'
import { HttpClock } from './http1/http-clock.ts'
import { inheritedListeners } from './inherited-listeners.ts'
import { openLogs } from './log/open-logs.ts'
import { Primary } from './primary.ts'
import { createReloader, describeProblems } from './reloader.ts'
import { createChallenges } from './tls/challenges.ts'
import { createSelfSigned } from '../tls/self-signed.ts'
import { TicketKeys } from './tls/ticket-keys.ts'
import { certificateProblem } from './tls/check-certificate.ts'
import { WorkerWatch } from './watchdog/worker-watch.ts'
import { createWarm } from './warm/create-warm.ts'
import { CounterLedger } from './workers/counter-ledger.ts'
import { FillBroker } from './workers/fill-broker.ts'
import { handleWorkers } from './workers/handle-workers.ts'
import { createPageChanges } from './workers/tell-page-change.ts'
import { FIRST_FD, type WorkerProcess } from './workers/worker-process.ts'
import { WorkerPool } from './workers/worker-pool.ts'
import { createSiteLedgers, type SiteLedgers } from './workers/site-ledgers.ts'

/** Shorter than the time after which the supervisor kills. */
const STOP_TIMEOUT_MS = 15_000
/** A worker that does not tell in time what it has of a site is left out of the count. */
const SITE_TIMEOUT_MS = 2000

const workerCount = (config: ServerConfig): number =>
  config.server.workers > 0 ? config.server.workers : availableParallelism()

export interface RunningPrimary {
  /** Loads the configuration anew; rejects when it is refused. */
  reload(): Promise<unknown>
  reopenLogs(): void
  /** Drains and ends all workers. */
  stop(): Promise<void>
  /** Ends all workers at once. A `stop` under way then resolves. */
  kill(): void
}

/**
 * Builds the web server: configuration, shared pages, workers, control socket,
 * management API. Resolves when it serves; rejects with a text for people when
 * it cannot start. `listen` is the value of `BERTH_LISTEN`.
 */
export const startPrimary = async (
  file: string,
  listen: string | undefined,
): Promise<RunningPrimary> => {
  const loader = createConfigLoader(file)
  const loaded = await loader.load()
  if (!loaded.ok) throw new Error(describeProblems(loaded.problems))
  const state = { config: loaded.config }
  const logs = openLogs(state.config, new HttpClock(), createLog('web'), { access: false })
  const { log } = logs
  emptySpoolDirectory(state.config.paths.state_dir)
  // One site's mistake keeps no other from being served; a reload would refuse it.
  for (const host of state.config.virtualhost) {
    const problem = host.uid === null ? certificateProblem(host) : null
    if (problem !== null) log.error(problem)
  }

  // Bound first: another instance by the same configuration must not take this one's file.
  const inherited = inheritedListeners(state.config, listen)
  // A file that is found broken now has no readers yet, and the pool is not there.
  let onFile = (): void => undefined
  const { pages, redis, sequencer, fingerprints } = await openPageStorage(state.config, {
    ...{ workerCount, log },
    onFile: () => onFile(),
    pool: () => pool,
  })

  const sites = inherited.filter(
    ({ kind }) => kind === 'http' || kind === 'https' || kind === 'front',
  )
  const shared = {
    selfSigned: createSelfSigned('localhost'),
  }
  const forFronts =
    state.config.server.front_listen.length === 0
      ? null
      : createPurgesForFronts(
          openRedisOutbox(join(redisDirectory(state.config), 'front-purges.jsonl'), log),
        )
  const challenges = createChallenges()
  const ticketKeys = new TicketKeys((keys) => pool.tell({ type: 'ticket-keys', keys }))
  const fills = new FillBroker<WorkerProcess>()
  const ledger = new CounterLedger<WorkerProcess>()
  const figures = openKeptFigures(state.config.paths, log, () => Date.now())
  const ledgers: SiteLedgers = createSiteLedgers(state, {
    pool: () => pool,
    invalidate: (scopes, cause) => primary.invalidate(scopes, cause),
    figures: figures.ledger,
    log,
  })
  const { cookies, varying, stalls, history, changes } = ledgers
  const connections = new ConnectionLedger<WorkerProcess>((worker, others) =>
    worker.tell({ type: 'connections', others }),
  )
  const refusals = new RefusalLog(log)
  const changed = createPageChanges<WorkerProcess>({
    fills,
    alive: () => pool.alive,
    haveCopies: () => state.config.cache.l1_enabled,
  })
  const pool: WorkerPool = new WorkerPool({
    count: workerCount(state.config),
    fds: sites.map(({ fd }) => fd),
    start: () => ({
      config: state.config,
      listeners: sites.map((listener, index) => ({ ...listener, fd: FIRST_FD + index })),
      marks: sequencer.snapshot(),
      redisEpoch: redis?.epoch ?? null,
      pageLeaseMs: redis?.leaseMs ?? null,
      pageFile: pages.file,
      workers: workerCount(state.config),
      challenges: challenges.all(),
      learnedCookies: cookies.all(),
      varyingSites: varying.all(),
      heldSites: stalls.held(),
      dayKey: figures.todaysKey(),
      ...shared,
      ticketKeys: ticketKeys.current,
    }),
    startLimitMs: () => state.config.server.worker_start_secs * 1000,
    onMessage: (worker, body) => answer(worker, body),
    onExit: (worker) => {
      fills.forget(worker)
      ledger.retire(worker)
      connections.retire(worker)
      watch.forget(worker)
    },
    log,
  })
  const watch = new WorkerWatch<WorkerProcess>({
    workers: () => pool.alive,
    limitMs: () => state.config.server.worker_stall_secs * 1000,
    succeed: () => pool.succeed(),
    retire: (worker) => pool.retire(worker),
    noted: (silence) => stalls.note(silence),
    nowMs: () => Date.now(),
    log,
  })
  onFile = () => void pool.acknowledge({ type: 'l2-reopen' })
  const warm = createWarm({
    serving: () => pool.serving,
    alive: () => pool.alive,
    config: () => state.config,
    log,
  })
  const primary = new Primary({
    warm,
    challenges,
    pool,
    counters: () => ledger.sum(),
    traffic: ledgers.traffic,
    figures: ledgers.figures,
    history,
    stalls,
    sequencer,
    reloader: createReloader(loader, () => state.config, log),
    state,
    workerCount,
    beforeWorkers: (config) => pages.adjust(config),
    onHosts: (changes) => {
      fingerprints?.apply(changes)
      ledgers.apply(changes)
    },
    lowerLayer: () => lowerLayer(pages, redis),
    ...sharing([redis?.purge, forFronts?.share]),
    version: productVersion(),
    log,
  })
  const budget = createPurgeBudget(() => Date.now())
  const sitePurges = createSitePurges({
    config: () => state.config,
    budget,
    note: (scopes, cause) => history.note(scopes, cause),
    // What goes together has several causes, each noted when it was asked for.
    purge: (scopes) => primary.invalidate(scopes, null),
  })
  const answer = handleWorkers<WorkerProcess>({
    ...{ pool, pages, redis, forFronts, fills, changed, ledgers, sitePurges },
    ...{ counters: ledger, connections, refusals },
    invalidate: (scopes, cause) => primary.invalidate(scopes, cause),
  })
  await sequencer.kept()
  await pool.start()
  const { management } = primary
  const siteCache = createSiteCache({
    budget,
    config: () => state.config,
    statistics: () => management.cacheStats(),
    gather: (body) => pool.gather(body, SITE_TIMEOUT_MS),
    diskSites: async () => (await pages.disk?.sites()) ?? null,
    diskPages: async (siteTag, scopes) =>
      (await pages.disk?.pagesToPurge(siteTag, scopes)) ?? new Set<string>(),
    cookies,
    purge: (scopes, cause) => primary.purge(scopes, cause),
    insight: async (site) => {
      // Asked for statistics, workers report what they have seen as well.
      await pool.gather({ type: 'stats' }, SITE_TIMEOUT_MS)
      return {
        ...ledgers.observations.read(site),
        purges: history.read(site),
        worker_cpu: ledgers.cpu.read(site),
      }
    },
    recognised: (domain) => ledgers.recognised.of(domain),
    varying: (domain) => varying.get(domain),
    warm: warm.port,
  })
  const hosts = followHosts({
    config: () => state.config,
    channel: watchChannel(channelDirectory(state.config.paths.state_dir), () => undefined),
    purge: (scopes, cause) => primary.invalidate(scopes, cause),
    log,
  })
  const ports = { control: primary, management, siteCache }
  const control = await openControl(state.config, inherited, ports, log)
  primary.phase = 'ok'
  warm.configure()
  log.info('serving', {
    listeners: sites.map(({ address }) => address),
    workers: pool.serving.length,
    virtual_hosts: state.config.virtualhost.length,
  })
  return {
    reload: () => primary.reload(),
    reopenLogs: () => {
      logs.reopen()
      pool.tell({ type: 'reopen-logs' })
    },
    kill: () => pool.kill(),
    stop: async () => {
      primary.phase = 'stopping'
      warm.stop()
      watch.stop()
      hosts.close()
      control.close()
      // Workers stop listening at once; a socket is gone when all who have it closed it.
      const drained = pool.stop(STOP_TIMEOUT_MS)
      if (listen !== undefined) for (const { fd } of sites) closeSync(fd)
      await changes.flush()
      await drained
      await figures.close()
      await pages.close()
      redis?.close()
      await logs.close()
    },
  }
}
