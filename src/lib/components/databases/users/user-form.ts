import type { Account, Database, DatabaseUser, EngineInfo } from '$lib/api/types'
import { engineName } from '$lib/format/engine-name'
import { newPassword, required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

/** A further user as one types it; rights stand under the names of their databases. */
export type UserForm = Record<string, string>

type Grant = DatabaseUser['databases'][number]

const RIGHTS = ['read', 'write', 'all'] as const satisfies readonly Grant['rights'][]

const fieldOf = (database: string): string => `database:${database}`

export const shortName = ({ username }: Account, full: string): string =>
  full.startsWith(`${username}_`) ? full.slice(username.length + 1) : full

/** What it begins with; of `user` null it is a new one. */
export const userForm = (
  account: Account,
  user: DatabaseUser | null,
  databases: readonly Database[],
): UserForm => ({
  name: user === null ? '' : shortName(account, user.user),
  password: '',
  engine: user?.engine ?? databases[0]?.engine ?? '',
  ...Object.fromEntries(
    databases.map(({ engine, database }) => [
      fieldOf(`${engine}:${database}`),
      user?.databases.find((one) => user.engine === engine && one.database === database)?.rights ??
        '',
    ]),
  ),
})

const ofEngine = (values: UserForm, databases: readonly Database[]): Database[] =>
  databases.filter(({ engine }) => engine === values['engine'])

/** The rights that are chosen. */
export const chosenGrants = (values: UserForm, databases: readonly Database[]): Grant[] =>
  ofEngine(values, databases).flatMap(({ engine, database }) => {
    const rights = RIGHTS.find((one) => one === values[fieldOf(`${engine}:${database}`)])
    return rights === undefined ? [] : [{ database, rights }]
  })

/** What is wrong beyond single fields. */
export const grantsProblem = (
  values: UserForm,
  databases: readonly Database[],
): Record<string, string | null> => {
  const [first] = ofEngine(values, databases)
  if (first === undefined || chosenGrants(values, databases).length > 0) return {}
  return { [fieldOf(`${first.engine}:${first.database}`)]: texts.databaseUsers.form.nothing }
}

/** The controls. */
export const userFields = (
  account: Account,
  user: DatabaseUser | null,
  databases: readonly Database[],
  engines: readonly EngineInfo[],
  values: UserForm,
): (Field<UserForm> | false)[] => {
  const offered = engines.filter(({ engine }) => databases.some((one) => one.engine === engine))
  return [
    {
      ...{
        name: 'name',
        label: texts.databaseUsers.form.name,
        autocomplete: 'off',
        maxlength: 32,
        mono: true,
      },
      help: texts.databaseUsers.form.nameHelp(
        `${account.username}_${values['name']?.trim() || '…'}`,
      ),
      check: required,
    },
    {
      ...{ name: 'password', kind: 'password' },
      label:
        user === null ? texts.databaseUsers.form.password : texts.databaseUsers.form.newPassword,
      help:
        user === null
          ? texts.databaseUsers.form.passwordHelp
          : texts.databaseUsers.form.newPasswordHelp,
      check: (text: string) => (user !== null && text === '' ? null : newPassword(text)),
    },
    user === null &&
      offered.length > 1 && {
        ...{ name: 'engine', kind: 'choice', label: texts.databaseUsers.form.engine },
        options: offered.map(({ engine: value, version }) => ({
          value,
          label: `${engineName(value)} ${version}`,
        })),
      },
    ...ofEngine(values, databases).map(({ engine, database }, index) => ({
      name: fieldOf(`${engine}:${database}`),
      kind: 'choice' as const,
      label: texts.databaseUsers.form.rightsOf(database),
      help: index === 0 ? texts.databaseUsers.form.rightsHelp : undefined,
      options: [
        { value: '', label: texts.databaseUsers.rights.none },
        ...RIGHTS.map((value) => ({
          value: value as string,
          label: texts.databaseUsers.rights[value],
        })),
      ],
    })),
  ]
}
