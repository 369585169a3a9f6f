import { USUAL_BRANCH } from '../../domain/applications/application-place.ts'
import type { ApplicationSpec } from '../../ports/host/applications.ts'
import type { ApplicationRow, ApplicationSettings } from '../../ports/store/application-store.ts'

/** The fields that an owner says, of whatever has them. */
export const applicationSettings = (row: ApplicationSettings): ApplicationSettings => ({
  folder: row.folder,
  source_url: row.source_url,
  source_branch: row.source_branch,
  source_push: row.source_push,
  runtime_kind: row.runtime_kind,
  runtime_version: row.runtime_version,
  install_command: row.install_command,
  build_command: row.build_command,
  start_command: row.start_command,
  public_folder: row.public_folder,
  shared_paths: row.shared_paths,
  environment: row.environment,
  listen: row.listen,
  health_path: row.health_path,
  start_limit_secs: row.start_limit_secs,
  restart: row.restart,
  instances: row.instances,
  memory_mb: row.memory_mb,
  cpu_percent: row.cpu_percent,
  sleep_after_secs: row.sleep_after_secs,
})

/** An application as the host is told of it, as it runs from its release. */
export const applicationSpec = (
  username: string,
  row: Pick<ApplicationRow, 'name' | 'release'> & ApplicationSettings,
): ApplicationSpec => ({
  username,
  name: row.name,
  folder: row.folder,
  ...(row.release === null ? {} : { release: row.release }),
  ...(row.source_push ? { repository: { branch: row.source_branch ?? USUAL_BRANCH } } : {}),
  runtime: { kind: row.runtime_kind, version: row.runtime_version },
  start: row.start_command,
  environment: row.environment,
  listen: row.listen,
  healthPath: row.health_path,
  startLimitSecs: row.start_limit_secs,
  restart: row.restart,
  ...(row.instances === 1 ? {} : { instances: row.instances }),
  memoryMb: row.memory_mb,
  ...(row.cpu_percent === null ? {} : { cpuPercent: row.cpu_percent }),
  sleepAfterSecs: row.sleep_after_secs,
})
