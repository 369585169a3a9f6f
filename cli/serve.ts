import { join } from 'node:path'
import { runForwarding } from '../scripts/run-forwarding.mjs'
import { PRODUCT_DIR } from './options.ts'
import type { LocalSpec } from './panel/frame/command-types.ts'

/** `berth serve`: everything in the foreground. */
export const serve: LocalSpec = {
  summary: 'run the panel and the web server in the foreground',
  examples: ['berth serve', 'berth serve --config ./berth.toml'],
  async act({ configFile }) {
    const supervisor = join(PRODUCT_DIR, 'adapters/node/bin/supervisor.ts')
    // Ends with us too when whoever started us dies.
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.exitCode = await runForwarding(process.execPath, [supervisor, '--config', configFile])
    process.disconnect?.()
  },
}
