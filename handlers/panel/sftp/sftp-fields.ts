import { z } from 'zod'
import { parsePublicKey } from '../../domain/sftp/public-key.ts'
import { KEY_ACCESSES } from '../../ports/store/sftp/sftp-store.ts'
import { isMoment, label, moment, text } from '../frame/fields.ts'

/** What an owner calls a key. */
export const keyName = () => label('name', 100).min(1, 'name must not be empty.')

/** What follows the account's name in that of its user for one folder. */
export const userWord = () =>
  text('name', 15)
    .refine((word) => /^[a-z0-9]{1,15}$/.test(word), 'name must be 1-15 letters and digits.')
    .meta({ type: 'string', pattern: '^[a-z0-9]{1,15}$' })

/** A line of a `.pub` file. */
export const publicKey = () =>
  text('public_key', 8000)
    .superRefine((value, context) => {
      const key = parsePublicKey(value)
      if ('fault' in key) context.addIssue({ code: 'custom', message: `public_key ${key.fault}` })
    })
    .describe('The line of a .pub file, e.g. "ssh-ed25519 AAAA… me@laptop". No options before it.')
    .meta({ type: 'string', maxLength: 8000 })

/** When a key ends, as it is kept; a day means its beginning. */
export const keyEnd = () =>
  moment('expires_at')
    .refine(isMoment, 'expires_at must be a date that there is.')
    .transform((value) => (value.length === 10 ? `${value} 00:00:00` : value))
    .describe('UTC. A day means its beginning. Null: it does not expire.')
    .meta({ type: 'string', maxLength: 19 })
    .nullable()

/** What a key may do at the repository that it is for. */
export const keyAccess = () =>
  z.enum(KEY_ACCESSES, `access must be one of: ${KEY_ACCESSES.join(', ')}.`)

/** A key as archives hold it. */
export const keyRecord = z.object({
  name: keyName(),
  public_key: publicKey(),
  expires_at: keyEnd(),
})

/** A key for the repository of an application as archives hold it. */
export const repositoryKeyRecord = keyRecord.extend({ access: keyAccess() })

/** A user for one folder as archives hold it. */
export const userRecord = z.object({
  name: userWord(),
  folder: text('folder', 4095),
  read_only: z.boolean(),
  keys: z.array(keyRecord),
})
