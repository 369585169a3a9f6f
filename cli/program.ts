import { Command, CommanderError } from 'commander'
import { ZodError } from 'zod'
import { productVersion } from '#adapters/node/process/product-version.ts'
import { admin } from './admin.ts'
import { agent } from './agent/agent-commands.ts'
import { cache } from './cache/cache.ts'
import { config } from './config.ts'
import { addDoctorCommand } from './doctor.ts'
import { addLicenseCommands } from './license.ts'
import { nodeVersions } from './versions/node-versions.ts'
import { wordpressCores } from './versions/wordpress-cores.ts'
import { accounts } from './panel/accounts/accounts.ts'
import { api } from './panel/api.ts'
import { audit } from './panel/audit.ts'
import { backups } from './panel/backups/backups.ts'
import { snapshots } from './panel/backups/snapshots.ts'
import {
  addCommandSpec,
  addGroup,
  addResource,
  addTargetOptions,
} from './panel/frame/command-spec.ts'
import { applications } from './panel/applications/applications.ts'
import { cron } from './panel/cron.ts'
import { sftpUsers } from './panel/sftp-users.ts'
import { sftp, sshKeys } from './panel/sftp.ts'
import { databaseAddresses } from './panel/database-addresses.ts'
import { databaseUsers } from './panel/database-users.ts'
import { databases } from './panel/databases.ts'
import { domains } from './panel/domains.ts'
import { siteBackends } from './panel/sites/site-backends.ts'
import { site } from './panel/sites/site-settings.ts'
import { files } from './panel/files/files.ts'
import { hosts } from './panel/host/hosts.ts'
import { jobs } from './panel/jobs.ts'
import { logs } from './panel/logs.ts'
import { mail } from './panel/mail.ts'
import { notifications } from './panel/notifications/notifications.ts'
import { php } from './panel/php/php.ts'
import { plans } from './panel/accounts/plans.ts'
import { resellers } from './panel/accounts/resellers.ts'
import { targets } from './panel/backups/targets.ts'
import { schedules } from './panel/backups/schedules.ts'
import { ssl } from './panel/ssl.ts'
import { sslOrders } from './panel/ssl-orders.ts'
import { dnsAccess } from './panel/dns-access.ts'
import { system, web } from './panel/host/system.ts'
import { people } from './panel/access/people.ts'
import { sessions } from './panel/access/sessions.ts'
import { tokens } from './panel/access/tokens.ts'
import { users } from './panel/access/users.ts'
import { wordpress } from './panel/wordpress/wordpress.ts'
import { profile } from './profile/profile-commands.ts'
import { addSessionCommands } from './profile/session-commands.ts'
import { recovery } from './recovery/recovery-commands.ts'
import { commandTree } from './reference/command-tree.ts'
import { referenceCommands } from './reference/reference-commands.ts'
import { serve } from './serve.ts'
import { service } from './service/service-commands.ts'
import { swapCommand } from './swap.ts'

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
  addCommandSpec(program, 'serve', serve)
  addGroup(program, service)
  addCommandSpec(program, 'swap', swapCommand)
  for (const group of [config, cache]) addGroup(program, group)
  for (const resource of [php, web, system, logs]) addResource(program, resource)
  addDoctorCommand(program)
  addGroup(program, nodeVersions)
  addGroup(program, admin)
  addGroup(program, agent)
  addGroup(program, recovery)
  addLicenseCommands(program)

  program.commandsGroup('Panel:')
  for (const resource of [
    accounts,
    plans,
    domains,
    site,
    siteBackends,
    ssl,
    sslOrders,
    dnsAccess,
    databases,
    databaseUsers,
    databaseAddresses,
    wordpress,
    cron,
    applications,
    sftp,
    sftpUsers,
    sshKeys,
    mail,
    files,
    backups,
  ])
    addResource(program, resource)
  const group = program.commands.find((one) => one.name() === wordpress.name)
  if (group !== undefined) addGroup(group, wordpressCores)
  for (const resource of [snapshots, schedules, targets]) addResource(program, resource)
  for (const resource of [
    hosts,
    users,
    people,
    resellers,
    sessions,
    tokens,
    notifications,
    jobs,
    audit,
  ])
    addResource(program, resource)
  addTargetOptions(addCommandSpec(program, 'api', api))

  program.commandsGroup('Session:')
  addSessionCommands(program)
  addGroup(program, profile)

  program.commandsGroup('Reference:')
  for (const [name, spec] of Object.entries(referenceCommands(() => commandTree(program))))
    addCommandSpec(program, name, spec)
  return program
}

export { CommanderError, ZodError }
