import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { loadConfig } from '../config/load-config.ts'
import {
  digestFixedKeys,
  restartOnlyChanges,
  type KeyDigests,
} from '../config/restart-only-changes.ts'
import { bindControlSocket } from '../process/bind-control-socket.ts'
import type { BoundListener } from '../process/bind-listener.ts'
import type { Identities } from '../process/identities.ts'
import { ownUserName } from '../process/own-user-name.ts'
import { clearSupervisorState, noteSupervisorState } from '../service/supervisor-state.ts'
import { clearReady, markReady } from '../service/ready-file.ts'
import { renderBanner } from '../service/banner.ts'
import { bindTunnelSocket } from './bind-tunnel-socket.ts'
import { createChildren, type Children } from './create-children.ts'
import { endLeftovers } from './end-leftovers.ts'
import { ensureIdentities } from '../process/ensure-identities.ts'
import { installCopy, type InstalledCopy } from '../installed-copy/install-copy.ts'
import { prepareDirectories, prepareRunDirectory } from '../layout/prepare-directories.ts'
import { prepareSecrets } from './prepare-secrets.ts'
import { pruneCopies } from '../installed-copy/prune-copies.ts'
import {
  openPanelListeners,
  openPublicListeners,
  type PublicListeners,
} from './public-listeners.ts'
import { takeRunLock } from './run-lock.ts'

/** Pause between two tries for a port that another program holds. */
const RETRY_PORT_MS = 5000

export interface SupervisorOptions {
  config: ServerConfig
  /** The checkout or installation that this program runs from. */
  productDir: string
  /** Lines for people. */
  print: (text: string) => void
}

/**
 * Prepares the machine, binds the public sockets and keeps agent, panel and web
 * server running. The only process that reacts to Ctrl+C.
 */
export class Supervisor {
  private readonly options: SupervisorOptions
  private children: Children | null = null
  private unlock: (() => void) | null = null
  private retryTimer: NodeJS.Timeout | null = null
  private sites: PublicListeners | null = null
  /** Tries for the ports that are missing; answers whether there were some to be had. */
  private takePorts: () => boolean = () => false
  private stopped: Promise<void> | null = null
  private readonly started: KeyDigests
  /** Says again how it stands. */
  private tell: () => void = () => undefined

  constructor(options: SupervisorOptions) {
    this.options = options
    this.started = digestFixedKeys(options.config)
  }

  get isStopping(): boolean {
    return this.stopped !== null
  }

  /** Resolves when agent, panel and web server serve. Rejects with what a person must change. */
  async start(): Promise<void> {
    const { config, print } = this.options
    const { paths } = config
    const startedMs = performance.now()
    const who = await ensureIdentities()
    prepareRunDirectory(config, who)
    this.unlock = takeRunLock(paths.run_dir)
    const patient = await endLeftovers(
      ['agent', 'panel', 'web', 'link'].map((name) => join(paths.run_dir, `${name}.pid`)),
    )
    const { firstStart } = prepareDirectories(config, who)
    prepareSecrets(paths, who)
    const panel = await openPanelListeners(config, { patient })
    const sites = await openPublicListeners(config, { patient })
    this.sites = sites
    this.tell = () => {
      const children = this.children?.all().map((child) => child.standing()) ?? []
      if (!this.isStopping)
        noteSupervisorState(paths.run_dir, {
          started: this.started,
          ports: sites.problems(),
          children,
        })
    }
    this.tell()
    for (const problem of sites.problems())
      print(`${problem} Trying again every ${RETRY_PORT_MS / 1000} s; everything else starts.`)
    const control = bindControlSocket(
      join(paths.run_dir, 'web.sock'),
      who.web && who.panel ? { uid: who.web.uid, gid: who.panel.gid } : null,
    )
    // Nobody but root (rootless: this user) may connect, so that no token is needed there.
    const cli = bindControlSocket(join(paths.run_dir, 'panel-cli.sock'), null, 0o600)
    const tunnel = bindTunnelSocket(config, who.link?.uid ?? null, print)
    const product = this.product(who)
    if (this.isStopping) return
    const onChange = this.tell
    const children = createChildren({
      ...{ config, who, product, panel, sites, control, cli, tunnel, print },
      onChange,
    })
    this.children = children
    const agent = children.agent.start()
    // Both are needed by the panel, which settles what an earlier run left open; it loads meanwhile.
    const both = Promise.all([agent, children.web.start()])
    await Promise.all([both, agent.then(() => children.panel.start(both))])
    // Sites and the panel of this machine are served without it.
    children.link?.start().catch((error: unknown) => print(String(error)))
    markReady(paths.run_dir)
    if (!sites.isComplete()) this.retryPorts(sites, children)
    print(this.banner({ who, panel, sites, firstStart, startedMs }))
    if (who.root) pruneCopies(paths.install_dir, product.appDir, Date.now())
  }

