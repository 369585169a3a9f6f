import type { Accounts } from './accounts.ts'
import { createAccounts } from './accounts.ts'
import type { Audit } from './audit.ts'
import { createAudit } from './audit.ts'
import type { Auth } from './auth.ts'
import { createAuth } from './auth.ts'
import type { Credentials } from './credentials.ts'
import { createCredentials } from './credentials.ts'
import type { Backups } from './backups.ts'
import { createBackups } from './backups.ts'
import type { Bandwidth } from './bandwidth.ts'
import { createBandwidth } from './bandwidth.ts'
import type { Cache } from './cache.ts'
import { createCache } from './cache.ts'
import type { Databases } from './databases.ts'
import type { Certificates } from './certificates.ts'
import { createCertificates } from './certificates.ts'
import { createDatabases } from './databases.ts'
import type { Doctor } from './doctor/doctor.ts'
import { createDoctor } from './doctor/doctor.ts'
import type { Domains } from './domains.ts'
import { createDomains } from './domains.ts'
import type { Events } from './events.ts'
import { createEvents } from './events.ts'
import type { Files } from './files.ts'
import { createFiles } from './files.ts'
import type { Jobs } from './jobs.ts'
import { createJobs } from './jobs.ts'
import type { History } from './history.ts'
import { createHistory } from './history.ts'
import type { Journal } from './journal.ts'
import { createJournal } from './journal.ts'
import { createLoginAttempts } from './login-attempts.ts'
import type { Logs } from './logs.ts'
import { createLogs } from './logs.ts'
import type { Metrics } from './metrics.ts'
import { createMetrics } from './metrics.ts'
import { operationKinds } from './operation-kinds.ts'
import type { Plans } from './plans.ts'
import { createPlans } from './plans.ts'
import type { Php } from './php.ts'
import { createPhp } from './php.ts'
import { createRegenerate } from './regeneration.ts'
import type { SecondFactor } from './second-factor.ts'
import { createSecondFactor } from './second-factor.ts'
import type { ServiceDeps } from './service-deps.ts'
import type { System } from './system.ts'
import { createSystem } from './system.ts'
import type { Tokens } from './tokens.ts'
import { createTokens } from './tokens.ts'
import type { Users } from './users.ts'
import { createUsers } from './users.ts'
import { createVirtualHosts } from './virtual-hosts.ts'

/** All services of the panel, sharing one journal and its locks. */
export interface Services {
  auth: Auth
  credentials: Credentials
  secondFactor: SecondFactor
  users: Users
  tokens: Tokens
  audit: Audit
  license: ServiceDeps['license']
  accounts: Accounts
  plans: Plans
  domains: Domains
  files: Files
  databases: Databases
  backups: Backups
  certificates: Certificates
  php: Php
  system: System
  doctor: Doctor
  bandwidth: Bandwidth
  cache: Cache
  metrics: Metrics
  history: History
  jobs: Jobs
  logs: Logs
  events: Events
  settleOpenOperations: Journal['settleOpenOperations']
}

export const createServices = (
  deps: ServiceDeps,
  options: { setupToken: string | null },
): Services => {
  const jobs = createJobs(deps)
  const journal = createJournal(deps, (operation) => jobs.operationSettled(operation))
  const shared = { ...deps, journal, vhosts: createVirtualHosts(deps) }
  for (const kind of operationKinds(shared)) journal.register(kind)
  const regenerate = createRegenerate(shared)
  const attempts = createLoginAttempts(deps)
  const metrics = createMetrics(deps)
  const domains = createDomains(shared)
  return {
    auth: createAuth(deps, attempts, options),
    credentials: createCredentials(deps, attempts),
    secondFactor: createSecondFactor(deps),
    users: createUsers(deps),
    tokens: createTokens(deps),
    audit: createAudit(deps),
    license: deps.license,
    accounts: createAccounts(shared),
    plans: createPlans(shared),
    domains,
    files: createFiles(deps),
    databases: createDatabases(shared),
    backups: createBackups(shared),
    certificates: createCertificates(shared),
    php: createPhp(shared),
    system: createSystem({ ...deps, regenerate }),
    doctor: createDoctor({ ...shared, regenerate }),
    bandwidth: createBandwidth(shared),
    cache: createCache(deps, domains),
    metrics,
    history: createHistory({ ...deps, metrics }),
    jobs,
    logs: createLogs(deps),
    events: createEvents(deps),
    async settleOpenOperations(options) {
      await journal.settleOpenOperations(options)
      await jobs.settle(options)
    },
  }
}
