import { parseArgs } from 'node:util'
import { readLauncherSettings } from '../agent/php/cgi/launcher-settings.ts'
import { serveCgi } from '../agent/php/cgi/serve-cgi.ts'

/** Entry of an account's CGI launcher, started by the agent as the account's user: `cgi-launcher.ts --config FILE`. */
const { values } = parseArgs({ options: { config: { type: 'string' } } })
if (values.config === undefined) throw new Error('Say which configuration to use: --config FILE')
const serving = serveCgi(readLauncherSettings(values.config))

// The same signals as FPM's: QUIT ends when running requests have ended, TERM at once.
process.on('SIGQUIT', () => void serving.stop().then(() => process.exit(0)))
process.on('SIGTERM', () => {
  // The php-cgi processes are of our group, which the agent made us the leader of.
  process.on('exit', () => process.kill(-process.pid, 'SIGKILL'))
  process.exit(0)
})
process.on('SIGHUP', () => undefined)
process.on('SIGINT', () => undefined)
