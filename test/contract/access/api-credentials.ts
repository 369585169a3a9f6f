import { afterEach, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { apiClient, createAccount, newAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'
import type { CredentialEvent, Kept, Subject } from './credential-events.ts'
import {
  ACCOUNT_EVENTS,
  ADMIN_EVENTS,
  codeOf,
  dataOf,
  factorOn,
  login,
  PASSWORD,
  SECOND,
} from './credential-events.ts'
import { holdStream, holdUpload } from '../frame/held-requests.ts'

const status = async (client: ApiClient): Promise<number> =>
  (await client.get('/api/auth/me')).status
const verdict = (kept: boolean): number => (kept ? 200 : 401)

/** Every credential of a user, and every event that may end it. */
export const credentialsContract = (makeInstance: MakeApiInstance): void => {
  let made = 0

  const makeAccount = async (shared: Shared): Promise<Subject> => {
    const username = `user${++made}`
    const { id } = await createAccount(shared.admin, username)
    await shared.admin.send('PATCH', `/api/accounts/${id}`, { password: PASSWORD })
    const client = await login(shared.instance, username)
    return { id, username, client, path: `/api/accounts/${id}` }
  }
  const makeAdmin = async (shared: Shared): Promise<Subject> => {
    const username = `admin${++made}`
    const user = { username, password: PASSWORD }
    const { id } = dataOf<{ id: number }>(await shared.admin.post('/api/users', user))
    const client = await login(shared.instance, username)
    return { id, username, client, path: `/api/users/${id}` }
  }
  const tokenOf = async ({ client }: Subject, { instance }: Shared): Promise<ApiClient> => {
    const body = { name: 'ci', scopes: ['read', 'write'] }
    const answer = await client.post('/api/tokens', body)
    return apiClient(instance, dataOf<{ token: string }>(answer).token)
  }

  /** What was begun with each credential goes on, or ends, as the credential does. */
  const matrix = (
    shared: Shared,
    make: (shared: Shared) => Promise<Subject>,
    event: CredentialEvent,
  ): void => {
    test(event.name, async () => {
      const subject = await make(shared)
      await event.prepare?.(subject, shared)
      const isAccount = subject.path.startsWith('/api/accounts')
      const accountId = isAccount ? subject.id : (await makeAccount(shared)).id
      const token = await tokenOf(subject, shared)
      const clients: (readonly [keyof Kept, ApiClient])[] = [
        ['session', subject.client],
        ['token', token],
      ]
      // A visit ends with either of both: the account's own rights, and the administrator's.
      const visitor = isAccount ? shared.admin : subject.client
      const visit = await visitor.post(`/api/accounts/${accountId}/login`)
      const visiting = apiClient(shared.instance, dataOf<{ token: string }>(visit).token)
      clients.push(['visit', visiting])
      for (const [, client] of clients) expect(await status(client)).toBe(200)

      const held = await Promise.all(
        clients.map(async ([kind, client]) => ({
          kind,
          stream: await holdStream(shared.instance, client),
          upload: await holdUpload(shared.instance, client, accountId, `${kind}.bin`),
        })),
      )
      expect(await event.run(subject, shared)).toBe(200)

      for (const [kind, client] of clients) {
        expect([kind, await status(client)]).toEqual([kind, verdict(event.kept[kind])])
      }
      const wake = () =>
        shared.admin.send('POST', '/api/accounts', newAccount(`waker${++made}`), {
          prefer: 'respond-async',
        })
      await wake()
      for (const { kind, stream, upload } of held) {
        expect([kind, 'stream', await stream.goesOn(wake)]).toEqual([
          kind,
          'stream',
          event.kept[kind],
        ])
        expect([kind, 'upload', await upload.finish()]).toEqual([
          kind,
          'upload',
          verdict(event.kept[kind]),
        ])
      }
      const files = await shared.admin.get(
        `/api/files/list?account_id=${accountId}&path=public_html`,
      )
      const names = files.status === 200 ? dataOf<{ name: string }[]>(files) : []
      for (const { kind } of held) {
        expect(names.some(({ name }) => name === `${kind}.bin`)).toBe(event.kept[kind])
      }
    })
  }

  /** The licence has room for a few accounts alone. */
  const clear = async ({ admin }: Shared): Promise<void> => {
    await expect
      .poll(async () => {
        for (const { id } of dataOf<{ id: number }[]>(await admin.get('/api/accounts')))
          await admin.del(`/api/accounts/${id}`)
        return dataOf<object[]>(await admin.get('/api/accounts')).length
      })
      .toBe(0)
  }

  apiGroup('an account’s credentials after', makeInstance, (shared) => {
    afterEach(() => clear(shared))
    for (const event of ACCOUNT_EVENTS) matrix(shared, makeAccount, event)
  })
  apiGroup('an administrator’s credentials after', makeInstance, (shared) => {
    afterEach(() => clear(shared))
    for (const event of ADMIN_EVENTS) matrix(shared, makeAdmin, event)
  })

  apiGroup('a second factor', makeInstance, (shared) => {
    afterEach(() => clear(shared))

    test('outlives a reset, a suspension and a new password of its owner', async () => {
      const subject = await makeAccount(shared)
      const { other } = await factorOn(subject, shared)
      const needed = async (password: string) => {
        const user = { username: subject.username, password }
        const answer = await apiClient(shared.instance).post('/api/auth/login', user)
        return [answer.status, answer.headers.get('x-error-field')]
      }
      const own = { current_password: PASSWORD, new_password: SECOND }
      expect((await other.post('/api/auth/password', own)).status).toBe(200)
      expect(await needed(SECOND)).toEqual([401, 'totp'])
      await shared.admin.send('PATCH', subject.path, { password: PASSWORD })
      expect(await needed(PASSWORD)).toEqual([401, 'totp'])
      await shared.admin.post(`${subject.path}/suspend`)
      expect(await needed(PASSWORD)).toEqual([401, null])
      await shared.admin.post(`${subject.path}/unsuspend`)
      expect(await needed(PASSWORD)).toEqual([401, 'totp'])
    })

    test('that was taken off leaves no code and no enrolment that counts', async () => {
      const subject = await makeAccount(shared)
      const { secret, recovery } = await factorOn(subject, shared)
      await shared.admin.del(`${subject.path}/totp`)
      const client = await login(shared.instance, subject.username)
      const stale = await client.post('/api/auth/totp/confirm', { code: codeOf(shared, secret, 1) })
      expect(stale.status).toBe(409)
      await factorOn(subject, shared)
      const user = { username: subject.username, password: PASSWORD }
      for (const totp of [recovery, codeOf(shared, secret, 1)]) {
        const answer = await client.post('/api/auth/login', { ...user, totp })
        expect([answer.status, answer.headers.get('x-error-field')]).toEqual([401, 'totp'])
      }
    })
  })
}
