import { Command, CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { addAdminCommands } from './admin.ts'
import { addCacheCommands } from './cache.ts'
import { addConfigCommands } from './config.ts'
import { addLicenseCommands } from './license.ts'
import { addDoctorCommand } from './doctor.ts'
import { addServeCommand } from './serve.ts'
import { readVersion } from './read-version.ts'

/** Exit codes: 0 done, 1 it failed, 2 the command line was wrong. */
const program = new Command('berth')
  .description('Hosting control panel and web server with a page cache.')
  .version(readVersion())
  .option('--config <file>', 'the configuration file to use')
  .option('--json', 'print JSON for programs')
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError('See: berth --help')
  .exitOverride()
addServeCommand(program)
addConfigCommands(program)
addCacheCommands(program)
addDoctorCommand(program)
addAdminCommands(program)
addLicenseCommands(program)

// Whoever reads us may stop early, as `head` does.
process.stdout.on('error', () => process.exit(0))
try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else if (error instanceof CliError) {
    console.error(error.message)
    process.exitCode = error.exitCode
  } else throw error
}
