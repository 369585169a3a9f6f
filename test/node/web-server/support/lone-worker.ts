import { closeSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { inheritedListeners } from '#adapters/node/web-server/inherited-listeners.ts'
import { createDayKey } from '#adapters/node/web-server/figures/visitor-key.ts'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import type { WorkerStats } from '#adapters/node/web-server/workers/messages.ts'
import { FIRST_FD, WorkerProcess } from '#adapters/node/web-server/workers/worker-process.ts'
import { createPurgeMarks, createPurgeSequencer } from '#edge-cache/index.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { freePorts } from '#test/support/free-ports.ts'

const ASK_MS = 20_000

/** A real worker of which the test is the primary, so that its own counters can be asked for. */
export interface LoneWorker {
  directory: string
  port: number
  sslPort: number
  stats(): Promise<WorkerStats>
  remove(): Promise<void>
}

/** `hosts`: virtual hosts in TOML; `prepare` may write files that they need. Without a disk layer. */
export const startLoneWorker = async (
  hosts: (directory: string) => string,
  prepare: (directory: string) => void = () => undefined,
): Promise<LoneWorker> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-worker-'))
  let worker: WorkerProcess | null = null
  const remove = async (): Promise<void> => {
    worker?.kill()
    await worker?.exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const [port = 0, sslPort = 0, apiPort = 0] = await freePorts(3)
    for (const name of ['run', 'log', 'state', 'state/vhosts.d', 'home'])
      mkdirSync(join(directory, name))
    prepare(directory)
    const file = join(directory, 'berth.toml')
    writeFileSync(
      file,
      `[paths]
state_dir = "${directory}/state"
home_base = "${directory}/home"
run_dir = "${directory}/run"
log_dir = "${directory}/log"
[server]
listen = ["127.0.0.1:${port}"]
listen_ssl = ["127.0.0.1:${sslPort}"]
workers = 1
[api]
listen = "127.0.0.1:${apiPort}"
[cache]
l2_enabled = false
`,
    )
    writeFileSync(join(directory, 'state/vhosts.d/sites.toml'), hosts(directory))
    const loaded = await loadConfig(file)
    if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
    const { config } = loaded
    const listeners = inheritedListeners(config, undefined)
    const nowMs = (): number => Date.now()
    const sequencer = createPurgeSequencer({
      marks: createPurgeMarks(),
      log: null,
      nowMs,
      onLogError: () => undefined,
    })
    worker = new WorkerProcess({
      fds: listeners.map(({ fd }) => fd),
      start: {
        config,
        listeners: listeners.map((listener, at) => ({ ...listener, fd: FIRST_FD + at })),
        marks: sequencer.snapshot(),
        redisEpoch: null,
        pageLeaseMs: null,
        pageFile: null,
        workers: 1,
        ticketKeys: new Uint8Array(48),
        selfSigned: createSelfSigned('localhost'),
        challenges: new Map(),
        learnedCookies: {},
        varyingSites: [],
        heldSites: [],
        dayKey: createDayKey(nowMs()),
      },
      // It leads every fill: there is nobody else.
      onMessage: (_worker, { type }) => (type === 'fill-join' ? { role: 'leader', fill: 1 } : null),
      onExit: () => undefined,
    })
    for (const { fd } of listeners) closeSync(fd)
    const started = worker
    await started.listening
    return {
      directory,
      port,
      sslPort,
      stats: async () => (await started.ask({ type: 'stats' }, ASK_MS)) as WorkerStats,
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}
