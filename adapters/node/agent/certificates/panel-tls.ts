import { chmod, chown, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { panelCertificateName, panelTlsFile } from '../../layout/panel-tls-file.ts'
import type { PairTexts } from './certificate-files.ts'

/** The panel's own certificate, handed to its process. */
export interface PanelTls {
  /** Name that it is for. */
  name: string
  take(pair: PairTexts): Promise<void>
  drop(): Promise<void>
}

/**
 * Null where `[panel] tls` names nothing that a certificate could be obtained
 * for. Key and chain go into one file, so that they always belong together;
 * `panelGid` may read it.
 */
export const createPanelTls = (
  config: {
    panel: Pick<ServerConfig['panel'], 'tls' | 'tls_certificate'>
    paths: Pick<ServerConfig['paths'], 'secrets_dir'>
  },
  panelGid: number | null,
): PanelTls | null => {
  const name = panelCertificateName(config.panel)
  if (name === null) return null
  const file = panelTlsFile(config.paths)
  return {
    name,
    async take({ leaf, chain, key }) {
      const temporary = `${file}.new`
      await mkdir(dirname(file), { recursive: true, mode: 0o711 })
      await rm(temporary, { force: true })
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(leaf + chain + key)
        await handle.sync()
      } finally {
        await handle.close()
      }
      if (panelGid !== null) {
        await chown(temporary, 0, panelGid)
        await chmod(temporary, 0o640)
      }
      await rename(temporary, file)
    },
    drop: () => rm(file, { force: true }),
  }
}
