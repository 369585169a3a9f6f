import type { SftpLogin } from '$lib/api/types'
import { duration } from '$lib/format/duration'
import { bytes } from '$lib/format/size'
import { timestampMs } from '$lib/format/timestamp'
import { texts } from '$lib/texts'

/** By what somebody came in, or that nobody did. */
export const wayOf = ({ way, key_name, failures }: SftpLogin): string => {
  const t = texts.sftpLogins
  if (failures > 0) return failures === 1 ? t.failed : t.failures(failures)
  return way === 'password' ? t.ways.password : key_name === null ? t.keyGone : t.key(key_name)
}

/** What somebody came in for; nothing of who did not. */
export const kindOf = ({ kind, failures }: SftpLogin): string => {
  const t = texts.sftpLogins
  return failures > 0 ? '' : kind === null ? t.noKind : t.kinds[kind]
}

/** How long it lasted, or that it goes on. */
export const lastedOf = ({ began_at, ended_at, failures }: SftpLogin): string =>
  failures === 1
    ? ''
    : ended_at === null
      ? texts.sftpLogins.now
      : duration(Math.max(0, (timestampMs(ended_at) - timestampMs(began_at)) / 1000))

/** What was done meanwhile; nothing by who did not come in. */
export const workOf = ({ changes, received_bytes, sent_bytes, failures }: SftpLogin): string => {
  const t = texts.sftpLogins
  if (failures > 0) return ''
  const parts = [
    changes > 0 ? t.changes(changes) : '',
    received_bytes > 0 ? t.up(bytes(received_bytes)) : '',
    sent_bytes > 0 ? t.down(bytes(sent_bytes)) : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? t.nothing : parts.join(' · ')
}
