import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import {
  hasLivingThread,
  isSameProcessAlive,
  readIdentityFile,
  type ProcessIdentity,
} from '#adapters/node/process/process-identity.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import type { Instance, ProcessName } from './instance-types.ts'
import { createInstanceDirectory, type InstanceOptions } from './instance-directory.ts'
import { keepCompiledSources } from './instance-templates.ts'
import { removeTraces } from './instance-traces.ts'
import { openKeptConnection, requestSite } from './site-request.ts'
import { SupervisorProcess } from './supervisor-process.ts'
import { childrenOf } from './processes-of.ts'

export type { InstanceOptions } from './instance-directory.ts'

const POLL_MS = 20

/** Resolves when `check` answers true; rejects after `timeoutMs`, naming what was waited for. */
const until = async (
  what: () => string,
  timeoutMs: number,
  check: () => Promise<boolean> | boolean,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not in ${timeoutMs} ms: ${what()}`)
    await setTimeout(POLL_MS)
  }
}

const answers = async (url: string): Promise<boolean> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5000) }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status < 500
    },
    () => false,
  )

const accepts = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path)
    const finish = (ok: boolean): void => {
      socket.destroy()
      done(ok)
    }
    socket.on('connect', () => finish(true))
    socket.on('error', () => finish(false))
  })

/**
 * Starts a whole instance of the product on private ports of 127.0.0.1 and
 * directories of its own, and waits until it serves. Whatever happens, `stop`
 * removes all it made; a start that fails has cleaned up before it rejects.
 */
export const startInstance = async (options: InstanceOptions = {}): Promise<Instance> => {
  const place = await createInstanceDirectory(options)
  const supervisor = new SupervisorProcess(place)
  const remove = async (): Promise<void> => {
    await supervisor.stop()
    if (place.asUid === null) await keepCompiledSources(join(place.dir, 'state'))
    await removeTraces(place.dir)
  }
  try {
    const loaded = await loadConfig(place.configFile)
    if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
    // A normal user's file gives other defaults; the ones that matter here are all written out.
    const { config } = loaded
    const { run_dir: runDir } = config.paths
    supervisor.under = options.under?.(config) ?? []
    await supervisor.start()

    const identityOf = (name: ProcessName): ProcessIdentity => {
      const identity = readIdentityFile(join(runDir, `${name}.pid`))
      if (identity === null) throw new Error(`${name} has no pid file`)
      return identity
    }
    const workersOf = (web: number): number[] =>
      childrenOf(web).filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('web-worker')
        } catch {
          return false
        }
      })
    const pids: Instance['pids'] = () => {
      const web = identityOf('web').pid
      return Promise.resolve({
        supervisor: identityOf('supervisor').pid,
        agent: identityOf('agent').pid,
        panel: identityOf('panel').pid,
        web,
        workers: workersOf(web),
      })
    }
    const panelUrl = `http://127.0.0.1:${place.ports.panel}`
    const managementUrl = `http://127.0.0.1:${place.ports.api}`
    let workers = 0
    const missing = async (): Promise<string | null> => {
      for (const name of ['supervisor', 'agent', 'panel', 'web'] as const) {
        const identity = readIdentityFile(join(runDir, `${name}.pid`))
        if (identity === null || !isSameProcessAlive(identity)) return `${name} process`
      }
      if (workersOf(identityOf('web').pid).length < workers) return 'all web workers'
      if (!(await accepts(join(runDir, 'agent.sock')))) return 'agent.sock'
      if (!(await answers(`${panelUrl}/api/auth/me`))) return 'the panel'
      if (!(await answers(`${managementUrl}/api/v1/status`))) return 'the management API'
      if (!(await answers(`http://127.0.0.1:${place.ports.http}/`))) return 'the web server'
      return null
    }
    const untilReady = async (timeoutMs = 60_000): Promise<void> => {
      let last: string | null = null
      await until(
        () => `${last}\n${supervisor.output()}`,
        timeoutMs,
        async () => (last = await missing()) === null,
      )
    }
    await untilReady()
    workers = (await pids()).workers.length

    return {
      config,
      panelUrl,
      managementUrl,
      webPort: place.ports.http,
      webSslPort: place.ports.https,
      site: (host, path, init) => requestSite(place.ports, host, path, init),
      keepAlive: (host) => openKeptConnection(place.ports, host),
      pids,
      untilReady,
      async kill(name) {
        const worker = name === 'worker' ? (await pids()).workers[0] : undefined
        if (name === 'worker' && worker === undefined) throw new Error('there is no worker')
        const pid = worker ?? identityOf(name as ProcessName).pid
        process.kill(pid, 'SIGKILL')
        await until(
          () => `process ${pid} gone`,
          30_000,
          // A dead leader's threads hold its sockets open for a moment longer.
          () => !hasLivingThread(pid),
        )
        if (name === 'supervisor') await supervisor.ended()
      },
      async startAgain() {
        await supervisor.start()
        await untilReady()
      },
      async stop({ keep = false } = {}) {
        if (keep) await supervisor.stop()
        else await remove()
      },
    }
  } catch (error) {
    const output = supervisor.output()
    const logs = logTails(join(place.dir, 'log'))
    await remove()
    throw new Error(
      `the instance did not start: ${error instanceof Error ? error.message : String(error)}\n${output}\n${logs}`,
      { cause: error },
    )
  }
}

/** Last lines of every log, for the message of a failed start. */
const logTails = (directory: string): string => {
  try {
    return readdirSync(directory)
      .map((name) => resolve(directory, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => `${file}:\n${readFileSync(file, 'utf8').slice(-2000)}`)
      .join('\n')
  } catch {
    return ''
  }
}