  /** Checks the configuration and lets the web server take it up, and the agent its virtual hosts. */
  async reload(): Promise<void> {
    const { config, print } = this.options
    const loaded = await loadConfig(config.file)
    if (loaded.ok) {
      this.children?.agent.signal('SIGHUP')
      // With more ports the web server is started anew, which takes up the rest too.
      if (!this.takePorts()) this.children?.web.signal('SIGHUP')
      const waiting = restartOnlyChanges(this.started, loaded.config)
      print(
        waiting.length === 0
          ? 'Configuration reloaded.'
          : `Configuration reloaded. Still as before until Berth is stopped and started again: ${waiting.join(', ')}.`,
      )
      return
    }
    print('The configuration was not reloaded; the old one stays in force:')
    for (const problem of loaded.problems) print(`  ${describeProblem(problem)}`)
  }

  /** Goes on in new log files after the present ones were renamed. Children write theirs through this process, but for the web server. */
  reopenLogs(): void {
    this.children?.reopenLogs()
    this.children?.web.signal('SIGUSR1')
  }

  /** Ends the children in order: web server (drains), panel, agent. Called again, it kills. */
  stop(): Promise<void> {
    if (this.stopped !== null) {
      this.children?.all().forEach((child) => child.signal('SIGKILL'))
      return this.stopped
    }
    this.stopped = this.stopInOrder()
    return this.stopped
  }

  private async stopInOrder(): Promise<void> {
    if (this.retryTimer !== null) clearInterval(this.retryTimer)
    if (this.unlock !== null) {
      clearReady(this.options.config.paths.run_dir)
      clearSupervisorState(this.options.config.paths.run_dir)
    }
    const web = this.children?.web.stop()
    // Nobody takes what comes in now: who asks is better told so than kept waiting, and another server may have the ports.
    this.sites?.close()
    await Promise.all([web, this.children?.link?.stop()])
    await this.children?.panel.stop()
    await this.children?.agent.stop()
    this.children?.closeLogs()
    this.unlock?.()
  }

  /** As root the processes run from a copy that nobody else can change; a normal user's run from where they are. */
  private product(who: Identities): InstalledCopy {
    const { config, productDir } = this.options
    return who.root
      ? installCopy(productDir, config.paths.install_dir)
      : { appDir: productDir, node: process.execPath }
  }

  private retryPorts(sites: PublicListeners, children: Children): void {
    this.takePorts = () => {
      const opened = sites.retry()
      this.tell()
      if (opened.length === 0) return false
      this.options.print(`Now listening on ${opened.join(', ')} too.`)
      if (sites.isComplete() && this.retryTimer !== null) clearInterval(this.retryTimer)
      void children.web.restart()
      return true
    }
    this.retryTimer = setInterval(() => this.takePorts(), RETRY_PORT_MS)
  }

  private banner(facts: {
    who: Identities
    panel: BoundListener[]
    sites: PublicListeners
    firstStart: boolean
    startedMs: number
  }): string {
    const { config } = this.options
    const { who, panel, sites, firstStart, startedMs } = facts
    const at = (kind: string): string[] =>
      sites
        .bound()
        .filter((entry) => entry.kind === kind)
        .map(({ listener }) => listener.address)
    return renderBanner({
      panelTls: config.panel.tls !== 'off',
      panel: panel.map(({ address }) => address),
      http: at('http'),
      https: at('https'),
      management: config.api.listen,
      configFile: config.file,
      logDir: config.paths.log_dir,
      firstStart,
      sharedUser: who.root ? null : ownUserName(),
      startedInMs: performance.now() - startedMs,
    })
  }
}
