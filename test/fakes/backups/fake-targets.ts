import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type {
  TargetSecret,
  TargetTrial,
  TargetsPort,
} from '#handlers/ports/host/backups/targets.ts'
import type { FakeBackups } from './fake-backups.ts'

export interface FakeTargets extends TargetsPort {
  /** What opens each, by name. */
  secrets: Map<string, TargetSecret>
  /** What targets allow. */
  trial: TargetTrial
}

/** Endpoints of that beginning do not answer. */
export const UNREACHABLE = 'https://down.'
/** The key that every SFTP server here has. */
export const FAKE_HOST_KEY = `SHA256:${'B'.repeat(43)}`

/** Targets held in memory, in the list that the fake backups have. */
export const createFakeTargets = (backups: FakeBackups): FakeTargets => {
  const own = (name: string) => {
    const found = backups.configured.find((one) => one.name === name)
    if (!found) throw notFound(`There is no backup target named "${name}".`)
    if (found.source === 'configuration')
      throw conflict(`The target "${name}" stands in the host's configuration.`, 'name')
    return found
  }
  const probe = (endpoint: string, hostKey: string | null): TargetTrial => {
    if (endpoint.startsWith(UNREACHABLE)) throw unavailable('The target does not answer.')
    if (hostKey !== null && hostKey !== FAKE_HOST_KEY)
      throw unavailable('The server has another key than host_key says.')
    return port.trial
  }
  const port: FakeTargets = {
    secrets: new Map(),
    trial: { can_list: true, can_remove: true },
    async save({ settings, secret, isNew }) {
      const { name, endpoint, host_key } = settings
      const before = isNew ? null : own(name)
      const others = backups.configured.filter((one) => one.name !== name)
      if (isNew && others.length < backups.configured.length)
        throw conflict(`There is a backup target "${name}" already.`, 'name')
      if (
        settings.is_default &&
        others.some((one) => one.is_default && one.source === 'configuration')
      )
        throw conflict('The configuration has a default target.', 'is_default')
      const field = settings.type === 's3' ? 'secret_key' : 'password'
      if (secret === null && before === null) throw invalid(field, `${field} is required.`)
      if (secret === null && before?.endpoint !== endpoint)
        throw invalid(field, `${field} is needed anew.`)
      const trial = probe(endpoint, host_key)
      const rest = settings.is_default
        ? others.map((one) => ({ ...one, is_default: false }))
        : others
      backups.configured = [...rest, { ...settings, source: 'panel' }]
      if (secret !== null) port.secrets.set(name, secret)
      return trial
    },
    async remove({ name }) {
      own(name)
      backups.configured = backups.configured.filter((one) => one.name !== name)
      port.secrets.delete(name)
    },
    async test({ name }) {
      const found = backups.configured.find((one) => one.name === name)
      if (!found) throw notFound(`There is no backup target named "${name}".`)
      return probe(found.endpoint, found.host_key)
    },
    serverKey: async () => ({ type: 'ssh-ed25519', fingerprint: FAKE_HOST_KEY }),
  }
  return port
}
