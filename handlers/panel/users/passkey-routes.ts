import { z } from 'zod'
import { relyingPartyOf, type RelyingParty } from '../../domain/access/passkey.ts'
import { unixSecs } from '../../domain/text/timestamp.ts'
import { conflict, invalid, isAppError, unauthenticated } from '../../errors.ts'
import { entered, type LoggedIn } from '../../services/access/login-user.ts'
import { LOGIN_TOO_LATE } from '../../services/access/passkeys.ts'
import type { Services } from '../../services/services.ts'
import { readCeremony, signCeremony, type Ceremony } from '../access/ceremony.ts'
import type { PanelDeps } from '../deps.ts'
import { named, recordId, timestamp } from '../frame/common-schemas.ts'
import { label, numberText, text } from '../frame/fields.ts'
import type { PublicCall } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { SESSION_HEADERS, sessionSchema, startSession } from './session.ts'

const passkeySchema = named('Passkey', {
  id: recordId(),
  name: z.string(),
  party: z.string().describe('Host name of the panel at which it works.'),
  created_at: timestamp(),
  last_used_at: timestamp().nullable(),
})

const encoded = (field: string, maxLength: number) =>
  text(field, maxLength).regex(/^[\w-]+$/, `${field} must be base64url.`)

const ceremony = text('ceremony', 2048)
  .min(1, 'ceremony is required.')
  .describe('As the options came with it; counts once, for five minutes.')

const madeSchema = z.object({
  ceremony,
  name: label('name', 64)
    .min(1, 'name is required.')
    .describe('What the device is called, e.g. Phone.'),
  credential: z
    .looseObject({
      id: encoded('credential.id', 1400),
      response: z.looseObject({
        clientDataJSON: encoded('credential.response.clientDataJSON', 8192),
        attestationObject: encoded('credential.response.attestationObject', 16_384),
        transports: z.array(text('credential.response.transports', 32)).max(10).optional(),
      }),
    })
    .describe('RegistrationResponseJSON of the browser (WebAuthn level 3).'),
})

const usedSchema = z.object({
  ceremony,
  credential: z
    .looseObject({
      id: encoded('credential.id', 1400),
      response: z.looseObject({
        clientDataJSON: encoded('credential.response.clientDataJSON', 8192),
        authenticatorData: encoded('credential.response.authenticatorData', 8192),
        signature: encoded('credential.response.signature', 8192),
        userHandle: text('credential.response.userHandle', 256).nullish(),
      }),
    })
    .describe('AuthenticationResponseJSON of the browser (WebAuthn level 3).'),
})

const optionsSchema = z.object({
  options: z
    .record(z.string(), z.unknown())
    .describe('For navigator.credentials, in JSON (WebAuthn level 3).'),
  ceremony: z.string().describe("To be sent back with the browser's answer."),
})

const params = z.object({ id: numberText('id') })
const on = routesOf('Authentication')
const TOO_MANY = 'Too many failures, as for logins; Retry-After says for how many seconds.'
const NO_PARTY = 'The panel is not reached by a host name over HTTPS.'

const partyOf = ({ ownOrigin }: Pick<PublicCall, 'ownOrigin'>): RelyingParty => {
  const party = relyingPartyOf(ownOrigin)
  if (party !== null) return party
  throw conflict(
    'Browsers know passkeys only for a host name over HTTPS. Open the panel by its name, with a certificate.',
  )
}

