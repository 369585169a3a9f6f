import { readFileSync } from 'node:fs'
import type { RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import { parseSftpEndpoint } from '#handlers/domain/config/remote-target-parse.ts'
import { notFound, unavailable } from '#handlers/errors.ts'
import type { RemoteTarget } from '#handlers/ports/host/backups.ts'
import type { RemoteStore } from './remote-store.ts'
import { createS3Store } from './s3-store.ts'
import { createSftpStore } from './sftp-store.ts'

const DEFAULT_REGION = 'us-east-1'

/** A target as it may be shown. */
export const shownTarget = (target: RemoteTargetConfig): RemoteTarget => ({
  name: target.name,
  type: target.type,
  endpoint: target.endpoint,
  bucket: target.bucket,
  path: target.path,
  region: target.region,
  username: target.username,
  is_default: target.is_default,
})

/** Read when it is used, so that a changed secret takes effect at once. */
const secret = (name: string, file: string | null): string => {
  try {
    return readFileSync(file ?? '', 'utf8').trim()
  } catch (error) {
    throw unavailable(
      `The secret of the backup target "${name}" cannot be read. Check the file that its section names.`,
      error,
    )
  }
}

/** The store behind a configured target; 404 for a name that is not configured. */
export const openTarget = (targets: readonly RemoteTargetConfig[], name: string): RemoteStore => {
  const target = targets.find((one) => one.name === name)
  if (!target) throw notFound(`There is no backup target named "${name}".`)
  if (target.type === 's3')
    return createS3Store(
      name,
      {
        endpoint: target.endpoint,
        bucket: target.bucket ?? '',
        region: target.region ?? DEFAULT_REGION,
        accessKeyId: target.access_key_id ?? '',
        secretAccessKey: secret(name, target.secret_key_file),
        allowPrivate: target.allow_private,
      },
      target.path ?? '',
    )
  const { host, port } = parseSftpEndpoint(target.endpoint) ?? { host: '', port: 22 }
  return createSftpStore(name, {
    host,
    port,
    username: target.username ?? '',
    hostKey: target.host_key ?? '',
    credentials:
      target.private_key_file === null
        ? { password: secret(name, target.password_file) }
        : { privateKey: `${secret(name, target.private_key_file)}\n` },
    path: target.path ?? '',
    allowPrivate: target.allow_private,
  })
}
