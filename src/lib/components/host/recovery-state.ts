import { moment } from '$lib/format/time/time-zone'
import type { RecoveryState } from '$lib/api/types'
import { relativeTime, timestampMs } from '$lib/format/timestamp'
import { nowMs } from '$lib/state/now-ms'
import { texts } from '$lib/texts'

/** A part of what brings the panel back, how it stands, and what root does about it. */
export interface RecoveryPart {
  id: string
  name: string
  tone: 'ok' | 'warn'
  state: string
  /** UTC, on hover. */
  title?: string | undefined
  help: string
  command?: string
}

/** After so long an export lacks too much to be called good. */
const STALE_MS = 8 * 86_400_000

const kit = ({ kit_made_at: made, kit_verified_at: verified }: RecoveryState): RecoveryPart => {
  const t = texts.recovery
  const common = { id: 'kit', name: t.kit }
  if (made === null)
    return {
      ...common,
      tone: 'warn',
      state: t.kitNone,
      help: t.kitNoneHelp,
      command: 'berth panel recovery-kit /root/kit.txt',
    }
  if (verified === null)
    return {
      ...common,
      tone: 'warn',
      state: t.kitUnverified,
      title: moment(made),
      help: `${t.kitMade(relativeTime(made))} ${t.kitUnverifiedHelp}`,
      command: 'berth panel recovery-kit --verify kit.txt',
    }
  return {
    ...common,
    tone: 'ok',
    state: t.kitVerified(relativeTime(verified)),
    title: moment(verified),
    help: t.kitMade(relativeTime(made)),
  }
}

const lastExport = ({ exported_at: at }: RecoveryState): RecoveryPart => {
  const t = texts.recovery
  const command = 'berth panel export /root/panel.age'
  const common = { id: 'export', name: t.export }
  if (at === null)
    return { ...common, tone: 'warn', state: t.exportNone, help: t.exportNoneHelp, command }
  const isStale = nowMs() - timestampMs(at) > STALE_MS
  return {
    ...common,
    tone: isStale ? 'warn' : 'ok',
    state: t.exportOld(relativeTime(at)),
    title: moment(at),
    help: isStale ? t.exportOldHelp : t.exportHelp,
    ...(isStale ? { command } : {}),
  }
}

/** What there is to say of bringing the panel back, what is not well besides the machine itself first. */
export const recoveryParts = (state: RecoveryState): RecoveryPart[] => {
  const t = texts.recovery
  const waiting = [
    ...(state.hooks_waiting > 0 ? [t.hooks(state.hooks_waiting)] : []),
    ...(state.hosts_waiting > 0 ? [t.hosts(state.hosts_waiting)] : []),
  ]
  return [
    {
      id: 'machine',
      name: t.machine,
      tone: state.live ? 'ok' : 'warn',
      state: state.live ? t.live : t.held,
      help: state.live ? t.liveHelp : t.banner.title,
      ...(state.live ? {} : { command: 'berth panel live' }),
    },
    ...(state.accounts_waiting > 0
      ? [
          {
            id: 'accounts',
            name: t.accounts,
            tone: 'warn' as const,
            state: t.accountsWaiting(state.accounts_waiting),
            help: t.accountsHelp,
            command: 'berth backups restore-all',
          },
        ]
      : []),
    ...(waiting.length > 0
      ? [
          {
            id: 'confirm',
            name: t.confirm,
            tone: 'warn' as const,
            state: t.off,
            help: `${waiting.join(', ')}. ${t.confirmHelp}`,
            command: 'berth panel confirm',
          },
        ]
      : []),
    kit(state),
    lastExport(state),
  ]
}

/** The one sentence that administrators should see elsewhere too; null: nothing is amiss. */
export const recoveryWarning = (state: RecoveryState): string | null => {
  const t = texts.recovery.line
  if (state.kit_made_at === null) return t.none
  if (state.kit_verified_at === null) return t.unverified
  return state.exported_at === null ? t.noExport : null
}
