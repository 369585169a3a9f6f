import { readFile } from 'node:fs/promises'
import type { PanelConfig } from '#handlers/domain/config/config-types.ts'
import { unavailable } from '#handlers/errors.ts'

/** What of the configuration is about authorities. */
export type AcmeSettings = Pick<
  PanelConfig,
  | 'acme_email'
  | 'acme_directory'
  | 'acme_ca_file'
  | 'acme_eab_key_id'
  | 'acme_eab_key_file'
  | 'acme_fallback_directory'
  | 'acme_fallback_eab_key_id'
  | 'acme_fallback_eab_key_file'
>

/** An authority, and the key by which it knows its customer (RFC 8555, 7.3.4). */
export interface AcmeAuthority {
  directory: string
  binding: { kid: string; hmacKey: string } | null
}

const bindingOf = async (
  kid: string | null,
  file: string | null,
): Promise<AcmeAuthority['binding']> => {
  if (kid === null || file === null) return null
  const text = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (!/^[A-Za-z0-9_-]{16,512}$/.test(text))
    throw unavailable(
      `The key for the certificate authority in ${file} cannot be read, or is not base64url. Put the key there that the authority gave with ${kid}.`,
    )
  return { kid, hmacKey: text }
}

/** The one that is asked. 503 when its key cannot be read. */
export const mainAuthority = async (panel: AcmeSettings): Promise<AcmeAuthority> => ({
  directory: panel.acme_directory,
  binding: await bindingOf(panel.acme_eab_key_id, panel.acme_eab_key_file),
})

/** The one that is asked where the other cannot be; null: there is none. 503 as above. */
export const fallbackAuthority = async (panel: AcmeSettings): Promise<AcmeAuthority | null> => {
  const { acme_fallback_directory: directory } = panel
  if (directory === null) return null
  const { acme_fallback_eab_key_id: kid, acme_fallback_eab_key_file: file } = panel
  return { directory, binding: await bindingOf(kid, file) }
}
