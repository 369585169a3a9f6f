import { conflict, isAppError } from '../../../errors.ts'
import type {
  AccountRecord,
  ArchiveFacts,
  FoundArchive,
} from '../../../ports/host/backups/archived-records.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import { assertNameIsFree } from '../../domains/domains.ts'
import type { Journal } from '../../journal/journal.ts'
import { requirePlan } from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { fillingSteps, unknownPassword } from './fill-account.ts'
import { lackingPhp } from './lacking-php.ts'
import type { ImportServices } from './fill-account.ts'
import { createOpenFrom, type ImportFrom } from './open-from.ts'
import { BACKUP_IMPORT, importOperationKind, importSubject } from './operations.ts'
import type { ImportData } from './operations.ts'
import { ownSchedule } from './own-schedule.ts'
import { missingChoices, neededChoice, planImport } from './plan-import.ts'
import type { ImportChoices, ImportPlan, NeededChoice } from './plan-import.ts'

export type { ImportFrom } from './open-from.ts'

type AccountView = Awaited<ReturnType<Accounts['get']>>

/** Judges a record by the checks of the API, since whoever made the archive chose it; rejects with 400. */
export type CheckRecord = (record: AccountRecord, choices: ImportChoices) => Promise<void>

/** What is in an archive, and what an import would make of it. */
export interface InspectedArchive {
  facts: ArchiveFacts
  /** Null where `problems` says why there is none. */
  plan: ImportPlan | null
  /** What stands in the way, each in a sentence; empty: it can be brought in. */
  problems: string[]
  /** Those of them that no missing choice is the reason of. */
  collisions: string[]
  /** What has to be chosen, since the archive does not tell it. */
  missing: NeededChoice[]
  /** What would be otherwise than it was. */
  notes: string[]
}

/** Accounts that are gone and have backups. */
export interface DeletedAccount {
  account_id: number
  username: string
  backups: number
  snapshots: number
  newest_at: string
}

export interface Imports {
  /** Archives at a path of the host or at a target, and whether the panel knows each as a backup of its own. */
  find(at: { path: string } | { target: string }): Promise<(FoundArchive & { known: boolean })[]>
  inspect(
    from: ImportFrom,
    choices: ImportChoices,
    check: CheckRecord,
    report?: Report,
  ): Promise<InspectedArchive>
  /** Makes an account of an archive. Whatever fails leaves nothing behind. */
  run(
    from: ImportFrom,
    choices: ImportChoices & {
      /** Whether an archive is taken that no key proves. */
      unproved: boolean
      /** Of the archive that was looked at before. */
      sha256?: string | undefined
    },
    check: CheckRecord,
    report?: Report,
  ): Promise<{ account: AccountView; notes: string[] }>
  deleted(): Promise<DeletedAccount[]>
}

type Deps = ServiceDeps & { journal: Journal } & ImportServices

/** In the place of choices that are missing, so that the rest can be judged without them. */
const STAND_INS = { domain: 'missing.invalid', email: 'missing@missing.invalid', plan: '' }

const saying = (error: unknown): string => {
  if (isAppError(error) && error.status < 500) return error.message
  throw error
}

