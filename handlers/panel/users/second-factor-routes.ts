import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import type { PanelDeps } from '../deps.ts'
import { numberText, text } from '../frame/fields.ts'
import { withHeaders } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { SESSION_HEADERS, sessionSchema, startSession } from './session.ts'
import { named } from '../frame/common-schemas.ts'

const password = text('password', 1024).min(1, 'password is required.')
const code = text('code', 64).min(1, 'code is required.')

const stateSchema = named('SecondFactor', {
  enabled: z.boolean(),
  recovery_codes: z.int().min(0).describe('Recovery codes that are not used yet.'),
})

const on = routesOf('Authentication')
const onAccounts = routesOf('Accounts')
const WRONG_PASSWORD = 'password is wrong.'
const TOO_MANY = 'Too many failures, as for logins; Retry-After says for how many seconds.'

/** The caller's own second factor, and taking an account's off. */
export const secondFactorRoutes = (
  deps: Pick<PanelDeps, 'clock' | 'jwtSecret'>,
  { secondFactor, credentials, accounts, sessions }: Services,
) => [
  on.self.get('/api/auth/totp', {
    summary: 'Whether the caller has a second factor',
    data: stateSchema,
    handle: ({ caller }) => secondFactor.state(caller.user),
  }),
  on.self.post('/api/auth/totp', {
    ownSession: true,
    summary: 'Enrols a second factor',
    description:
      'Time-based codes of six digits (RFC 6238: SHA-1, 30 seconds). In force only once a code was confirmed; enrolling again draws a new secret.',
    body: z.object({ password }),
    data: z.object({
      secret: z.string().describe('Base32, to be typed in.'),
      url: z.string().describe('otpauth:// URL, to be shown as a QR code.'),
    }),
    errors: { 403: WRONG_PASSWORD, 409: 'One is in force already.', 429: TOO_MANY },
    async handle({ caller, body, clientAddress }) {
      const proof = { password: body.password, field: 'password', address: clientAddress }
      await credentials.confirmPassword(caller.user, proof)
      return secondFactor.enrol(caller.user, caller.username)
    },
  }),
  on.self.post('/api/auth/totp/confirm', {
    ownSession: true,
    summary: 'Puts the enrolled second factor in force',
    description:
      'From now on a login needs a code. Sessions that began without one end, logins as the account by administrators among them, and the answer is a new one, as at a login; API tokens stay. The recovery codes are shown this once.',
    body: z.object({ code }),
    data: sessionSchema.extend({
      recovery_codes: z.array(z.string()).describe('Each replaces a code once.'),
    }),
    headers: SESSION_HEADERS,
    errors: { 409: 'Nothing is enrolled, or it is in force already.' },
    async handle(call) {
      const { caller, body } = call
      const recovery_codes = await secondFactor.confirm(caller.user, body.code)
      const user = await credentials.endSessions(caller.user)
      const { data, headers } = await startSession({ ...deps, sessions }, user, call)
      return withHeaders({ ...data, recovery_codes }, { ...headers })
    },
  }),
  on.self.delete('/api/auth/totp', {
    ownSession: true,
    summary: "Takes the caller's second factor off",
    description: 'Needs the password and a code, which may be a recovery code.',
    body: z.object({ password, code }),
    data: stateSchema,
    errors: { 403: `${WRONG_PASSWORD} Or the code is.`, 429: TOO_MANY },
    async handle({ caller, body, clientAddress: address }) {
      const proof = { password: body.password, field: 'password', address }
      await credentials.confirmPassword(caller.user, proof)
      await credentials.confirmCode(caller.user, { code: body.code, address })
      await secondFactor.remove(caller.user, 'self')
      return secondFactor.state(caller.user)
    },
  }),
  onAccounts.manage.delete('/api/accounts/:id/totp', {
    ownSession: true,
    summary: "Takes an account's second factor off",
    description: 'For a tenant who lost device and recovery codes. The password stays.',
    params: z.object({ id: numberText('id') }),
    before: ({ params, caller }) => authorize(caller, 'manage', params.id),
    data: stateSchema,
    errors: { 404: 'No such account.' },
    async handle({ params }) {
      const user = { role: 'account', id: (await accounts.get(params.id)).id } as const
      await secondFactor.remove(user, 'administrator')
      return secondFactor.state(user)
    },
  }),
]
