import { TOTP } from 'otpauth'
import { expect } from 'vitest'
import type { ApiClient, ApiInstance } from '../frame/api-instance.ts'
import { apiClient } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'

/** Of every user before an event. */
export const PASSWORD = 'the first password'
/** What an event sets in its place. */
export const SECOND = 'the second password'

/** Which credentials of a user still count after an event. */
export interface Kept {
  session: boolean
  /** Asked for account users alone. */
  visit: boolean
  token: boolean
}

/** The user to whom things happen, with a fresh session. */
export interface Subject {
  id: number
  username: string
  client: ApiClient
  /** Where an administrator changes it. */
  path: string
}

/** Something that happens to a user, and what of it must end. */
export interface CredentialEvent {
  name: string
  kept: Kept
  /** What must hold before; the subject's session is a fresh one afterwards. */
  prepare?(subject: Subject, shared: Shared): Promise<void>
  run(subject: Subject, shared: Shared): Promise<number>
}

const ALL: Kept = { session: true, visit: true, token: true }
const NONE: Kept = { session: false, visit: false, token: false }
const TOKENS: Kept = { ...NONE, token: true }

/** `data` of an answer. */
export const dataOf = <T>({ body }: { body: { data?: unknown } }): T => body.data as T
/** A session of somebody whose password is `PASSWORD`. */
export const login = async (instance: ApiInstance, username: string): Promise<ApiClient> => {
  const client = apiClient(instance)
  const answer = await client.post('/api/auth/login', { username, password: PASSWORD })
  expect(answer.status).toBe(200)
  client.token = dataOf<{ token: string }>(answer).token
  return client
}

/** The code of a second factor at the time of the panel, `steps` of half a minute later. */
export const codeOf = ({ instance }: Shared, secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({
    timestamp:
      ('clock' in instance ? (instance.clock as { nowMs(): number }).nowMs() : Date.now()) +
      steps * 30_000,
  })

/** Another session of the subject enrols and confirms; answers the secret, and that session's successor. */
export const factorOn = async ({ username }: Subject, shared: Shared) => {
  const other = await login(shared.instance, username)
  const { secret } = dataOf<{ secret: string }>(
    await other.post('/api/auth/totp', { password: PASSWORD }),
  )
  const on = await other.post('/api/auth/totp/confirm', { code: codeOf(shared, secret) })
  const { token, recovery_codes } = dataOf<{ token: string; recovery_codes: string[] }>(on)
  other.token = token
  return { secret, other, recovery: recovery_codes[0] ?? '', status: on.status }
}

const changeOwn = async ({ username }: Subject, { instance }: Shared, more: object) => {
  const other = await login(instance, username)
  const body = { current_password: PASSWORD, new_password: SECOND, ...more }
  return (await other.post('/api/auth/password', body)).status
}

const secrets = new Map<string, string>()
const withFactor = async (subject: Subject, shared: Shared): Promise<void> => {
  const { other, secret } = await factorOn(subject, shared)
  subject.client = other
  secrets.set(subject.username, secret)
}

/** Those that may happen to every user. */
const EVENTS: readonly CredentialEvent[] = [
  { name: 'own password', kept: NONE, run: (who, shared) => changeOwn(who, shared, {}) },
  {
    name: 'own password, tokens not kept',
    kept: NONE,
    run: (who, shared) => changeOwn(who, shared, { keep_tokens: false }),
  },
  {
    name: 'own password, tokens kept',
    kept: TOKENS,
    run: (who, shared) => changeOwn(who, shared, { keep_tokens: true }),
  },
  {
    name: 'reset of the password',
    kept: NONE,
    run: async ({ path }, { admin }) =>
      (await admin.send('PATCH', path, { password: SECOND })).status,
  },
  {
    name: 'deletion',
    kept: NONE,
    run: async ({ path }, { admin }) => (await admin.del(path)).status,
  },
  {
    name: 'second factor on',
    kept: TOKENS,
    run: async (who, shared) => (await factorOn(who, shared)).status,
  },
  {
    name: 'second factor off',
    kept: ALL,
    prepare: withFactor,
    async run({ username, client }, shared) {
      const code = codeOf(shared, secrets.get(username) ?? '', 1)
      return (await client.del('/api/auth/totp', { password: PASSWORD, code })).status
    },
  },
]

/** Those of accounts. */
export const ACCOUNT_EVENTS: readonly CredentialEvent[] = [
  ...EVENTS,
  {
    name: 'own password by changing the account',
    kept: NONE,
    run: async ({ username, path }, { instance }) => {
      const body = { current_password: PASSWORD, password: SECOND }
      return (await (await login(instance, username)).send('PATCH', path, body)).status
    },
  },
  {
    name: 'suspension',
    kept: NONE,
    run: async ({ path }, { admin }) => (await admin.post(`${path}/suspend`)).status,
  },
  {
    name: 'suspension that is lifted again',
    kept: NONE,
    async run({ path }, { admin }) {
      await admin.post(`${path}/suspend`)
      return (await admin.post(`${path}/unsuspend`)).status
    },
  },
  {
    name: 'another role in what its user sends',
    kept: ALL,
    async run({ path, client }, { admin }) {
      // There is no way from one role to the other: refused or ignored, it changes no right.
      await client.send('PATCH', path, { email: 'new@mail.example', role: 'admin' })
      await admin.send('PATCH', path, { email: 'new@mail.example', role: 'admin' })
      expect((await client.get('/api/users')).status).toBe(403)
      return dataOf<{ role: string }>(await client.get('/api/auth/me')).role === 'account' ? 200 : 0
    },
  },
  {
    name: 'second factor taken off by an administrator',
    kept: ALL,
    prepare: withFactor,
    run: async ({ path }, { admin }) => (await admin.del(`${path}/totp`)).status,
  },
]

/** Those of administrators. */
export const ADMIN_EVENTS: readonly CredentialEvent[] = [
  ...EVENTS,
  {
    name: 'locking',
    kept: NONE,
    run: async ({ path }, { admin }) =>
      (await admin.send('PATCH', path, { status: 'locked' })).status,
  },
  {
    name: 'locking that is lifted again',
    kept: NONE,
    async run({ path }, { admin }) {
      await admin.send('PATCH', path, { status: 'locked' })
      return (await admin.send('PATCH', path, { status: 'active' })).status
    },
  },
  {
    name: 'second factor taken off by another',
    kept: ALL,
    prepare: withFactor,
    run: async ({ path }, { admin }) =>
      (await admin.send('PATCH', path, { second_factor: false })).status,
  },
  {
    name: 'another name',
    kept: ALL,
    run: async ({ path }, { admin }) =>
      (await admin.send('PATCH', path, { username: `n${crypto.randomUUID().slice(0, 8)}` })).status,
  },
]
