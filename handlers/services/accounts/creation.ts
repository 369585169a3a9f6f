import { createPlacement, placeLost } from '../on-hosts/placement.ts'
import { parseDomainName } from '../../domain/domains/domain-name.ts'
import { resellerShort } from '../../domain/accounts/reseller-limits.ts'
import { assertWithinPlan } from '../../domain/accounts/plan.ts'
import { accountLimitReached, domainLimitReached } from '../../domain/license/license-limits.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { parseUsername } from '../../domain/accounts/username.ts'
import { conflict } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { ResellerShortage } from '../../ports/store/access/reseller-store.ts'
import type { AccountRow, DomainRow, OperationRow, PlanRow } from '../../ports/store/records.ts'
import { newDomainOptions } from '../../domain/domains/new-domain-options.ts'
import { ACCOUNT_CREATE } from './operations.ts'
import type { AccountView } from './view.ts'
import { accountView } from './view.ts'
import { assertNameIsFree } from '../domains/domains.ts'
import type { Journal, Step } from '../journal/journal.ts'
import { requireAccount, requirePlan } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** What an account is made of, before anything of it was judged. */
export interface NewAccount {
  username: string
  domain: string
  email: string
  password: string
  /** Name of one that there is. */
  plan: string
  /** Overrides of the plan's quotas, in megabytes. */
  diskQuotaMb?: number | undefined
  bandwidthQuotaMb?: number | undefined
  /** The reseller whose account it shall be. Default: nobody's of them. */
  resellerId?: number | undefined
  /** Whether no quota may be larger than the plan's. */
  withinPlan?: boolean | undefined
  /** Number of the system user that it shall have where that is free. */
  uid?: number | undefined
  /** Name of the host that it shall be on. Default: the one with the fewest accounts for its weight. */
  host?: string | undefined
  /** Id of the host that it must be on. */
  hostId?: number | undefined
  /** An operation that is opened for the account before it is in use, and outlasts its creation. */
  opens?: ((accountId: number) => OperationRow) | undefined
}

type Deps = ServiceDeps & { journal: Journal; vhosts: VirtualHosts }

const newRows = (
  input: NewAccount,
  names: { username: string; domain: string; homeBase: string },
  plan: PlanRow,
  passwordHash: string,
  hostId: number,
  now: string,
): { account: Omit<AccountRow, 'id'>; primary: Omit<DomainRow, 'id' | 'account_id'> } => {
  return {
    account: {
      username: names.username,
      primary_domain: names.domain,
      email: input.email,
      plan: plan.name,
      status: 'creating',
      suspend_reason: null,
      disk_quota_mb: input.diskQuotaMb ?? plan.disk_quota_mb,
      bandwidth_quota_mb: input.bandwidthQuotaMb ?? plan.bandwidth_quota_mb,
      disk_used_mb: 0,
      bandwidth_used_bytes: 0,
      bandwidth_month: '',
      bandwidth_state: 'open',
      password_hash: passwordHash,
      uid: null,
      home: null,
      php_version: null,
      php_mode: 'fpm',
      not_before_secs: 0,
      reseller_id: input.resellerId ?? null,
      suspended_with_reseller: 0,
      host_id: hostId,
      created_at: now,
      updated_at: now,
    },
    primary: {
      domain_name: names.domain,
      domain_type: 'primary',
      document_root: `${names.homeBase}/${names.username}/public_html`,
      ssl_status: 'none',
      ssl_expires_at: null,
      ...newDomainOptions(),
      application_id: null,
      application_paths: null,
      created_at: now,
      updated_at: now,
    },
  }
}

