import { z } from 'zod'
import type { ListedSftpLogin } from '../../ports/store/sftp/sftp-login-store.ts'
import { KEY_ACCESSES } from '../../ports/store/sftp/sftp-store.ts'
import type { SftpAccess } from '../../services/sftp/sftp.ts'
import { named, recordId, timestamp } from '../frame/common-schemas.ts'

/** How an account is reached. */
export const sftpAccessSchema = named('SftpAccess', {
  available: z.boolean(),
  reason: z.string().nullable().describe('Why there is no SFTP; null where there is.'),
  host: z.string().nullable().describe('Null: the name that the panel is reached by.'),
  ports: z.array(z.int()).describe('The first is the usual one.'),
  silent_ports: z
    .array(z.int())
    .describe('Those of them at which nobody listens now: the sshd of the host does not run.'),
  host_keys: z
    .array(z.object({ type: z.string(), fingerprint: z.string() }))
    .describe('What a client shows when it connects for the first time.'),
  username: z.string(),
  home: z.string().nullable().describe('Where a session begins.'),
  passwords: z.boolean().describe("Whether the account's password opens it as well."),
  shell: z.boolean().describe('Whether one gets a shell there, and rsync and scp with it.'),
  shell_switch: z
    .boolean()
    .describe('Whether an administrator, or the reseller of the account, said so.'),
  shell_allowed: z.boolean().describe('Whether the plan allows one.'),
  shell_problem: z
    .string()
    .nullable()
    .describe('Why one gets none although both are so; null: one does, or they are not.'),
})

/** A key of an account. */
export const sshKeySchema = named('SshKey', {
  id: recordId(),
  account_id: recordId(),
  sftp_user_id: recordId()
    .nullable()
    .describe('The user for one folder that it opens; null: the account itself.'),
  application_id: recordId()
    .nullable()
    .describe('The application whose repository it opens, and nothing beside it; null: no such.'),
  access: z
    .enum(KEY_ACCESSES)
    .nullable()
    .describe('At that repository; write: also to push. Null where it is for none.'),
  name: z.string(),
  type: z.string(),
  public_key: z.string(),
  fingerprint: z.string().describe('As ssh-keygen -l shows it.'),
  expires_at: timestamp().nullable().describe('Null: it does not expire.'),
  created_at: timestamp(),
  last_used_at: timestamp().nullable().describe('Null: nobody came in with it yet.'),
})

/** The same in a list. */
export const listedSshKeySchema = named('ListedSshKey', {
  ...sshKeySchema.shape,
  username: z.string(),
  login: z.string().describe('The name that it opens.'),
  application: z.string().nullable().describe('Name of the application of application_id.'),
})

/** A user of an account for one folder. */
export const sftpUserSchema = named('SftpUser', {
  id: recordId(),
  account_id: recordId(),
  username: z.string().describe('Of the account.'),
  name: z.string().describe('What one logs in as.'),
  folder: z.string().describe('Below the home; the user sees it as /files.'),
  passwords: z.boolean().describe('Whether its own password opens it.'),
  read_only: z.boolean(),
  keys: z.int().describe('How many keys open it.'),
  problem: z.string().nullable().describe('Why it gets nowhere; null: it does.'),
  created_at: timestamp(),
})

/** What log-ins may be for. */
export const SFTP_LOGIN_KINDS = ['sftp', 'shell', 'scp', 'rsync', 'command'] as const

/** Somebody who logged in, or tried to. */
export const sftpLoginSchema = named('SftpLogin', {
  id: recordId(),
  account_id: recordId(),
  username: z.string().describe('Of the account.'),
  login: z.string().describe('The name that was logged in with.'),
  began_at: timestamp(),
  ended_at: timestamp().nullable().describe('Null: it goes on.'),
  address: z.string().nullable().describe('Null: the client went before it asked for anything.'),
  way: z.enum(['key', 'password']),
  kind: z
    .enum(SFTP_LOGIN_KINDS)
    .nullable()
    .describe('What was asked for first; null: nothing, or it is not known.'),
  failures: z
    .int()
    .describe(
      'Passwords that were not taken, between began_at and ended_at, within an hour; 0: it came in.',
    ),
  key_name: z.string().nullable().describe('What the key was called then.'),
  fingerprint: z.string().nullable(),
  changes: z.int().describe('Files and directories made, renamed, removed or set otherwise.'),
  received_bytes: z.int().describe('Written to files.'),
  sent_bytes: z.int().describe('Read from files.'),
})

/** A log-in as the API shows it. */
export const sftpLoginView = ({
  host_id: _id,
  version: _version,
  ...login
}: ListedSftpLogin): z.infer<typeof sftpLoginSchema> => login

/** How an account is reached, as the API shows it. */
export const sftpAccessView = ({
  hostKeys,
  silentPorts,
  shellSwitch,
  shellAllowed,
  shellProblem,
  ...access
}: SftpAccess): z.infer<typeof sftpAccessSchema> => ({
  ...access,
  host_keys: hostKeys,
  silent_ports: silentPorts,
  shell_switch: shellSwitch,
  shell_allowed: shellAllowed,
  shell_problem: shellProblem,
})
