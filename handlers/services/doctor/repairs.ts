import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError } from '../../errors.ts'
import { applicationSpec } from '../applications/applications.ts'
import { certificateSubject } from '../certificates/certificates.ts'
import type { Fronts } from '../fronts/fronts.ts'
import type { Journal } from '../journal/journal.ts'
import type { Regenerate } from '../virtual-hosts/virtual-hosts.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createAccessRepairs } from './access-repairs.ts'
import type { Diagnosis, Repair, Treatment } from './finding.ts'

type Deps = ServiceDeps & {
  fronts: Pick<Fronts, 'repair'>
  journal: Journal
  turn: SftpTurn
  regenerate: Regenerate
}

/** Carries out repairs; each looks again, alone with its account, before it changes anything. */
export interface Repairs {
  /** In an order in which none undoes another. Answers what failed. */
  carryOut(diagnoses: readonly Diagnosis[]): Promise<Treatment['failed']>
}

const ORDER: readonly Repair['do'][] = [
  'settle',
  'repair-path',
  'remove-user',
  'set-suspended',
  'end-php',
  'adopt-database',
  // Of a database that the panel has only now.
  'adopt-database-user',
  'set-database-grants',
  'lock-databases',
  'set-database-addresses',
  'tell-log-ins',
  'put-application',
  // Virtual hosts name certificates, so those go when nothing names them any more.
  'regenerate',
  'prune-certificate',
  'remove-application',
  // Fronts show what hosts serve by then.
  'bring-front',
]

const newId = (): string => `doctor.${crypto.randomUUID()}`

export const createRepairs = (deps: Deps, staleSecs: number): Repairs => {
  const { store, host: hosts, journal, clock, log } = deps
  const access = createAccessRepairs(deps)

  const repair = async (one: Repair, hostId: number): Promise<void> => {
    const host = hosts.of(hostId)
    switch (one.do) {
      case 'settle':
        return journal.settleOpenOperations({ olderThanSecs: staleSecs })
      case 'repair-path':
        return host.inspection.repairPath({ path: one.path })
      case 'end-php':
        return host.inspection.endPhp({ pid: one.pid })
      case 'regenerate':
        await deps.regenerate()
        return
      case 'remove-user':
        return journal.exclusively(one.username, async () => {
          if ((await store.accountByName(one.username)) !== null) return
          await host.users.remove({ operationId: newId(), username: one.username })
        })
      case 'set-suspended':
        return journal.exclusively(one.username, async () => {
          const account = await store.accountByName(one.username)
          const subject = { operationId: newId(), username: one.username }
          if (account?.status === 'suspended') await host.users.suspend(subject)
          if (account?.status === 'active') await host.users.unsuspend(subject)
        })
      case 'lock-databases':
        return journal.exclusively(one.username, async () => {
          const account = await store.accountByName(one.username)
          if (account?.status !== 'suspended' && account?.status !== 'active') return
          const locked = account.status === 'suspended'
          await host.databases.setLocked({
            operationId: newId(),
            username: one.username,
            locked,
          })
        })
      case 'put-application':
      case 'remove-application':
        return journal.exclusively(one.username, async () => {
          const account = await store.accountByName(one.username)
          const row = account && (await store.applicationByName(account.id, one.name))
          if (row === null && one.do === 'remove-application')
            await host.applications.remove({ username: one.username, name: one.name })
          if (row !== null && one.do === 'put-application')
            await host.applications.put({ spec: applicationSpec(one.username, row), secrets: {} })
        })
      case 'adopt-database':
        return adopt(one.database)
      case 'adopt-database-user':
      case 'set-database-grants':
      case 'set-database-addresses':
        return access.repair(one)
      case 'tell-log-ins': {
        const account = await store.accountByName(one.username)
        if (account === null) return
        return deps.turn.inTurn(account.id, async () => {
          const now = await store.accountByName(one.username)
          if (now?.status === 'active' || now?.status === 'suspended') await deps.turn.tell(now)
        })
      }
      case 'bring-front':
        return deps.fronts.repair(hostId)
      case 'prune-certificate':
        return journal.exclusively(certificateSubject(one.domain), async () => {
          if ((await store.certificateByDomain(one.domain)) !== null) return
          const { username, domain } = one
          await host.certificates.prune({ username, domain, keep: null })
        })
    }
  }

  const adopt = (database: Extract<Repair, { do: 'adopt-database' }>['database']): Promise<void> =>
    journal.exclusively(database.username, async () => {
      const account = await store.accountByName(database.username)
      if (account === null) return
      const created_at = timestamp(clock.nowMs())
      const operation = journal.newOperation('doctor.adopt', database.username, {})
      await store.insertDatabase(
        {
          account_id: account.id,
          engine: database.engine,
          database_name: database.database,
          database_user: database.user,
          host: database.host,
          created_at,
        },
        { ...operation, state: 'done' },
        null,
      )
    })

  return {
    async carryOut(diagnoses) {
      const failed: Treatment['failed'] = []
      const done = new Set<string>()
      for (const kind of ORDER)
        for (const diagnosis of diagnoses) {
          if (diagnosis.repair?.do !== kind) continue
          const key = JSON.stringify([diagnosis.repair, diagnosis.hostId])
          if (done.has(key)) continue
          done.add(key)
          try {
            await repair(diagnosis.repair, diagnosis.hostId ?? LOCAL_HOST)
          } catch (error) {
            log.error('drift not repaired', {
              kind: diagnosis.kind,
              subject: diagnosis.subject,
              error: String(error),
            })
            failed.push({
              kind: diagnosis.kind,
              subject: diagnosis.subject,
              error: isAppError(error)
                ? error.message
                : 'An unexpected error; its cause is in the log of panel and agent.',
            })
          }
        }
      return failed
    },
  }
}
