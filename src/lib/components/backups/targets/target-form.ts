import { callApi } from '$lib/api/call-api'
import type { ApiResult, KeptTarget, RemoteTarget, ServerKey } from '$lib/api/types'
import { required, secret } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'

/** What the form of a target holds. */
export type TargetValues = ReturnType<typeof targetValues>

/** How the form begins: for a new target, or with what is known of one. */
export const targetValues = (target: RemoteTarget | null) => ({
  name: target?.name ?? '',
  type: target?.type ?? 's3',
  endpoint: target?.endpoint ?? '',
  bucket: target?.bucket ?? '',
  region: target?.region ?? '',
  path: target?.path ?? '',
  access_key_id: target?.access_key_id ?? '',
  secret_key: '',
  username: target?.username ?? '',
  opens: 'password',
  password: '',
  private_key: '',
  host_key: target?.host_key ?? '',
  is_default: target?.is_default ?? false,
  allow_private: target?.allow_private ?? false,
})

const LINE = { autocomplete: 'off', mono: true } as const
/** So that no browser fills in what opens the panel. */
const HIDDEN = { ...LINE, type: 'password', autocomplete: 'new-password' } as const

const s3Fields = (isNew: boolean): (Field<TargetValues> | false)[] => {
  const t = texts.targets.form
  return [
    {
      ...LINE,
      name: 'endpoint',
      label: t.endpointS3,
      placeholder: 'https://s3.example.com',
      check: required,
    },
    { ...LINE, name: 'bucket', label: t.bucket, check: required },
    { ...LINE, name: 'path', label: t.prefix, help: t.prefixHelp },
    { ...LINE, name: 'access_key_id', label: t.keyId, check: required },
    {
      ...HIDDEN,
      name: 'secret_key',
      label: t.secretKey,
      ...(isNew ? { check: secret } : { help: t.kept }),
    },
    { ...LINE, name: 'region', label: t.region, placeholder: 'us-east-1', more: true },
  ]
}

const sftpFields = (isNew: boolean, values: TargetValues): (Field<TargetValues> | false)[] => {
  const t = texts.targets.form
  const needed = isNew ? { check: secret } : {}
  return [
    {
      ...LINE,
      name: 'endpoint',
      label: t.endpointSftp,
      help: t.endpointSftpHelp,
      check: required,
    },
    { ...LINE, name: 'username', label: t.username, check: required },
    { ...LINE, name: 'path', label: t.directory, placeholder: '/backups', check: required },
    {
      name: 'opens',
      kind: 'choice',
      label: t.opens,
      options: (['password', 'private_key'] as const).map((value) => ({
        value,
        label: t.ways[value],
      })),
    },
    values.opens === 'password' && {
      ...HIDDEN,
      name: 'password',
      label: t.password,
      help: isNew ? undefined : t.kept,
      ...needed,
    },
    values.opens === 'private_key' && {
      name: 'private_key',
      kind: 'lines',
      label: t.privateKey,
      help: isNew ? t.privateKeyHelp : `${t.privateKeyHelp}. ${t.kept}`,
      rows: 5,
      ...needed,
    },
    values.host_key !== '' && {
      ...LINE,
      name: 'host_key',
      label: t.hostKey,
      help: t.hostKeyHelp,
    },
  ]
}

/** The controls of the form. */
export const targetFields = (
  target: RemoteTarget | null,
  values: TargetValues,
): (Field<TargetValues> | false)[] => {
  const t = texts.targets.form
  const isNew = target === null
  return [
    isNew && { ...LINE, name: 'name', label: t.name, help: t.nameHelp, check: required },
    isNew && {
      name: 'type',
      kind: 'choice',
      label: t.type,
      options: (['s3', 'sftp'] as const).map((value) => ({ value, label: t.types[value] })),
    },
    ...(values.type === 's3' ? s3Fields(isNew) : sftpFields(isNew, values)),
    { name: 'is_default', kind: 'switch', label: t.usual, help: t.usualHelp },
    { name: 'allow_private', kind: 'switch', label: t.near, help: t.nearHelp, more: true },
  ]
}

const secretsOf = ({ type, opens, secret_key, password, private_key }: TargetValues) => {
  if (type === 's3') return secret_key === '' ? {} : { secret_key }
  if (opens === 'private_key') return private_key === '' ? {} : { private_key }
  return password === '' ? {} : { password }
}

/** Asks for the key of an SFTP server that has none yet; else tries and keeps the target. */
export const sendTarget = (
  target: RemoteTarget | null,
  values: TargetValues,
): Promise<ApiResult<KeptTarget | ServerKey>> => {
  const { type, is_default, allow_private } = values
  const endpoint = values.endpoint.trim()
  if (type === 'sftp' && values.host_key.trim() === '')
    return callApi<ServerKey>('POST', '/api/backups/remote-targets/host-key', {
      endpoint,
      allow_private,
    })
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
  const body = {
    endpoint,
    path: orNull(values.path),
    is_default,
    allow_private,
    ...(type === 's3'
      ? {
          bucket: orNull(values.bucket),
          region: orNull(values.region),
          access_key_id: orNull(values.access_key_id),
        }
      : { username: orNull(values.username), host_key: orNull(values.host_key) }),
    ...secretsOf(values),
  }
  return target === null
    ? callApi<KeptTarget>('POST', '/api/backups/remote-targets', {
        name: values.name.trim(),
        type,
        ...body,
      })
    : callApi<KeptTarget>('PATCH', `/api/backups/remote-targets/${target.name}`, body)
}
