import { hasControlCharacters } from '#handlers/domain/text/control-characters.ts'
import type { Account, Application, SftpUser, SshKey } from '$lib/api/types'
import { required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

/** What the form of a key holds. */
export type KeyForm = {
  name: string
  public_key: string
  expires_at: string
  /** Empty: the account; else which user for one folder or repository, as `opened` reads it. */
  opens: string
  access: 'read' | 'write'
}

const MAX_NAME = 100

/** As it is opened. */
export const keyForm = (key: SshKey | null): KeyForm => ({
  name: key?.name ?? '',
  public_key: '',
  expires_at: key?.expires_at?.slice(0, 10) ?? '',
  opens: '',
  access: key?.access ?? 'read',
})

const REPOSITORY = 'repository:'
const USER = 'user:'

const numberBehind = (prefix: string, opens: string): number | null =>
  opens.startsWith(prefix) ? Number(opens.slice(prefix.length)) : null

/** What a new key is to open, as the API takes it. */
export const opened = ({ opens, access }: KeyForm) => {
  const application = numberBehind(REPOSITORY, opens)
  return {
    sftp_user_id: numberBehind(USER, opens),
    application_id: application,
    ...(application === null ? {} : { access }),
  }
}

/** What the API takes of it; a day that is kept keeps its time. */
export const keyBody = ({ name, expires_at, access }: KeyForm, key: SshKey | null) => ({
  name: name.trim(),
  ...(key === null || key.application_id === null ? {} : { access }),
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
  repositories: readonly Application[],
  { opens }: Pick<KeyForm, 'opens'>,
): (Field<KeyForm> | false)[] => {
  const t = texts.sftp.form
  const isForRepository = key === null ? opens.startsWith(REPOSITORY) : key.application_id !== null
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
      users.length + repositories.length > 0 && {
        name: 'opens',
        kind: 'choice',
        label: texts.sftpUsers.opens,
        options: [
          { value: '', label: texts.sftpUsers.whole(username) },
          ...users.map(({ id, name, folder }) => ({
            value: `${USER}${id}`,
            label: `${name} (${folder})`,
          })),
          ...repositories.map(({ id, name }) => ({
            value: `${REPOSITORY}${id}`,
            label: t.repository(name),
          })),
        ],
      },
    isForRepository && {
      name: 'access',
      kind: 'choice',
      label: t.access,
      help: t.accessHelp,
      options: [
        { value: 'read', label: t.read },
        { value: 'write', label: t.write },
      ],
    },
    { name: 'expires_at', type: 'date', label: t.end, help: t.endHelp },
  ]
}
