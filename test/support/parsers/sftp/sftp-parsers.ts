import { readSessionMessage } from '#adapters/node/agent/sftp/sessions/read-message.ts'
import { readFailures } from '#adapters/node/agent/sftp/sessions/read-failures.ts'
import { parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { opened, parsersOf } from '../parser-list.ts'

/** What owners paste as keys of theirs, and what their sessions are said to do. */
export const sftpParsers = parsersOf('tenant', 64 * 1024, {
  'handlers/domain/sftp/public-key.ts parsePublicKey': opened(
    ['ssh-ed25519 AAAA', 'ssh-rsa ', '-----BEGIN '],
    parsePublicKey,
  ),
  'adapters/node/agent/sftp/sessions/read-message.ts readSessionMessage': opened(
    [
      '<38>Nov  4 04:50:00 internal-sftp[1]: remove name "',
      '<38>Nov  4 04:50:00 internal-sftp[1]: open "',
      '<38>Nov  4 04:50:00 internal-sftp[1]: close "',
      '<38>Nov  4 04:50:00 internal-sftp[1]: session opened for local user ',
      '<38>Nov  4 04:50:00 sshd[1]: auth_log_authopts():1 (pid=1): active: key options: tun=',
      '<38>Nov  4 04:50:00 sshd[1]: do_exec():1 (pid=1): Starting session: for a from ',
      '<38>Nov  4 04:50:00 berth-login[1]: scp for ',
    ],
    readSessionMessage,
  ),
  'adapters/node/agent/sftp/sessions/read-failures.ts readFailures': opened(
    ['ssh:notty', `${'\0'.repeat(8)}ssh:notty\0`],
    (text: string) => readFailures(Buffer.from(text)),
  ),
})
