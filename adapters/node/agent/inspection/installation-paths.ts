import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { directoriesOf } from '../../layout/prepare-directories.ts'
import type { Identities } from '../../process/identities.ts'
import type { OwnedPath } from './owned-path.ts'

/** Directories, secrets and configuration of the installation, as the supervisor makes them. */
export const installationPaths = (config: ServerConfig, who: Identities): OwnedPath[] => {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const { paths } = config
  const directories = directoriesOf(config, who).map(({ path, uid, gid, mode }): OwnedPath => ({
    path,
    kind: 'directory',
    uid: uid ?? own.uid,
    gid: gid ?? own.gid,
    mode,
  }))
  const files: OwnedPath[] = [
    {
      path: join(paths.secrets_dir, 'panel-jwt.key'),
      kind: 'file',
      uid: who.panel?.uid ?? own.uid,
      gid: who.panel?.gid ?? own.gid,
      mode: 0o600,
      optional: true,
    },
    {
      path: join(paths.run_dir, 'management.token'),
      kind: 'file',
      uid: who.web?.uid ?? own.uid,
      gid: who.panel?.gid ?? own.gid,
      mode: 0o640,
      optional: true,
    },
    ...(['panel.db', 'panel.db-wal', 'panel.db-shm'] as const).map((name): OwnedPath => ({
      path: join(paths.state_dir, 'panel', name),
      kind: 'file',
      uid: who.panel?.uid ?? own.uid,
      gid: who.panel?.gid ?? own.gid,
      mode: 0o600,
      optional: true,
    })),
  ]
  // A normal user's configuration is the user's business; root's is read by all three processes.
  if (who.root && who.confGid !== null)
    files.push({ path: config.file, kind: 'file', uid: 0, gid: who.confGid, mode: 0o640 })
  return [...directories, ...files]
}
