import { z } from 'zod'
import { MEMBER_ROLES } from '../../domain/access/member-role.ts'
import { named, recordId, timestamp } from '../frame/common-schemas.ts'
import { oneOf, text } from '../frame/fields.ts'

export const memberRole = () =>
  oneOf('role', MEMBER_ROLES).describe(
    'owner: everything that the account itself may do; developer: sites, files, databases, PHP, cron, keys for SFTP, making and restoring backups; reader: looks, and changes nothing.',
  )

/** An address as people type it; it becomes a login, and counts in lower case. */
export const loginAddress = () =>
  text('email', 254)
    .pipe(z.email('email must be an address such as name@example.com.'))
    .transform((email) => email.toLowerCase())
    .meta({ format: 'email' })

export const memberSchema = named('Member', {
  id: recordId(),
  email: z.string().describe('The login.'),
  name: z.string(),
  role: z.enum(MEMBER_ROLES),
  second_factor: z.boolean().describe('Whether a login needs a code.'),
  seen_at: timestamp()
    .nullable()
    .describe('Latest use of a session in the account that still stands, to five minutes.'),
  created_at: timestamp().describe('When the person joined the account.'),
})

export const invitationSchema = named('Invitation', {
  id: recordId(),
  email: z.string(),
  role: z.enum(MEMBER_ROLES),
  invited_by: z.string(),
  created_at: timestamp(),
  expires_at: timestamp(),
})

export const personSchema = named('Person', {
  id: recordId(),
  email: z.string().describe('The login.'),
  name: z.string(),
  second_factor: z.boolean().describe('Whether a login needs a code.'),
  accounts: z.array(
    z.object({ account_id: recordId(), username: z.string(), role: z.enum(MEMBER_ROLES) }),
  ),
  created_at: timestamp(),
})

export const membershipSchema = named('Membership', {
  account_id: recordId(),
  username: z.string(),
  primary_domain: z.string(),
  status: z.enum(['creating', 'active', 'suspended', 'deleting']),
  role: z.enum(MEMBER_ROLES),
  current: z.boolean().describe('Whether this session works in it.'),
})

export const invitationTextSchema = named('InvitationText', {
  email: z.string(),
  role: z.enum(MEMBER_ROLES),
  account: z.string().describe('Username of the account.'),
  primary_domain: z.string(),
  invited_by: z.string(),
  expires_at: timestamp(),
})