export const createImports = (deps: Deps): Imports => {
  const { store, host, journal } = deps
  const opened = createOpenFrom(deps)
  journal.register(importOperationKind(deps.accounts, host))

  /** Everything that stands in the way of a plan, but for what stands in for a missing choice. */
  const collisionsOf = async (
    plan: ImportPlan,
    missing: readonly NeededChoice[],
    hostId: number,
  ): Promise<string[]> => {
    const problems: string[] = []
    const tried = async (check: () => Promise<unknown>): Promise<void> => {
      await check().catch((error: unknown) => void problems.push(saying(error)))
    }
    const { username } = plan
    if ((await store.accountByName(username)) !== null)
      problems.push(`There is an account ${username} already. Import it under another username.`)
    else if ((await store.adminByName(username)) !== null)
      problems.push(`The username ${username} is taken by an administrator of the panel.`)
    if (!missing.includes('plan')) await tried(() => requirePlan(store, plan.plan))
    const domains = [...(missing.includes('domain') ? [] : [plan.primary]), ...plan.domains]
    for (const { to } of domains)
      await tried(async () => {
        await deps.panelNames.assertFree(to, 'domain', true)
        assertNameIsFree(to, await store.domainsRelatedTo(to), null, 'domain')
      })
    const engines = (await host.of(hostId).databases.engines()).map(({ engine }) => engine)
    for (const { engine, from } of plan.databases)
      if (!engines.includes(engine))
        problems.push(`The database ${from} needs ${engine}, which is not on this host.`)
    return problems
  }

  const judged = async (
    facts: ArchiveFacts,
    choices: ImportChoices,
    check: CheckRecord,
    hostId: number,
  ): Promise<InspectedArchive> => {
    const notes: string[] = []
    if (facts.proof === 'unproved')
      notes.push('No key of this host proves who made the archive: anybody may have.')
    if (!facts.hasSecrets)
      notes.push('Its passwords and keys cannot be read here: the account needs a new password.')
    if (facts.uid !== null && !facts.uidIsFree)
      notes.push(`The number ${facts.uid} of its system user is taken; it gets another one.`)
    notes.push(...(await ownSchedule(host.of(hostId), facts.record)).notes)
    const missing = missingChoices(facts.record, choices)
    try {
      if (facts.record !== null) await check(facts.record, choices)
      const assumed = Object.fromEntries(missing.map((field) => [field, STAND_INS[field]]))
      const plan = planImport(facts, facts.record, { ...choices, ...assumed })
      const collisions = await collisionsOf(plan, missing, hostId)
      const problems = [...missing.map(neededChoice), ...collisions]
      notes.push(...(await lackingPhp(host.of(hostId), facts.record, plan)))
      const whole = missing.length === 0 ? plan : null
      return { facts, plan: whole, problems, collisions, missing, notes }
    } catch (error) {
      const problems = [saying(error)]
      return { facts, plan: null, problems, collisions: problems, missing, notes }
    }
  }

  const make = async (
    { facts, plan, notes }: InspectedArchive & { plan: ImportPlan },
    importId: string,
    hostId: number,
    choices: ImportChoices,
    report?: Report,
  ): Promise<{ account: AccountView; notes: string[] }> => {
    const data: ImportData = { account_id: 0, host_id: hostId, import_id: importId }
    const operation = journal.newOperation(
      BACKUP_IMPORT,
      importSubject(plan.username),
      data,
      report,
    )
    // Of their own operations nobody makes the job's end.
    const told: Report | undefined = report && ((...step) => report(...step))
    const { id: accountId } = await deps.accounts.create(
      {
        username: plan.username,
        domain: plan.primary.to,
        email: plan.email,
        password: choices.password ?? unknownPassword(),
        plan: plan.plan,
        // The archive is open there.
        hostId,
        diskQuotaMb: plan.diskQuotaMb,
        bandwidthQuotaMb: plan.bandwidthQuotaMb,
        // Somebody else's number could make somebody else's files theirs.
        uid: facts.proof === 'unproved' ? undefined : (facts.uid ?? undefined),
        opens: (id) => {
          operation.data['account_id'] = id
          return operation
        },
      },
      told,
    )
    await journal.create(
      operation,
      fillingSteps(deps, {
        importId,
        accountId,
        plan,
        record: facts.record,
        proved: facts.proof !== 'unproved',
        ownPassword: choices.password === undefined,
        formerHomes: choices.fix_configs === true ? facts.formerHomes : [],
        note: (text) => void (notes.includes(text) || notes.push(text)),
        report: told,
      }),
      report,
    )
    return { account: await deps.accounts.get(accountId), notes }
  }

  return {
    async find(at) {
      const place = 'target' in at ? at.target : LOCAL
      const [archives, { rows }] = await Promise.all([
        host.local.imports.find(at),
        store.listBackups(),
      ])
      const known = new Set(
        rows
          .filter(({ location }) => location === place)
          .map((row) => `${row.filename} ${row.size_bytes}`),
      )
      return archives.map((one) => ({
        ...one,
        known: known.has(`${one.filename} ${one.sizeBytes}`),
      }))
    },
    inspect: (from, choices, check, report) =>
      opened(from, (facts, _id, _place, hostId) => judged(facts, choices, check, hostId), report),
    run: (from, choices, check, report) =>
      opened(
        from,
        async (facts, importId, _place, hostId) => {
          // A snapshot is what its name says; only the archive made of it differs.
          const isSame = 'snapshot' in from || choices.sha256 === facts.sha256
          if (choices.sha256 !== undefined && !isSame)
            throw conflict('The archive is not the one that was looked at before.', 'sha256')
          if (facts.proof === 'unproved' && !choices.unproved)
            throw conflict(
              'No key of this host proves who made the archive, so its settings may be anybody’s choice. Say that it is to be taken all the same, or lay the key of the host that made it beside the own one; see docs/backup-format.md.',
              'unproved',
            )
          const { username } = planImport(facts, facts.record, choices)
          return journal.exclusively(importSubject(username), async () => {
            const { plan, problems, ...rest } = await judged(facts, choices, check, hostId)
            if (plan === null || problems.length > 0) throw conflict(problems.join(' '))
            return make({ ...rest, plan, problems }, importId, hostId, choices, report)
          })
        },
        report,
      ),
    async deleted() {
      const living = new Set((await store.listAccounts()).rows.map(({ id }) => id))
      const gone = new Map<number, DeletedAccount & { names: Set<string> }>()
      const entry = (row: { account_id: number; username: string; created_at: string }) => {
        const { account_id, username, created_at: newest_at } = row
        const fresh = { account_id, username, backups: 0, snapshots: 0, newest_at }
        const one = gone.get(account_id) ?? { ...fresh, names: new Set<string>() }
        if (newest_at > one.newest_at) one.newest_at = newest_at
        gone.set(account_id, one)
        return one
      }
      const isGone = (row: { account_id: number }): boolean => !living.has(row.account_id)
      for (const row of (await store.listBackups()).rows.filter(isGone))
        entry(row).names.add(row.filename)
      for (const row of (await store.listSnapshots()).rows.filter(isGone)) entry(row).snapshots++
      return [...gone.values()].map(({ names, ...one }) => ({ ...one, backups: names.size }))
    },
  }
}
