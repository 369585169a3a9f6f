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

/** Those that may be asked, in this order; each is read when its turn comes. */
export const authoritiesOf = (panel: AcmeSettings): (() => Promise<AcmeAuthority>)[] => {
  const main = async (): Promise<AcmeAuthority> => ({
    directory: panel.acme_directory,
    binding: await bindingOf(panel.acme_eab_key_id, panel.acme_eab_key_file),
  })
  const { acme_fallback_directory: second } = panel
  if (second === null) return [main]
  const fallback = async (): Promise<AcmeAuthority> => ({
    directory: second,
    binding: await bindingOf(panel.acme_fallback_eab_key_id, panel.acme_fallback_eab_key_file),
  })
  return [main, fallback]
}
