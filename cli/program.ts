import { Command, CommanderError } from 'commander'
import { ZodError } from 'zod'
import { productVersion } from '#adapters/node/process/product-version.ts'
import { addAdminCommands } from './admin.ts'
import { addCacheCommands } from './cache/cache.ts'
import { addConfigCommands } from './config.ts'
import { addDoctorCommand } from './doctor.ts'
import { addLicenseCommands } from './license.ts'
import { accounts } from './panel/accounts/accounts.ts'
import { api } from './panel/api.ts'
import { audit } from './panel/audit.ts'
import { backups } from './panel/backups.ts'
import { addCommandSpec, addResource, addTargetOptions } from './panel/frame/command-spec.ts'
import { databases } from './panel/databases.ts'
import { domains } from './panel/domains.ts'
import { files } from './panel/files/files.ts'
import { jobs } from './panel/jobs.ts'
import { logs } from './panel/logs.ts'
import { php } from './panel/php/php.ts'
import { plans } from './panel/accounts/plans.ts'
import { ssl } from './panel/ssl.ts'
import { system, targets, web } from './panel/host/system.ts'
import { tokens } from './panel/access/tokens.ts'
import { users } from './panel/access/users.ts'
import { addLoginCommand } from './profile/login.ts'
import { addProfileCommands } from './profile/profile-commands.ts'
import { addSessionCommands } from './profile/session-commands.ts'
import { addRecoveryCommands } from './recovery/recovery-commands.ts'
import { addReferenceCommands } from './reference/reference-commands.ts'
import { addServeCommand } from './serve.ts'
import { addServiceCommands } from './service/service-commands.ts'
import { addSwapCommand } from './swap.ts'

/** The whole command tree: what is parsed, completed and described. With `json` it prints nothing of what is wrong with a command line. */
export const buildProgram = (json = false): Command => {
  const program = new Command('berth')
    .description('Hosting control panel and web server with a page cache.')
    .version(productVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help for a command')
    .option('--config <file>', 'the configuration file to use')
    .option('--json', 'print JSON for programs')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .showHelpAfterError('See: berth --help')
    .exitOverride()
  // Before the commands, which take it over.
  if (json) program.configureOutput({ writeErr: () => undefined })

  program.commandsGroup('Server:')
  addServeCommand(program)
  addServiceCommands(program)
  addSwapCommand(program)
  addConfigCommands(program)
  addCacheCommands(program)
  addResource(program, php)
  addResource(program, web)
  addResource(program, system)
  addResource(program, logs)
  addDoctorCommand(program)
  addAdminCommands(program)
  addRecoveryCommands(program)
  addLicenseCommands(program)

  program.commandsGroup('Panel:')
  for (const resource of [accounts, plans, domains, ssl, databases, files, backups, targets])
    addResource(program, resource)
  for (const resource of [users, tokens, jobs, audit]) addResource(program, resource)
  addTargetOptions(addCommandSpec(program, api))

  program.commandsGroup('Session:')
  addLoginCommand(program)
  addSessionCommands(program)
  addProfileCommands(program)

  program.commandsGroup('Reference:')
  addReferenceCommands(program)
  return program
}

export { CommanderError, ZodError }
