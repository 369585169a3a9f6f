import { existsSync, readFileSync } from 'node:fs'
import { fingerprintOf, parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import type { SftpDetails } from '#handlers/ports/host/sftp.ts'
import { valuesOf, type SshdSettings } from '../../sshd/sshd-settings.ts'

/** What a client is shown of the host when it connects for the first time. */
export const hostKeysOf = async (settings: SshdSettings): Promise<SftpDetails['hostKeys']> => {
  const files = valuesOf(settings, 'hostkey').map((file) => `${file}.pub`)
  const keys = files
    .filter((file) => existsSync(file))
    .map((file) => parsePublicKey(readFileSync(file, 'utf8')))
  return Promise.all(
    keys.flatMap((key) =>
      'fault' in key
        ? []
        : [fingerprintOf(key.blob).then((fingerprint) => ({ type: key.type, fingerprint }))],
    ),
  )
}
