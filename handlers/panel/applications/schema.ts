import { z } from 'zod'
import { DEPLOYMENT_STATES } from '../../ports/store/application-store.ts'
import type { DeploymentRow } from '../../ports/store/application-store.ts'
import type { ApplicationView } from '../../services/applications/applications.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

export const RUNTIME_KINDS = ['node', 'python', 'none'] as const
export const LISTENS = ['socket', 'port'] as const
export const RESTARTS = ['always', 'on-failure', 'never'] as const
/** How an application is; the last where the host does not tell. */
export const APPLICATION_STATES = [
  'stopped',
  'starting',
  'running',
  'waiting',
  'asleep',
  'failed',
  'served',
  'unknown',
] as const

const deploymentState = () =>
  z.enum(DEPLOYMENT_STATES).describe('superseded: a later one was asked for before its turn came.')

/** An application of an account. */
export const applicationSchema = named('Application', {
  id: recordId(),
  account_id: recordId(),
  username: z.string(),
  name: z.string(),
  folder: z.string(),
  source_url: z.string().nullable().describe('Repository that it is made from.'),
  source_branch: z.string().nullable(),
  source_push: z.boolean().describe('Made from a repository of its own, to which one pushes.'),
  release: z.string().nullable().describe('Folder below releases that it runs from.'),
  runtime_kind: z.enum(RUNTIME_KINDS),
  runtime_version: z.string().nullable(),
  install_command: z.string().nullable(),
  build_command: z.string().nullable(),
  start_command: z.string().nullable().describe('Null: a site.'),
  public_folder: z.string(),
  shared_paths: z.array(z.string()),
  site_root: z
    .string()
    .nullable()
    .describe('Below the home: the folder that a live site is served from.'),
  environment: z.record(z.string(), z.string()),
  secrets: z
    .array(z.string())
    .nullable()
    .describe('Names of secret variables; null: the host does not tell.'),
  listen: z.enum(LISTENS),
  health_path: z.string().nullable(),
  start_limit_secs: count(),
  restart: z.enum(RESTARTS),
  instances: count().describe('How many of its program run beside each other.'),
  memory_mb: count().nullable(),
  cpu_percent: count().nullable().describe('Of one processor; null: as much as the account has.'),
  sleep_after_secs: count().nullable(),
  desired: z.enum(['running', 'stopped']).describe('What was said last.'),
  state: z
    .enum(APPLICATION_STATES)
    .describe(
      'waiting: it ended, and is started again after a pause. asleep: the next visitor wakes it. served: a site that is live. failed: it ended, and is not started again. unknown: the host does not tell, as in the list of all accounts.',
    ),
  pid: z.int().nullable(),
  since: timestamp().nullable().describe('Since when it runs.'),
  restarts: count().describe(
    'How often it, or one of its instances, ended by itself since it was started.',
  ),
  running_instances: count().describe('How many of its instances run; visitors get these.'),
  code: z.int().nullable().describe('Exit code of its last end.'),
  problem: z.string().nullable().describe('Why it does not run.'),
  pending: z
    .boolean()
    .describe('Settings or secrets were changed since it was started; deploy or start it again.'),
  domains: z
    .array(
      z.object({
        id: recordId(),
        domain_name: z.string(),
        paths: z.array(z.string()).nullable().describe('Null: all.'),
      }),
    )
    .describe('Domains whose requests it gets; empty in the list of all accounts.'),
  deployment_state: deploymentState().nullable().describe('Of the last deployment.'),
  deployment_at: timestamp().nullable(),
  hook_id: z
    .string()
    .nullable()
    .describe('Of its hook, at /api/hooks/applications/ID; null: it has none.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})

const shownDeployment = {
  id: z.string(),
  source: z
    .enum(['folder', 'git'])
    .describe('folder: what lay in it; git: what was fetched from its repository.'),
  commit: z.string().nullable(),
  release: z.string().nullable().describe('Folder below releases; of source git.'),
  state: deploymentState(),
  who: z.string().describe('Who asked for it.'),
  created_at: timestamp(),
  started_at: timestamp().nullable(),
  ended_at: timestamp().nullable(),
  problem: z.string().nullable().describe('Why it failed.'),
}

/** A deployment in a list. */
export const listedDeploymentSchema = named('ListedDeployment', shownDeployment)

/** A deployment with what it wrote. */
export const deploymentSchema = named('Deployment', {
  ...shownDeployment,
  output: z
    .string()
    .describe(
      'What installation and build wrote so far, at most 64 kB: the beginning and the end.',
    ),
})

/** Versions that applications may have. */
export const runtimesSchema = named('ApplicationRuntimes', {
  node: z.array(z.string()).describe('Newest first.'),
  python: z.array(z.string()),
})

/** `2026-11-27 06:00:00` of a time in ISO 8601. */
const plainTime = (iso: string): string => iso.slice(0, 19).replace('T', ' ')

/** An application as the API shows it. */
export const shownApplication = (view: ApplicationView): z.infer<typeof applicationSchema> => ({
  ...view,
  since: view.since === null ? null : plainTime(view.since),
})

/** A deployment as the API shows it in a list. */
export const listedDeployment = ({
  application_id: _,
  instance: _instance,
  output: _output,
  ...row
}: DeploymentRow): z.infer<typeof listedDeploymentSchema> => row

/** A deployment as the API shows it. */
export const shownDeploymentOf = ({
  application_id: _,
  instance: _instance,
  ...row
}: DeploymentRow): z.infer<typeof deploymentSchema> => row
