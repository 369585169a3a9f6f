import { hasControlCharacters } from '#handlers/domain/text/control-characters.ts'
import type { Account, SftpUser, SshKey } from '$lib/api/types'
import { required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

/** What the form of a key holds. */
export type KeyForm = { name: string; public_key: string; expires_at: string; opens: string }

const MAX_NAME = 100

/** As it is opened. */
export const keyForm = (key: SshKey | null): KeyForm => ({
  name: key?.name ?? '',
  public_key: '',
  expires_at: key?.expires_at?.slice(0, 10) ?? '',
  opens: '',
})

/** What the API takes of it; a day that is kept keeps its time. */
export const keyBody = ({ name, expires_at }: KeyForm, key: SshKey | null) => ({
  name: name.trim(),
  expires_at:
    expires_at === ''
      ? null
      : key?.expires_at?.startsWith(expires_at)
        ? key.expires_at
        : expires_at,
})

const checkKey = (text: string): string | null => {
  const t = texts.sftp.form
  if (/PRIVATE KEY/.test(text)) return t.keySecret
  const isKey = /^(ssh-|ecdsa-|sk-)\S+\s+[A-Za-z0-9+/]+=*(\s|$)/.test(text.trim())
  return required(text) ?? (isKey && !hasControlCharacters(text.trim()) ? null : t.keyBad)
}

/** Its controls: of a key that is there the key itself does not change. */
export const keyFields = (
  key: SshKey | null,
  { username }: Account,
  users: readonly SftpUser[],
): (Field<KeyForm> | false)[] => {
  const t = texts.sftp.form
  return [
    {
      name: 'name',
      label: t.name,
      help: t.nameHelp,
      check: (name) => required(name) ?? (name.trim().length > MAX_NAME ? t.nameBad : null),
    },
    key === null && {
      name: 'public_key',
      kind: 'lines',
      label: t.key,
      help: t.keyHelp,
      rows: 4,
      placeholder: 'ssh-ed25519 AAAA…',
      accept: '.pub',
      check: checkKey,
    },
    key === null &&
      users.length > 0 && {
        name: 'opens',
        kind: 'choice',
        label: texts.sftpUsers.opens,
        options: [
          { value: '', label: texts.sftpUsers.whole(username) },
          ...users.map(({ id, name, folder }) => ({
            value: String(id),
            label: `${name} (${folder})`,
          })),
        ],
      },
    { name: 'expires_at', type: 'date', label: t.end, help: t.endHelp },
  ]
}
