import type { Account, SftpUser } from '$lib/api/types'
import { newPassword, required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

/** What the form of a user for one folder holds. */
export type UserForm = {
  name: string
  folder: string
  by_password: boolean
  password: string
  read_only: boolean
}

/** As it is opened. */
export const userForm = (user: SftpUser | null): UserForm => ({
  name: '',
  folder: user?.folder ?? 'public_html',
  by_password: user?.passwords ?? true,
  password: '',
  read_only: user?.read_only ?? false,
})

/** What the API takes of it; a password that is not typed stays as it is. */
export const userBody = (form: UserForm, user: SftpUser | null) => ({
  folder: form.folder.trim(),
  read_only: form.read_only,
  ...(form.by_password
    ? form.password === '' && user !== null
      ? {}
      : { password: form.password }
    : { password: null }),
})

/** Its controls. */
export const userFields = (
  form: UserForm,
  user: SftpUser | null,
  { username }: Account,
): (Field<UserForm> | false)[] => {
  const t = texts.sftpUsers.form
  const hasOne = user?.passwords === true
  return [
    user === null && {
      name: 'name',
      label: t.name,
      help: t.nameHelp(username, form.name.trim() || 'web'),
      maxlength: 15,
      mono: true,
      check: (name) => required(name) ?? (/^[a-z0-9]{1,15}$/.test(name.trim()) ? null : t.nameBad),
    },
    { name: 'folder', label: t.folder, help: t.folderHelp, mono: true, check: required },
    { name: 'by_password', kind: 'switch', label: t.byPassword, help: t.byPasswordHelp },
    form.by_password && {
      name: 'password',
      kind: 'password',
      label: hasOne ? t.newPassword : t.password,
      help: hasOne ? t.passwordKept : undefined,
      check: (password) => (password === '' && hasOne ? null : newPassword(password)),
    },
    { name: 'read_only', kind: 'switch', label: t.readOnly, help: t.readOnlyHelp },
  ]
}
