import type { ListQuery, Page } from './list-query.ts'
import type { OperationRow, Timestamp } from './records.ts'

/** What an owner says of an application, but for its name and what is secret. */
export interface ApplicationSettings {
  /** Below the home. */
  folder: string
  /** Address of the repository that it is made from, as `parseGitUrl` takes it; null: what lies in its folder. */
  source_url: string | null
  /** Whether it is made from a repository of its own, to which one pushes; there is no address then. */
  source_push: boolean
  /** Branch or tag; null: the repository's own. */
  source_branch: string | null
  runtime_kind: 'node' | 'python' | 'none'
  /** Null: the newest of its kind. */
  runtime_version: string | null
  /** Line that brings what it needs; null: nothing. */
  install_command: string | null
  /** Line that makes what runs; null: nothing. */
  build_command: string | null
  /** Null: a site, whose releases are served as files and by PHP; no program runs. */
  start_command: string | null
  /** Of a site: the folder of a release that is served; empty: the release itself. */
  public_folder: string
  /** Files and folders that releases have in common, in `shared` of its folder; a slash at the end: a folder. */
  shared_paths: string[]
  /** Variables anybody of the account may read, by name. */
  environment: Record<string, string>
  listen: 'socket' | 'port'
  /** Null: it is enough that it listens. */
  health_path: string | null
  start_limit_secs: number
  restart: 'always' | 'on-failure' | 'never'
  /** How many of its program run beside each other. */
  instances: number
  /** Of each instance; null: that of any program of the account. */
  memory_mb: number | null
  /** Of one processor, of all its processes together; null: as much as the account has. */
  cpu_percent: number | null
  /** Null: never. */
  sleep_after_secs: number | null
}

/** An application of an account. */
export interface ApplicationRow extends ApplicationSettings {
  id: number
  account_id: number
  /** One of the account's. */
  name: string
  /** What was said last: whether it shall run. */
  desired: 'running' | 'stopped'
  /** Counts the changes of what an owner says, secrets too. */
  revision: number
  /** The revision that was started last; null: none was. */
  live_revision: number | null
  /** Release that it runs from; null: its folder itself. */
  release: string | null
  /** Below the home, of a site that went live: the folder that its domains are served from; null: a program answers, or nothing was deployed. */
  site_root: string | null
  created_at: Timestamp
  /** Of what an owner says. */
  updated_at: Timestamp
}

/** In the order in which a deployment goes through them; it ends with one of the last three. */
export const DEPLOYMENT_STATES = [
  'queued',
  'fetching',
  'installing',
  'building',
  'starting',
  'live',
  'failed',
  'superseded',
] as const
/** One of `DEPLOYMENT_STATES`. */
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number]

/** One installation, build and start of an application. */
export interface DeploymentRow {
  /** UUID. */
  id: string
  application_id: number
  /** Where what is built comes from: the folder as it is, or a commit that was checked out. */
  source: 'folder' | 'git'
  /** Of source `git`. */
  commit: string | null
  /** Of source `git`: the folder below `releases`. */
  release: string | null
  state: DeploymentState
  /** Who asked for it, as people call him. */
  who: string
  created_at: Timestamp
  started_at: Timestamp | null
  ended_at: Timestamp | null
  /** Why it failed, in a sentence. */
  problem: string | null
  /** What installation and build wrote, at most 64 kB: the beginning and the end. */
  output: string
  /** Of the panel, in which it waits for its turn; null: it shares its records with no other, or is from before it did. */
  instance: string | null
}

/** An application with its account's name and its last deployment. */
export interface ListedApplication extends ApplicationRow {
  username: string
  deployment_state: DeploymentState | null
  deployment_at: Timestamp | null
  /** Of its hook; null: it has none. */
  hook_id: string | null
}

/** By what others ask for deployments of an application. */
export interface ApplicationHookRow {
  application_id: number
  /** Part of its address: 128 bits, hexadecimal. */
  id: string
  /** What who asks must know; told once, when it is made. */
  secret: string
  created_at: Timestamp
}

/** Part of the store: applications. */
export interface ApplicationStore {
  /** By name unless the query says otherwise; filters `runtime` and `desired`. */
  listApplications(query?: ListQuery): Promise<Page<ListedApplication>>
  /** Null when the account has none of that name. */
  applicationByName(accountId: number, name: string): Promise<ApplicationRow | null>
  /** Null when there is none, or no longer. */
  applicationById(id: number): Promise<ApplicationRow | null>
  /** With the operation, both or neither. `'limit'` where the account has as many as `limit`; null is no limit. */
  insertApplication(
    row: Omit<ApplicationRow, 'id'>,
    operation: OperationRow,
    limit: number | null,
  ): Promise<ApplicationRow | 'duplicate' | 'limit'>
  /** What is absent stays; one that is not there is no error. */
  updateApplication(
    id: number,
    change: Partial<Omit<ApplicationRow, 'id' | 'account_id' | 'name'>>,
  ): Promise<void>
  /** With its deployments; domains are passed on to it no longer. */
  deleteApplication(id: number): Promise<void>

  /** False where the application is gone. Also forgets all but the newest `keep` that have ended, and the last that went live. */
  insertDeployment(row: DeploymentRow, keep: number): Promise<boolean>
  /** Null when there is none, or no longer. */
  deployment(id: string): Promise<DeploymentRow | null>
  /** Changes one that has not ended; no effect on others. */
  updateDeployment(
    id: string,
    change: Partial<Omit<DeploymentRow, 'id' | 'application_id'>>,
  ): Promise<void>
  /** Takes the place of the one before. No effect for an application that is not there. */
  putApplicationHook(row: ApplicationHookRow): Promise<void>
  /** Null when there is none of that id, or no longer. */
  applicationHook(id: string): Promise<ApplicationHookRow | null>
  /** One that is not there is no error. */
  deleteApplicationHook(applicationId: number): Promise<void>
  /** Newest first. */
  listDeployments(applicationId: number): Promise<DeploymentRow[]>
  /** Of all applications, those that have not ended, oldest first. */
  openDeployments(): Promise<DeploymentRow[]>
}
