import { parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { opened, parsersOf } from '../parser-list.ts'

/** What owners paste as keys of theirs. */
export const sftpParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/sftp/public-key.ts parsePublicKey': opened(
    ['ssh-ed25519 AAAA', 'ssh-rsa ', '-----BEGIN '],
    parsePublicKey,
  ),
})
