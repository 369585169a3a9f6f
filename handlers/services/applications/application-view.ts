import type { ApplicationState } from '../../ports/host/applications.ts'
import type { ListedApplication } from '../../ports/store/application-store.ts'
import type { DomainRow } from '../../ports/store/records.ts'

/** How an application is, as the host tells it; `unknown`: it does not answer, or does not know it; `served`: a site that is live. */
export type ShownState = ApplicationState['state'] | 'served' | 'unknown'

/** An application as the API shows it. */
export interface ApplicationView extends Omit<ListedApplication, 'revision' | 'live_revision'> {
  /** How many of its instances run. */
  running_instances: number
  state: ShownState
  pid: number | null
  /** UTC, ISO 8601. */
  since: string | null
  restarts: number
  code: number | null
  problem: string | null
  /** Names of secret variables; null: the host does not tell. */
  secrets: string[] | null
  /** Whether what an owner says was changed since it was started. */
  pending: boolean
  /** Domains whose requests it gets. */
  domains: { id: number; domain_name: string; paths: string[] | null }[]
}

const UNKNOWN = {
  state: 'unknown',
  pid: null,
  since: null,
  restarts: 0,
  runningInstances: 0,
  code: null,
  problem: null,
  secrets: null,
} as const

/** `state`: null where the host does not tell. */
export const applicationView = (
  row: ListedApplication,
  state: ApplicationState | null,
  domains: readonly DomainRow[],
): ApplicationView => {
  const {
    name: _,
    runningInstances: running_instances,
    ...shown
  } = state ?? { ...UNKNOWN, name: row.name }
  const { revision, live_revision, ...rest } = row
  return {
    ...rest,
    ...shown,
    running_instances,
    ...(row.site_root === null ? {} : { state: 'served' as const, problem: null }),
    pending: live_revision !== null && live_revision !== revision,
    domains: domains
      .filter(({ application_id }) => application_id === row.id)
      .map(({ id, domain_name, application_paths }) => ({
        id,
        domain_name,
        paths: application_paths,
      })),
  }
}
