import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import {
  createPurgeMarks,
  createPurgeSequencer,
  parseSizeBytes,
  purgeDomain,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import { createConfigLoader } from '../config/config-loader.ts'
import { createLog } from '../process/create-log.ts'
import { diskCacheFile } from './cache/disk-file.ts'
import { openDiskWriter } from './cache/disk-writer.ts'
import { openControl } from './control/open-control.ts'
import { emptySpoolDirectory } from './fastcgi/spool-directory.ts'
import { createHostFingerprints } from './cache/host-fingerprints.ts'
import { HttpClock } from './http1/http-clock.ts'
import { inheritedListeners } from './inherited-listeners.ts'
import { openLogs } from './log/open-logs.ts'
import { Primary } from './primary.ts'
import { createReloader, describeProblems } from './reloader.ts'
import { createSelfSigned } from './tls/self-signed.ts'
import { FillBroker } from './workers/fill-broker.ts'
import type { ToPrimary } from './workers/messages.ts'
import { FIRST_FD, type WorkerProcess } from './workers/worker-process.ts'
import { WorkerPool } from './workers/worker-pool.ts'

const DEFAULT_DISK_BYTES = 2 * 2 ** 30
/** Shorter than the time after which the supervisor kills. */
const STOP_TIMEOUT_MS = 15_000
const TICKET_KEY_BYTES = 48

const productVersion = (): string => {
  const file = new URL('../../../package.json', import.meta.url)
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return known ? String(manifest.version) : 'unknown'
}

const workerCount = (config: ServerConfig): number =>
  config.server.workers > 0 ? config.server.workers : availableParallelism()

export interface RunningPrimary {
  /** Loads the configuration anew; rejects when it is refused. */
  reload(): Promise<unknown>
  reopenLogs(): void
  /** Drains and ends all workers. */
  stop(): Promise<void>
}

/**
 * Builds the web server: configuration, disk layer, workers, control socket,
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
  const { cache } = state.config
  emptySpoolDirectory(state.config.paths.state_dir)

  const marks = createPurgeMarks()
  const diskFile = diskCacheFile(cache)
  const limitBytes = parseSizeBytes(cache.disk_limit) ?? DEFAULT_DISK_BYTES
  const disk = diskFile === null ? null : openDiskWriter(diskFile, { limitBytes, marks, log })
  const sequencer = createPurgeSequencer({
    marks,
    log: disk,
    nowMs: () => Date.now(),
    onLogError: (error) => {
      log.error('a purge could not be recorded; the disk cache is emptied', {
        error: String(error),
      })
      disk?.rebuild()
    },
  })

  const fingerprints = diskFile === null ? null : createHostFingerprints(diskFile, log)
  const outdated = fingerprints?.begin(state.config.virtualhost) ?? []
  if (outdated.length > 0) sequencer.purge(outdated.flatMap(purgeDomain))

  const inherited = inheritedListeners(state.config, listen)
  const sites = inherited.filter(({ kind }) => kind === 'http' || kind === 'https')
  const shared = {
    ticketKeys: randomBytes(TICKET_KEY_BYTES),
    selfSigned: createSelfSigned('localhost'),
  }
  const fills = new FillBroker<WorkerProcess>()
  const onMessage = (worker: WorkerProcess, body: ToPrimary): unknown => {
    switch (body.type) {
      case 'fill-join':
        return fills.join(worker, body.key.id)
      case 'fill-settle':
        return fills.settle(worker, body.fill, body.report)
      case 'l2-put':
        return disk?.put(body.entry)
      case 'l2-delete':
        return disk?.delete(body.key)
    }
  }
  const pool = new WorkerPool({
    count: workerCount(state.config),
    fds: sites.map(({ fd }) => fd),
    start: () => ({
      config: state.config,
      listeners: sites.map((listener, index) => ({ ...listener, fd: FIRST_FD + index })),
      marks: sequencer.snapshot(),
      workers: workerCount(state.config),
      ...shared,
    }),
    onMessage,
    onExit: (worker) => fills.forget(worker),
    log,
  })
  const primary = new Primary({
    pool,
    sequencer,
    reloader: createReloader(loader, () => state.config, log),
    state,
    workerCount,
    onHosts: (changes) => fingerprints?.apply(changes),
    diskStats: () => disk?.stats() ?? null,
    version: productVersion(),
    log,
  })
  await pool.start()
  const ports = { control: primary, management: primary.management }
  const control = await openControl(state.config, inherited, ports, log)
  primary.phase = 'ok'
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
    stop: async () => {
      primary.phase = 'stopping'
      control.close()
      await pool.stop(STOP_TIMEOUT_MS)
      disk?.close()
      await logs.close()
    },
  }
}
