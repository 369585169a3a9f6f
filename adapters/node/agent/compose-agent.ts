import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LEASE_HEADER } from '#adapters/shared/host-rpc/call-lease.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import type { ReloadedConfig, ServerConfig } from '#handlers/domain/config/config-types.ts'
import { hasLink } from '#handlers/domain/config/listen.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Identities } from '../process/identities.ts'
import { keysForRestart } from '../service/supervisor-state.ts'
import { composeHostPorts } from './compose-host-ports.ts'
import { serveFetch } from './fetch-server.ts'
import { serveSignedCalls } from './link/serve-signed-calls.ts'
import { openRegistry } from './registry/registry.ts'
import { lockRunDirectory } from './single-agent.ts'
import { createWebEnsureHandler } from './web-ensure-handler.ts'

/** A serving agent. */
export interface RunningAgent {
  /** Virtual hosts, backup targets and relay of a configuration that was read again; the rest of it stays as it was at the start. */
  take(config: ReloadedConfig): void
  /** Finishes running requests, then stops everything that it started. */
  stop(): Promise<void>
}

/** What a crash left open is usually settled at once; sites need not wait for the rest. */
const SETTLE_FIRST_MS = 2000
/** With the stopping of PHP and database servers this stays below the supervisor's 15 s. */
const REQUEST_GRACE_MS = 3000

/**
 * Starts the agent: takes the locks of run and state directory, settles open
 * operations and serves `agent.sock` (group of the panel), `agent-web.sock`
 * (group of the web server) and, with `[link]`, `agent-link.sock` (group of the link). Rejects with a text for people when it cannot.
 * `readConfig` reads the configuration again; it throws with what is wrong with it.
 */
export const startAgent = async (
  config: ServerConfig,
  identities: Identities,
  log: Log,
  readConfig: () => Promise<ServerConfig>,
): Promise<RunningAgent> => {
  const { run_dir: runDir, state_dir: stateDir, home_base: homeBase } = config.paths
  for (const directory of [runDir, stateDir, homeBase])
    mkdirSync(directory, { recursive: true, mode: 0o755 })
  let current: ReloadedConfig = config
  let renew: () => Promise<void> = async () => undefined
  const take = (config: ReloadedConfig): void => {
    current = config
    renew().catch((error: unknown) =>
      log.error('the mail queue was not told of the configuration', { error: String(error) }),
    )
  }
  const reread = async (): Promise<string[]> => {
    const now = await readConfig()
    take(now)
    return keysForRestart(runDir, now)
  }
  const undo: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step()
  }
  try {
    const lock = lockRunDirectory(runDir)
    undo.push(() => lock.release())
    const registry = openRegistry(join(stateDir, 'agent', 'registry.db'))
    undo.push(() => registry.close())
    const host = await composeHostPorts(config, identities, registry, log, () => current, reread)
    renew = () => host.renew()
    const settling = host.settle().catch((error: unknown) => {
      log.error('open operations were not settled', { error: String(error) })
    })
    // It writes to the registry, and waits on what `host.stop` ends.
    undo.push(() => settling)
    undo.push(() => host.stop())
    await Promise.race([settling, delay(SETTLE_FIRST_MS, undefined, { ref: false })])

    const handler = createHostHandler(host.ports, log, host.explain, registry.terms.overtaken)
    const panelServer = await serveFetch({
      path: join(runDir, 'agent.sock'),
      gid: identities.panel?.gid ?? null,
      handler,
      headers: [LEASE_HEADER],
      log,
    })
    undo.push(() => panelServer.close(REQUEST_GRACE_MS))
    if (hasLink(config)) {
      const signedCalls = await serveSignedCalls({
        ...{ paths: config.paths, reader: identities.link, registry, handler, log },
      })
      undo.push(() => signedCalls.close(REQUEST_GRACE_MS))
    }
    const webServer = await serveFetch({
      path: join(runDir, 'agent-web.sock'),
      gid: identities.web?.gid ?? null,
      handler: createWebEnsureHandler(host.ensures, log),
      // A domain name and a ticket; the web server is not trusted with more.
      maxBodyBytes: 4096,
      log,
    })
    undo.push(() => webServer.close(REQUEST_GRACE_MS))
    return { stop, take }
  } catch (error) {
    await stop()
    throw error
  }
}
