import type { RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import { parseSftpEndpoint, targetFaults } from '#handlers/domain/backups/target-rules.ts'
import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type {
  TargetSettings,
  TargetTrial,
  TargetsPort,
} from '#handlers/ports/host/backups/targets.ts'
import type { AccountLock } from '../../registry/types.ts'
import { failureAdvice } from '../remote/failure-advice.ts'
import { openTarget } from '../remote/open-target.ts'
import { readServerKey } from '../remote/sftp-connect.ts'
import { panelTarget } from './known-target.ts'
import type { KnownTarget } from './known-target.ts'
import { probeTarget } from './probe-target.ts'
import type { TargetFiles } from './target-files.ts'

export interface TargetsDeps {
  files: TargetFiles
  /** Those of both sources, as they count. */
  known: () => readonly KnownTarget[]
  /** Whether targets of the panel may lie on this machine. */
  mayBeLocal: boolean
  lock: AccountLock
}

/** Somebody waits for the answer, and meanwhile no other target is changed. */
const PROBE = { idleMs: 20_000, endMs: 60_000, tellsAll: true }
/** All changes, of which each is tried first. */
const LOCK = 'backup targets'

const FIELDS: Readonly<Record<string, string>> = {
  secret_key_file: 'secret_key',
  password_file: 'password',
  private_key_file: 'private_key',
}
/** Where a secret goes to, or what it opens: with another of these it is asked for anew. */
const BOUND = ['type', 'endpoint', 'username', 'access_key_id', 'host_key'] as const

/** Throws 400 for settings that do not fit together. */
const checkSettings = (target: RemoteTargetConfig): void => {
  const [fault] = targetFaults(target)
  if (fault === undefined) return
  const field = FIELDS[fault[0]] ?? fault[0]
  throw invalid(field, `${field} ${fault[1].replace('private_key_file', 'private_key')}`)
}

/** Targets that are set up in the panel; see `TargetsPort` for what each call promises. */
export const createTargetsPort = (deps: TargetsDeps): TargetsPort => {
  const { files, known } = deps
  const try_ = (target: KnownTarget): Promise<TargetTrial> =>
    probeTarget(openTarget([target], target.name, PROBE))

  /** 404 or 409 for a target that is not the panel's to change. */
  const ownTarget = (name: string): RemoteTargetConfig => {
    const found = known().find((one) => one.name === name)
    if (found?.source === 'configuration')
      throw conflict(
        `The target "${name}" stands in the host's configuration (berth.toml) and is changed there.`,
        'name',
      )
    const own = files.list().find((one) => one.name === name)
    if (!own) throw notFound(`There is no backup target named "${name}".`)
    return own
  }
  const checkNames = ({ name, is_default }: TargetSettings, isNew: boolean): void => {
    if (isNew && known().some((one) => one.name === name))
      throw conflict(`There is a backup target "${name}" already. Choose another name.`, 'name')
    const usual = known().find((one) => one.source === 'configuration' && one.is_default)
    if (is_default && usual)
      throw conflict(
        `"${usual.name}" is the default target by the host's configuration (berth.toml).`,
        'is_default',
      )
  }
  const keptSecret = (before: RemoteTargetConfig, settings: TargetSettings): RemoteTargetConfig => {
    const { secret_key_file, password_file, private_key_file } = before
    const changed = BOUND.find((key) => before[key] !== settings[key])
    if (changed !== undefined) {
      const field = secret_key_file ? 'secret_key' : password_file ? 'password' : 'private_key'
      throw invalid(field, `${field} is needed anew, since ${changed} is another one now.`)
    }
    return { ...settings, secret_key_file, password_file, private_key_file }
  }

  return {
    save: ({ settings, secret, isNew }) =>
      deps.lock(LOCK, async () => {
        const before = isNew ? null : ownTarget(settings.name)
        checkNames(settings, isNew)
        if (secret === null && before === null)
          throw invalid(
            settings.type === 's3' ? 'secret_key' : 'password',
            settings.type === 's3'
              ? 'secret_key is required.'
              : 'password or private_key is required.',
          )
        const staged = secret === null ? null : files.stage(settings, secret)
        const target = staged ?? (before && keptSecret(before, settings))
        if (target === null) throw new Error('a target without a secret')
        try {
          checkSettings(target)
          const trial = await try_(panelTarget(target, deps.mayBeLocal))
          files.keep(target)
          return trial
        } catch (error) {
          if (staged) files.drop(staged)
          throw error
        }
      }),
    remove: ({ name }) =>
      deps.lock(LOCK, async () => {
        ownTarget(name)
        files.remove(name)
      }),
    async test({ name }) {
      const target = known().find((one) => one.name === name)
      if (!target) throw notFound(`There is no backup target named "${name}".`)
      return try_(target)
    },
    async serverKey({ endpoint, allowPrivate }) {
      const address = parseSftpEndpoint(endpoint)
      if (address === null)
        throw invalid('endpoint', 'endpoint is not an address. Write "host" or "host:port".')
      const reach = !allowPrivate ? 'internet' : deps.mayBeLocal ? 'anywhere' : 'networks'
      try {
        return await readServerKey({ ...address, reach })
      } catch (error) {
        const said = (error instanceof Error ? error.message : String(error)).slice(0, 300)
        throw unavailable(
          `The key of ${endpoint} cannot be read: ${said}. ${failureAdvice(said)}`.trimEnd(),
          error,
        )
      }
    },
  }
}
