import { join } from 'node:path'
import type { Command } from 'commander'
import { runForwarding } from '../scripts/run-forwarding.mjs'
import { withExamples } from './examples.ts'
import { PRODUCT_DIR, readGlobalOptions } from './options.ts'

/** `berth serve`: everything in the foreground. */
export const addServeCommand = (program: Command): void => {
  const serve = program
    .command('serve')
    .description('run the panel and the web server in the foreground')
    .action(async (_options, command: Command) => {
      const { configFile } = readGlobalOptions(command)
      const supervisor = join(PRODUCT_DIR, 'adapters/node/bin/supervisor.ts')
      // Ends with us too when whoever started us dies.
      process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
      process.exitCode = await runForwarding(process.execPath, [supervisor, '--config', configFile])
      process.disconnect?.()
    })
  withExamples(serve, ['berth serve', 'berth serve --config ./berth.toml'])
}
