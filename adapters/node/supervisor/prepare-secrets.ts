import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Identities } from '../process/identities.ts'

interface Owner {
  uid: number
  gid: number
}

/** Writes a random secret whole and with its final owner before it appears under its name. */
const writeSecret = (file: string, owner: Owner | null, mode: number): void => {
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode, flag: 'wx' })
  if (owner !== null) chownSync(temporary, owner.uid, owner.gid)
  renameSync(temporary, file)
}

/**
 * Secrets of the installation, each random and readable by one process. The
 * panel's signing key stays (sessions outlive restarts); the management token
 * is new at every start.
 */
export const prepareSecrets = (paths: PathsConfig, who: Identities): void => {
  const jwt = join(paths.secrets_dir, 'panel-jwt.key')
  if (!existsSync(jwt)) writeSecret(jwt, who.panel, 0o600)
  const token = join(paths.run_dir, 'management.token')
  writeSecret(
    token,
    who.web === null || who.panel === null ? null : { uid: who.web.uid, gid: who.panel.gid },
    0o640,
  )
}
