import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import { loadConfig } from '../config/load-config.ts'
import { composePanel } from '../panel/compose-panel.ts'
import { loadKitHandler } from '../panel/listening/kit-handler.ts'
import { openPanelCertificate } from '../panel/listening/panel-certificate.ts'
import { cliListen, panelListen } from '../panel/listening/panel-listen.ts'
import { publishPanel } from '#adapters/shared/panel-http/publish-panel.ts'
import { startPanelServer } from '../panel/listening/server.ts'
import { startLocalServer } from '../panel/listening/local-server.ts'
import { createLog } from '../process/create-log.ts'

/** Entry of the panel process: `node adapters/node/bin/panel.ts --config FILE`. */
const log = createLog('panel')

const giveUp = (message: string): void => {
  log.error(message)
  if (process.send) process.send({ type: 'failed', message }, () => process.exit(1))
  else process.exit(1)
}

// The terminal's Ctrl+C is the supervisor's alone; without it this process has no reason to live.
process.on('SIGINT', () => undefined)
// Its log is the supervisor's to reopen. Without a listener Node would open a debugger to whoever connects.
process.on('SIGUSR1', () => undefined)
process.on('disconnect', () => process.exit(0))
process.umask(0o077)

/** The supervisor starts this process while those that it needs are still starting. */
const mayServe =
  process.env['BERTH_SUPERVISED'] === undefined ? Promise.resolve() : once(process, 'message')

const start = async (): Promise<void> => {
  const { values } = parseArgs({ options: { config: { type: 'string' } } })
  if (values.config === undefined) throw new Error('Say which configuration to use: --config FILE')
  const loaded = await loadConfig(values.config)
  if (!loaded.ok) throw new Error(loaded.problems.map(describeProblem).join('\n'))
  const { config } = loaded

  const certificate = openPanelCertificate(config, log)
  const kit = await loadKitHandler()
  await mayServe
  const panel = await composePanel(config, certificate, log)
  publishPanel(panel.app, panel.setupNeedsToken)
  const server = await startPanelServer({
    app: panel.app,
    kit,
    listen: panelListen(process.env['BERTH_LISTEN'], config.panel.listen),
    trustedProxies: config.panel.trusted_proxies,
    certificate,
    log,
  })
  const cliFd = cliListen(process.env['BERTH_LISTEN'])
  const local = cliFd === null ? null : await startLocalServer({ app: panel.app, fd: cliFd, log })
  process.once('SIGTERM', () => {
    void Promise.all([server.close(5000), local?.close(5000)])
      .then(() => panel.close())
      .then(() => process.exit(0))
  })
  process.send?.({ type: 'ready' })
  log.info('the panel serves', { ports: server.ports })
}

start().catch((error: unknown) => giveUp(error instanceof Error ? error.message : String(error)))
