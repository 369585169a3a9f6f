import { conflict, invalid, notFound } from '../../errors.ts'
import type { RemoteTarget } from '../../ports/host/backups/backups.ts'
import type {
  ServerKey,
  TargetSecret,
  TargetSettings,
  TargetTrial,
} from '../../ports/host/backups/targets.ts'
import type { ScheduleOwner } from '../../ports/store/backup-schedule-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What may be changed of a target; its name and type stay. */
export type TargetChange = Partial<Omit<TargetSettings, 'name' | 'type'>>

/** A target that was kept, and what it was found to allow. */
export interface KeptTarget {
  target: RemoteTarget
  trial: TargetTrial
}

/** Targets that are set up in the panel; for administrators. Secrets go in and never come out. */
export interface Targets {
  create(settings: TargetSettings, secret: TargetSecret | null): Promise<KeptTarget>
  /** Without a secret the one that is there stays, where the target stays the same place. */
  change(name: string, change: TargetChange, secret: TargetSecret | null): Promise<KeptTarget>
  /** 409 while anything is known to lie there or schedules name it, unless it is `forced`; what lies there stays, and listed. */
  remove(name: string, forced: boolean): Promise<void>
  test(name: string): Promise<TargetTrial>
  serverKey(endpoint: string, allowPrivate: boolean): Promise<ServerKey>
}

export const createTargets = ({ store, host }: Pick<ServiceDeps, 'store' | 'host'>): Targets => {
  const targetNamed = async (name: string): Promise<RemoteTarget> => {
    const found = (await host.local.backups.targets()).find((one) => one.name === name)
    if (!found) throw notFound(`There is no backup target named "${name}".`)
    return found
  }
  const kept = async (
    settings: TargetSettings,
    secret: TargetSecret | null,
    isNew: boolean,
  ): Promise<KeptTarget> => {
    const trial = await host.local.targets.save({ settings, secret, isNew })
    return { target: await targetNamed(settings.name), trial }
  }
  /** What is known to lie at a target, in words; null: nothing. */
  const heldAt = async (location: string): Promise<string | null> => {
    const [copies, snapshots] = await Promise.all([
      store.listBackups({ filters: { location }, perPage: 1 }),
      store.listSnapshots({ filters: { location }, perPage: 1 }),
    ])
    if (copies.total + snapshots.total === 0) return null
    return `${copies.total} archives and ${snapshots.total} snapshots`
  }

  const ownerOf = async (owner: ScheduleOwner): Promise<string> => {
    if ('plan' in owner) return `plan ${owner.plan}`
    return (await store.accountById(owner.accountId))?.username ?? `account ${owner.accountId}`
  }
  /** Whose schedules send backups there. */
  const scheduledFor = async (location: string): Promise<string[]> => {
    const rows = await store.listBackupSchedules()
    const there = rows.filter(({ schedule }) => schedule.places.includes(location))
    return Promise.all(there.map(({ owner }) => ownerOf(owner)))
  }

  return {
    create: (settings, secret) => kept(settings, secret, true),
    async change(name, change, secret) {
      const { source, ...before } = await targetNamed(name)
      if (source === 'configuration')
        throw conflict(
          `The target "${name}" stands in the host's configuration (berth.toml) and is changed there.`,
          'name',
        )
      if (secret !== null && (secret.kind === 'secret_key') !== (before.type === 's3'))
        throw invalid(secret.kind, `${secret.kind} is not for a target of type ${before.type}.`)
      return kept({ ...before, ...change }, secret, false)
    },
    async remove(name, forced) {
      const held = forced ? null : await heldAt(name)
      if (held !== null)
        throw conflict(
          `${held} lie at "${name}". Delete them first, or remove the target by force: they stay there and can be reached again by a target of the same name.`,
          'force',
        )
      const schedules = forced ? [] : await scheduledFor(name)
      if (schedules.length > 0)
        throw conflict(
          `Schedules send backups to "${name}": ${schedules.slice(0, 10).join(', ')}. Give them another place first, or remove the target by force: their backups fail then.`,
          'force',
        )
      await host.local.targets.remove({ name })
    },
    test: (name) => host.local.targets.test({ name }),
    serverKey: (endpoint, allowPrivate) => host.local.targets.serverKey({ endpoint, allowPrivate }),
  }
}
