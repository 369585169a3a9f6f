import type { RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'
import type { Reach } from '../remote/target-reach.ts'

/** A target with the files that hold its secrets, wherever it was set up. */
export interface KnownTarget extends RemoteTargetConfig {
  source: RemoteTarget['source']
  /** Addresses that it may have. */
  reach: Reach
}

/** A target of the configuration: root alone decides where it leads. */
export const configuredTarget = (target: RemoteTargetConfig): KnownTarget => ({
  ...target,
  source: 'configuration',
  reach: target.allow_private ? 'anywhere' : 'elsewhere',
})

/**
 * A target that was set up in the panel: whoever has taken an administrator's session
 * must not get at what listens on this machine. `mayBeLocal`: the configuration allows it.
 */
export const panelTarget = (target: RemoteTargetConfig, mayBeLocal: boolean): KnownTarget => ({
  ...target,
  source: 'panel',
  reach: !target.allow_private ? 'internet' : mayBeLocal ? 'anywhere' : 'networks',
})

/** All targets; a name or default of the configuration goes before the panel's. */
export const mergeTargets = (
  configured: readonly RemoteTargetConfig[],
  made: readonly KnownTarget[],
): KnownTarget[] => {
  const own = configured.map(configuredTarget)
  const names = new Set(own.map(({ name }) => name))
  const hasDefault = own.some(({ is_default }) => is_default)
  const others = made
    .filter(({ name }) => !names.has(name))
    .map((target) => ({ ...target, is_default: target.is_default && !hasDefault }))
  return [...own, ...others]
}

/** A target as it may be shown. */
export const shownTarget = (target: KnownTarget): RemoteTarget => ({
  name: target.name,
  type: target.type,
  source: target.source,
  endpoint: target.endpoint,
  bucket: target.bucket,
  path: target.path,
  region: target.region,
  username: target.username,
  access_key_id: target.access_key_id,
  host_key: target.host_key,
  is_default: target.is_default,
  allow_private: target.allow_private,
})