/** Passkeys: the caller's own, and logging in with one. */
export const passkeyRoutes = (
  deps: PanelDeps,
  { passkeys, credentials, sessions, audit }: Services,
) => {
  const { store, clock, jwtSecret } = deps
  const nowSecs = (): number => unixSecs(clock.nowMs())
  const given = async (
    { options, challenge }: { options: Record<string, unknown>; challenge: string },
    purpose: string,
  ) => ({ options, ceremony: await signCeremony({ purpose, challenge }, nowSecs(), jwtSecret) })

  /** The ceremony that an answer belongs to, used up. */
  const spent = async (sent: string, purpose: string): Promise<Ceremony | null> => {
    const found = await readCeremony(sent, purpose, nowSecs(), jwtSecret)
    return found !== null && (await store.spendOnce(found.jti, found.expiresAtSecs)) ? found : null
  }
  const makes = ({ role, id }: { role: string; id: number }): string => `make ${role}:${id}`

  return [
    on.self.get('/api/auth/passkeys', {
      summary: "Lists the caller's passkeys",
      data: z.array(passkeySchema),
      handle: ({ caller }) => passkeys.list(caller.user),
    }),
    on.self.post('/api/auth/passkeys/options', {
      ownSession: true,
      summary: 'Begins to make a passkey',
      description:
        'Answers what the browser needs. With a second factor in force its code is needed too, since a passkey stands in for both.',
      body: z.object({
        password: text('password', 1024).min(1, 'password is required.'),
        code: text('code', 64)
          .optional()
          .describe('Code of the second factor, where there is one.'),
      }),
      data: optionsSchema,
      errors: {
        403: 'password or code is wrong.',
        409: `${NO_PARTY} Or there are 20 passkeys already.`,
        429: TOO_MANY,
      },
      async handle(call) {
        const { caller, body, clientAddress: address } = call
        const party = partyOf(call)
        const proof = { password: body.password, field: 'password', address }
        await credentials.confirmPassword(caller.user, proof)
        await credentials.confirmCode(caller.user, { code: body.code ?? '', address })
        return given(
          await passkeys.begin({ ...caller.user, username: caller.username }, party),
          makes(caller.user),
        )
      },
    }),
    on.self.post('/api/auth/passkeys', {
      ownSession: true,
      summary: 'Adds the passkey that the browser made',
      description:
        'From now on it lets the caller in without password and code. It ends when an administrator sets a new password. Only attestation none is taken.',
      body: madeSchema,
      data: passkeySchema,
      errors: {
        409: `${NO_PARTY} Or the name is taken, the device is known, there are 20 already, or the user was changed meanwhile.`,
      },
      async handle(call) {
        const { caller, body, reauthenticate } = call
        const party = partyOf(call)
        const found = await spent(body.ceremony, makes(caller.user))
        if (found === null)
          throw invalid('ceremony', 'ceremony has expired or was used. Begin again.')
        const { id, response } = body.credential
        const passkey = { id, response: { ...response, transports: response.transports ?? [] } }
        const { challenge } = found
        return passkeys.add(
          caller.user,
          { name: body.name, party, challenge, passkey },
          reauthenticate,
        )
      },
    }),
    on.self.delete('/api/auth/passkeys/:id', {
      ownSession: true,
      summary: 'Removes a passkey',
      description: 'Sessions that began with it stay.',
      params,
      data: z.object({ id: z.int(), deleted: z.literal(true) }),
      errors: { 404: 'The caller has no such passkey.' },
      async handle({ caller, params: { id } }) {
        await passkeys.remove(caller.user, id)
        return { id, deleted: true as const }
      },
    }),
    on.open('/api/auth/passkey/options', {
      open: 'no-token',
      summary: 'Begins a login with a passkey',
      data: optionsSchema,
      errors: { 409: NO_PARTY },
      handle: async (call) => given(await passkeys.beginLogin(partyOf(call)), 'login'),
    }),
    on.open('/api/auth/passkey', {
      open: 'no-token',
      summary: 'Logs in with a passkey',
      description:
        'Answers as login does. The device must have checked who uses it (PIN, fingerprint, face), so no second factor is asked for.',
      body: usedSchema,
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: {
        401: 'The passkey is unknown, or what the browser answered is wrong or too late.',
        409: NO_PARTY,
        429: TOO_MANY,
      },
      async handle(call) {
        const { body, clientAddress: address } = call
        const note = (who: LoggedIn | null, status: number) =>
          audit.record({
            actor: who?.username ?? null,
            role: who?.role ?? null,
            via: null,
            action: 'POST /api/auth/passkey',
            summary: 'Logs in with a passkey',
            target: who === null ? '' : entered(who),
            address,
            status,
            reseller_id: who?.resellerId ?? null,
          })
        const party = partyOf(call)
        const found = await readCeremony(body.ceremony, 'login', nowSecs(), jwtSecret)
        if (found === null) throw unauthenticated(LOGIN_TOO_LATE)
        const { id, response } = body.credential
        const passkey = { id, response: { ...response, userHandle: response.userHandle ?? '' } }
        try {
          const { challenge, jti, expiresAtSecs } = found
          const spend = () => store.spendOnce(jti, expiresAtSecs)
          const user = await passkeys.login({ party, challenge, spend, passkey, address })
          note(user, 200)
          return await startSession({ ...deps, sessions }, user, call)
        } catch (error) {
          if (isAppError(error) && error.status === 401) note(null, 401)
          throw error
        }
      },
    }),
  ]
}