/** Steps of a creation in order; what undoes them is in `account-operations`. */
const creationSteps = (
  { store, host, vhosts }: Deps,
  operationId: string,
  row: AccountRow,
  primary: DomainRow,
  plan: PlanRow,
  { password, uid, opens }: Pick<NewAccount, 'password' | 'uid' | 'opens'>,
): Step[] => [
  {
    name: 'user',
    text: 'Making the system user and its home',
    async run() {
      const user = await host.users.create({
        operationId,
        username: row.username,
        password,
        primaryDomain: row.primary_domain,
        diskQuotaMb: row.disk_quota_mb,
        ...(uid === undefined ? {} : { uid }),
      })
      await store.updateAccount(row.id, { uid: user.uid, home: user.home })
      const root = `${user.home}/public_html`
      if (root !== primary.document_root)
        await store.updateDomain(primary.id, { document_root: root })
    },
  },
  {
    name: 'limits',
    async run() {
      await host.users.setLimits({
        operationId,
        username: row.username,
        processes: plan.processes_limit,
        memoryMb: plan.memory_limit_mb,
        memoryTotalMb: plan.memory_total_mb,
        cpuWeight: plan.cpu_weight,
        cpuPercent: plan.cpu_percent,
        ioWeight: plan.io_weight,
      })
      await host.mailQueue.setAccount({
        username: row.username,
        perHour: plan.mails_per_hour_limit,
        mainDomain: row.primary_domain,
      })
    },
  },
  {
    name: 'vhost',
    text: 'Setting up the site',
    run: async () => host.of(row.host_id).webServer.apply(await vhosts.ofAccount(row)),
  },
  ...(opens === undefined
    ? []
    : [{ name: 'opened', run: () => store.openOperation(opens(row.id)) }]),
  {
    name: 'activate',
    text: 'Opening the account',
    run: () => store.updateAccount(row.id, { status: 'active' }),
  },
]

/** Refuses early, before a password is hashed; the store decides for good when it inserts. */
const assertRoom = async (
  store: ServiceDeps['store'],
  limits: { accounts: number; domains: number },
): Promise<void> => {
  const [accounts, domains] = await Promise.all([store.countAccounts(), store.countDomains()])
  if (limits.accounts >= 0 && accounts >= limits.accounts) {
    throw accountLimitReached(accounts, limits.accounts)
  }
  if (limits.domains >= 0 && domains >= limits.domains) {
    throw domainLimitReached(domains, limits.domains)
  }
}

/** Creates a hosting account: rows within the limits, OS user with home, virtual host, in journalled steps. */
export const accountCreation = async (
  deps: Deps,
  input: NewAccount,
  report?: Report,
): Promise<AccountView> => {
  const { store, passwords, clock, license, journal, homeBase } = deps
  const placement = createPlacement(deps)
  const username = parseUsername(input.username)
  const domain = parseDomainName(input.domain, 'domain')
  if (
    (await store.adminByName(username)) !== null ||
    (await store.resellerByName(username)) !== null
  ) {
    throw conflict(`username ${username} is taken by another user of the panel.`, 'username')
  }
  return journal.exclusively(username, async () => {
    if ((await store.accountByName(username)) !== null) {
      throw conflict(`username ${username} is taken.`, 'username')
    }
    await deps.panelNames.assertFree(domain, 'domain', true)
    assertNameIsFree(domain, await store.domainsRelatedTo(domain), null, 'domain')
    const plan = await requirePlan(store, input.plan)
    if (input.withinPlan === true) assertWithinPlan(input, plan)
    const { accounts_limit, domains_limit } = await license.current()
    const { hostId, demand } = await placement(input)
    await assertRoom(store, { accounts: accounts_limit, domains: domains_limit })
    const operation = journal.newOperation(ACCOUNT_CREATE, username, { domain }, report)
    const { account, primary } = newRows(
      input,
      { username, domain, homeBase },
      plan,
      await passwords.hash(input.password),
      hostId,
      timestamp(clock.nowMs()),
    )
    const limits = {
      accounts: accounts_limit,
      domains: domains_limit,
      ...(demand === undefined ? {} : { place: demand }),
    }
    const made = await store.insertAccount(account, primary, operation, limits)
    if (made === 'duplicate-username') throw conflict(`username ${username} is taken.`, 'username')
    if (made === 'duplicate-domain') throw conflict(`domain ${domain} exists already.`, 'domain')
    if (made === 'account-limit') {
      throw accountLimitReached(await store.countAccounts(), accounts_limit)
    }
    if (made === 'host') throw placeLost()
    if (made === 'no-plan') throw conflict(`Plan ${plan.name} was deleted meanwhile.`, 'plan')
    if (made === 'domain-limit') throw domainLimitReached(await store.countDomains(), domains_limit)
    if (typeof made === 'string')
      throw resellerShort(made.slice('reseller:'.length) as ResellerShortage, plan.name)
    await journal.create(
      operation,
      creationSteps(deps, operation.id, made.account, made.domain, plan, input),
      report,
    )
    return accountView(await requireAccount(store, made.account.id), clock.nowMs())
  })
}
