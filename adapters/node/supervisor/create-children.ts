import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { asUser, type RunAs } from '../process/as-user.ts'
import type { BoundListener } from '../process/bind-listener.ts'
import { CLEAN_ENV } from '../process/clean-env.ts'
import type { Identities } from '../process/identities.ts'
import { openChildLog, type ChildLog } from '../process/child-log.ts'
import type { InstalledCopy } from '../installed-copy/install-copy.ts'
import { compileCacheOf } from '../layout/prepare-directories.ts'
import { tunnelSocket } from './bind-tunnel-socket.ts'
import type { ListenEntry, ListenKind, PublicListeners } from './public-listeners.ts'
import { SupervisedChild, type ChildCommand } from './supervised-child.ts'

/** First descriptor after standard input, output and error. */
const FIRST_FD = 3

export interface Children {
  agent: SupervisedChild
  panel: SupervisedChild
  web: SupervisedChild
  /** Where `[link] listen` says so. */
  link: SupervisedChild | null
  all(): SupervisedChild[]
  reopenLogs(): void
  closeLogs(): void
}

interface Parts {
  config: ServerConfig
  who: Identities
  product: InstalledCopy
  panel: BoundListener[]
  sites: PublicListeners
  control: { fd: number }
  /** Where the command line reaches the panel. */
  cli: { fd: number }
  /** Where tunnels reach the link; null: there is no such socket. */
  tunnel: { fd: number } | null
  print: (text: string) => void
  /** Called whenever one of them has begun to serve or has ended. */
  onChange: () => void
}

/** The children with their users, sockets, environments and logs. */
export const createChildren = (parts: Parts): Children => {
  const { config, who, product, print } = parts
  const { log_dir: logDir, run_dir: runDir } = config.paths
  const logs: ChildLog[] = []

  const child = (
    name: 'agent' | 'panel' | 'web' | 'link',
    runAs: RunAs | null,
    stopTimeoutMs: number,
    sockets: () => { kind: ListenKind; fd: number; address: string }[],
    args: readonly string[] = ['--config', config.file],
  ): SupervisedChild => {
    const log = openChildLog(logDir, name, (text) => print(`[${name}] ${text}`))
    logs.push(log)
    const command = (): ChildCommand => {
      const inherited = sockets()
      const listen: ListenEntry[] = inherited.map(({ kind, address }, index) => ({
        fd: FIRST_FD + index,
        address,
        kind,
      }))
      const script = join(product.appDir, 'adapters/node/bin', `${name}.ts`)
      const level = process.env['BERTH_LOG_LEVEL']
      return {
        ...asUser(runAs, product.node, ['--disable-warning=ExperimentalWarning', script, ...args], {
          dieWithParent: true,
        }),
        env: {
          ...CLEAN_ENV,
          NODE_ENV: 'production',
          NODE_COMPILE_CACHE: compileCacheOf(config.paths.state_dir, name),
          BERTH_SUPERVISED: '1',
          BERTH_LISTEN: JSON.stringify(listen),
          ...(level === undefined ? {} : { BERTH_LOG_LEVEL: level }),
        },
        fds: inherited.map(({ fd }) => fd),
      }
    }
    return new SupervisedChild({
      name,
      command,
      pidFile: join(runDir, `${name}.pid`),
      onOutput: (chunk) => log.write(chunk),
      report: print,
      stopTimeoutMs,
      onChange: parts.onChange,
    })
  }

  const agent = child('agent', null, 15_000, () => [])
  const panel = child('panel', who.panel, 10_000, () => [
    ...parts.panel.map(({ fd, address }) => ({ kind: 'panel' as const, fd, address })),
    { kind: 'cli', fd: parts.cli.fd, address: join(runDir, 'panel-cli.sock') },
  ])
  const web = child('web', who.web, 20_000, () => [
    ...parts.sites.bound().map(({ kind, listener }) => ({
      kind,
      fd: listener.fd,
      address: listener.address,
    })),
    { kind: 'control', fd: parts.control.fd, address: join(runDir, 'web.sock') },
  ])
  const tunnel =
    parts.tunnel === null
      ? null
      : [{ kind: 'tunnel' as const, fd: parts.tunnel.fd, address: tunnelSocket(runDir) }]
  // It cannot read the configuration, and opens its port itself, so that there is none while it trusts nobody.
  const link =
    config.link.listen.length === 0 && tunnel === null
      ? null
      : child('link', who.link, 5000, () => tunnel ?? [], [
          ...['--state-dir', config.paths.state_dir, '--run-dir', runDir],
          ...config.link.listen.flatMap((address) => ['--listen', address]),
          ...(tunnel === null ? [] : ['--tunnel-fd', String(FIRST_FD)]),
        ])
  return {
    agent,
    panel,
    web,
    link,
    all: () => [agent, panel, web, ...(link === null ? [] : [link])],
    reopenLogs: () => logs.forEach((log) => log.reopen()),
    closeLogs: () => logs.forEach((log) => log.close()),
  }
}
