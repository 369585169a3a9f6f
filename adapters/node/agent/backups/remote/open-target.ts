import { readFileSync } from 'node:fs'
import { parseSftpEndpoint } from '#handlers/domain/backups/target-rules.ts'
import { notFound, unavailable } from '#handlers/errors.ts'
import type { TargetSecret } from '#handlers/ports/host/backups/targets.ts'
import type { KnownTarget } from '../targets/known-target.ts'
import type { RemoteStore } from './remote-store.ts'
import type { S3Access } from './s3-request.ts'
import { createS3Store } from './s3-store.ts'
import { createSftpStore } from './sftp-store.ts'

const DEFAULT_REGION = 'us-east-1'

/** A target with what opens it, for the agent alone. */
export interface ResolvedTarget {
  target: KnownTarget
  secret: TargetSecret
  /** Of S3 alone. */
  region: string
  /** Of SFTP alone. */
  address: { host: string; port: number } | null
}

/** Read when it is used, so that a changed secret takes effect at once. */
const readSecret = (name: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw unavailable(
      `The secret of the backup target "${name}" cannot be read. Give it anew, or check the file that its section names.`,
      error,
    )
  }
}

const secretOf = (target: KnownTarget): TargetSecret => {
  const { name, secret_key_file, password_file, private_key_file } = target
  if (secret_key_file !== null)
    return { kind: 'secret_key', value: readSecret(name, secret_key_file) }
  if (password_file !== null) return { kind: 'password', value: readSecret(name, password_file) }
  return { kind: 'private_key', value: `${readSecret(name, private_key_file ?? '')}\n` }
}

/** The target of that name, wherever it was set up, with its secret; 404 where there is none. */
export const resolveTarget = (targets: readonly KnownTarget[], name: string): ResolvedTarget => {
  const target = targets.find((one) => one.name === name)
  if (!target) throw notFound(`There is no backup target named "${name}".`)
  return {
    target,
    secret: secretOf(target),
    region: target.region ?? DEFAULT_REGION,
    address: target.type === 'sftp' ? parseSftpEndpoint(target.endpoint) : null,
  }
}

/** How long a target is waited for, and who hears of its failures; see `S3Access`. */
export type TargetUse = Pick<S3Access, 'idleMs' | 'endMs' | 'tellsAll'>

/** The store behind a target; 404 for a name that no target has. */
export const openTarget = (
  targets: readonly KnownTarget[],
  name: string,
  use: TargetUse = {},
): RemoteStore => {
  const { target, secret, region, address } = resolveTarget(targets, name)
  const { reach } = target
  if (target.type === 's3')
    return createS3Store(
      name,
      {
        endpoint: target.endpoint,
        bucket: target.bucket ?? '',
        region,
        accessKeyId: target.access_key_id ?? '',
        secretAccessKey: secret.value,
        reach,
        ...use,
      },
      target.path ?? '',
    )
  const { host, port } = address ?? { host: '', port: 22 }
  return createSftpStore(name, {
    host,
    port,
    username: target.username ?? '',
    hostKey: target.host_key ?? '',
    credentials:
      secret.kind === 'password' ? { password: secret.value } : { privateKey: secret.value },
    path: target.path ?? '',
    reach,
    ...(use.endMs === undefined ? {} : { endMs: use.endMs }),
    ...(use.tellsAll === undefined ? {} : { tellsAll: use.tellsAll }),
  })
}
