import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { invite, joinAsNew, newPerson, PERSON_PASSWORD, personClient } from './joining.ts'

interface Member {
  id: number
  email: string
  role: string
  [field: string]: unknown
}

/** People of accounts: invited, at work in one account after another, removed. */
export const peopleContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('people of accounts', makeInstance, (shared: Shared) => {
    let owner: ApiClient
    let accountId = 0
    let otherId = 0
    let other: ApiClient
    const membersOf = async (id: number, by = shared.admin): Promise<Member[]> => {
      const { status, body } = await by.get(`/api/accounts/${id}/people`)
      expect(status).toBe(200)
      return body.data as Member[]
    }
    const memberId = async (id: number, email: string): Promise<number> =>
      (await membersOf(id)).find((one) => one.email === email)?.id ?? 0

    beforeAll(async () => {
      accountId = (await createAccount(shared.admin, 'crew')).id
      otherId = (await createAccount(shared.admin, 'band')).id
      for (const id of [accountId, otherId])
        await shared.admin.send('PATCH', `/api/accounts/${id}`, { plan: 'business' })
      owner = await accountClient(shared.instance, 'crew')
      other = await accountClient(shared.instance, 'band')
    })

    test('an invitation says what it is for, makes a person and counts once', async () => {
      const token = await invite(owner, accountId, 'Anna@Mail.Example', 'developer')
      const anybody = apiClient(shared.instance)
      expect((await anybody.post('/api/auth/invitation/look', { token })).body.data).toEqual({
        email: 'anna@mail.example',
        role: 'developer',
        account: 'crew',
        primary_domain: 'crew.example',
        invited_by: 'crew',
        expires_at: expect.any(String),
      })
      const anna = await joinAsNew(shared.instance, token, 'Anna')
      expect((await anna.get('/api/auth/me')).body.data).toEqual({
        username: 'anna@mail.example',
        role: 'account',
        account_id: accountId,
        member: 'developer',
        person: { id: expect.any(Number), name: 'Anna' },
      })
      const again = { token, name: 'Mallory', password: PERSON_PASSWORD }
      expect((await anybody.post('/api/auth/invitation', again)).status).toBe(404)
      expect((await anybody.post('/api/auth/invitation/look', { token })).status).toBe(404)
      expect(await membersOf(accountId, owner)).toMatchObject([
        { email: 'anna@mail.example', name: 'Anna', role: 'developer', second_factor: false },
      ])
      expect((await owner.get(`/api/accounts/${accountId}/invitations`)).body.data).toEqual([])
    })

    test('the login is the address in whatever case, and the JWT is as ever', async () => {
      const { token } = await personClient(shared.instance, 'ANNA@mail.example')
      const [, payload = ''] = (token ?? '').split('.')
      const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
      expect(claims).toEqual({
        sub: expect.stringMatching(/^person:\d+$/),
        name: 'anna@mail.example',
        role: 'account',
        account_id: accountId,
        iat: expect.any(Number),
        exp: expect.any(Number),
        jti: expect.any(String),
      })
    })

    test('wrong passwords of persons and of nobody read the same, and are counted', async () => {
      const client = apiClient(shared.instance)
      const attempt = async (username: string): Promise<[number, string | undefined]> => {
        const answer = await client.post('/api/auth/login', { username, password: 'wrong one' })
        return [answer.status, answer.body.error]
      }
      expect(await attempt('anna@mail.example')).toEqual(await attempt('nobody@mail.example'))
      for (let n = 0; n < 4; n++) await attempt('anna@mail.example')
      expect((await attempt('anna@mail.example'))[0]).toBe(429)
    })

    test('invitations of one account are nothing to another, and end when revoked', async () => {
      const token = await invite(owner, accountId, 'late@mail.example', 'reader')
      const { body } = await owner.get(`/api/accounts/${accountId}/invitations`)
      const [{ id } = { id: 0 }] = body.data as { id: number }[]
      expect(JSON.stringify(body)).not.toContain(token)
      expect((await other.del(`/api/accounts/${otherId}/invitations/${id}`)).status).toBe(404)
      expect((await other.del(`/api/accounts/${accountId}/invitations/${id}`)).status).toBe(404)
      expect((await owner.del(`/api/accounts/${accountId}/invitations/${id}`)).status).toBe(200)
      const answer = { token, name: 'Late', password: PERSON_PASSWORD }
      const late = await apiClient(shared.instance).post('/api/auth/invitation', answer)
      expect(late.status).toBe(404)
    })

    test('a later invitation of an address ends the earlier, and members are not invited', async () => {
      const first = await invite(owner, accountId, 'twice@mail.example', 'owner')
      const second = await invite(owner, accountId, 'twice@mail.example', 'reader')
      const anybody = apiClient(shared.instance)
      expect((await anybody.post('/api/auth/invitation/look', { token: first })).status).toBe(404)
      await joinAsNew(shared.instance, second)
      const again = { email: 'TWICE@mail.example', role: 'owner' }
      expect((await owner.post(`/api/accounts/${accountId}/invitations`, again)).status).toBe(409)
    })

    test('fifty answers at once make one person', async () => {
      const token = await invite(shared.admin, otherId, 'race@mail.example', 'reader')
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          shared.instance.fetch(
            '/api/auth/invitation',
            {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ token, name: `Racer ${n}`, password: PERSON_PASSWORD }),
            },
            `203.0.113.${n}`,
          ),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(await membersOf(otherId, other)).toHaveLength(1)
    })

    test('a person who is logged in joins another account, goes to and fro, and sees one at a time', async () => {
      const dora = await newPerson(shared.instance, owner, accountId, 'dora@mail.example', 'reader')
      const token = await invite(other, otherId, 'dora@mail.example', 'developer')
      const anybody = apiClient(shared.instance)
      const fresh = { token, name: 'Not Dora', password: 'another password' }
      expect((await anybody.post('/api/auth/invitation', fresh)).status).toBe(409)
      expect((await other.post('/api/auth/invitation/join', { token })).status).toBe(409)
      const before = apiClient(shared.instance, dora.token)
      const joined = await dora.post('/api/auth/invitation/join', { token })
      expect(joined.body.data).toMatchObject({ user: { account_id: otherId, member: 'developer' } })
      expect((await before.get('/api/auth/me')).status).toBe(401)
      dora.token = (joined.body.data as { token: string }).token
      expect((await dora.get(`/api/accounts/${accountId}`)).status).toBe(404)
      expect((await dora.get('/api/auth/accounts')).body.data).toEqual([
        expect.objectContaining({ username: 'band', role: 'developer', current: true }),
        expect.objectContaining({ username: 'crew', role: 'reader', current: false }),
      ])
      expect((await dora.post('/api/auth/accounts/4711')).status).toBe(404)
      const back = await dora.post(`/api/auth/accounts/${accountId}`)
      expect(back.body.data).toMatchObject({ user: { account_id: accountId, member: 'reader' } })
      dora.token = (back.body.data as { token: string }).token
      expect((await dora.get(`/api/accounts/${otherId}`)).status).toBe(404)
      // The next login begins where the person worked last.
      const later = await personClient(shared.instance, 'dora@mail.example')
      expect((await later.get('/api/auth/me')).body.data).toMatchObject({ account_id: accountId })
      expect((await later.del(`/api/auth/accounts/${accountId}`)).body.data).toEqual({
        account_id: accountId,
        left: true,
      })
      expect((await dora.get('/api/auth/me')).status).toBe(401)
      const rest = await personClient(shared.instance, 'dora@mail.example')
      expect((await rest.get('/api/auth/me')).body.data).toMatchObject({ account_id: otherId })
    })

    test('another role ends sessions and tokens of the person there, and counts from then on', async () => {
      const eva = await newPerson(
        shared.instance,
        owner,
        accountId,
        'eva@mail.example',
        'developer',
      )
      const made = await eva.post('/api/tokens', { name: 'deploy', scopes: ['write'] })
      const program = apiClient(shared.instance, (made.body.data as { token: string }).token)
      const folder = { account_id: accountId, path: 'public_html/eva' }
      expect((await program.post('/api/files/mkdir', folder)).status).toBe(200)
      const id = await memberId(accountId, 'eva@mail.example')
      const path = `/api/accounts/${accountId}/people/${id}`
      expect((await eva.send('PATCH', path, { role: 'owner' })).status).toBe(403)
      expect((await other.send('PATCH', path, { role: 'owner' })).status).toBe(404)
      const there = `/api/accounts/${otherId}/people/${id}`
      expect((await other.send('PATCH', there, { role: 'owner' })).status).toBe(404)
      expect((await owner.send('PATCH', path, { role: 'reader' })).body.data).toMatchObject({
        role: 'reader',
      })
      expect((await eva.get('/api/auth/me')).status).toBe(401)
      expect((await program.get('/api/domains')).status).toBe(401)
      const later = await personClient(shared.instance, 'eva@mail.example')
      expect((await later.get('/api/domains')).status).toBe(200)
      const { status, body } = await later.post('/api/files/mkdir', folder)
      expect([status, body.error]).toEqual([
        403,
        expect.stringContaining('the role developer or owner in the account; yours is reader'),
      ])
    })

    test('extra fields raise nobody', async () => {
      const token = await invite(owner, accountId, 'fred@mail.example', 'reader')
      const answer = await apiClient(shared.instance).send(
        'POST',
        '/api/auth/invitation',
        `{"token":"${token}","name":"Fred","password":"${PERSON_PASSWORD}","role":"owner","account_id":${otherId},"__proto__":{"role":"owner"}}`,
      )
      if (answer.status === 200) {
        expect(answer.body.data).toMatchObject({
          user: { member: 'reader', account_id: accountId },
        })
      } else expect(answer.status).toBe(400)
      const fred = answer.status === 200 ? null : await joinAsNew(shared.instance, token)
      const client =
        fred ?? apiClient(shared.instance, (answer.body.data as { token: string }).token)
      // A token for the account itself would be an owner's.
      const made = await client.post('/api/tokens', {
        name: 'raise',
        scopes: ['write'],
        account_id: accountId,
      })
      const program = apiClient(shared.instance, (made.body.data as { token: string }).token)
      const folder = { account_id: accountId, path: 'public_html/fred' }
      expect((await program.post('/api/files/mkdir', folder)).status).toBe(403)
      const foreign = { name: 'raise', scopes: ['read'], account_id: otherId }
      expect((await client.post('/api/tokens', foreign)).status).toBe(404)
    })

    test("nobody sees or ends another's sessions and tokens in the same account", async () => {
      const gina = await newPerson(shared.instance, owner, accountId, 'gina@mail.example', 'owner')
      const hugo = await newPerson(shared.instance, owner, accountId, 'hugo@mail.example', 'reader')
      const own = await gina.get('/api/sessions')
      const [session] = own.body.data as { id: number; owner: string; account_id: number }[]
      expect(session).toMatchObject({ owner: 'gina@mail.example', account_id: accountId })
      const token = await gina.post('/api/tokens', { name: 'own', scopes: ['read'] })
      const { id } = token.body.data as { id: number }
      for (const client of [hugo, owner, other]) {
        expect((await client.del(`/api/sessions/${session?.id}`)).status).toBe(404)
        expect((await client.del(`/api/tokens/${id}`)).status).toBe(404)
        const sessions = JSON.stringify((await client.get('/api/sessions')).body.data)
        expect(sessions).not.toContain('gina')
        expect(JSON.stringify((await client.get('/api/tokens')).body.data)).not.toContain('gina')
      }
      expect((await gina.del(`/api/tokens/${id}`)).status).toBe(200)
      expect((await shared.admin.del(`/api/sessions/${session?.id}`)).status).toBe(200)
      expect((await gina.get('/api/auth/me')).status).toBe(401)
    })

    test('an owner manages people, others do not, and the account itself stays when all owners are gone', async () => {
      const gina = await personClient(shared.instance, 'gina@mail.example')
      const fred = await memberId(accountId, 'fred@mail.example')
      const path = `/api/accounts/${accountId}/people`
      const hugo = await personClient(shared.instance, 'hugo@mail.example')
      expect((await hugo.get(path)).status).toBe(403)
      expect((await hugo.del(`${path}/${fred}`)).status).toBe(403)
      expect((await gina.del(`${path}/${fred}`)).body.data).toEqual({
        id: fred,
        removed: true,
        person_gone: true,
      })
      expect((await gina.del(`${path}/${fred}`)).status).toBe(404)
      const self = await memberId(accountId, 'gina@mail.example')
      expect((await gina.del(`${path}/${self}`)).status).toBe(200)
      expect((await gina.get('/api/auth/me')).status).toBe(401)
      expect((await owner.get('/api/auth/me')).body.data).toMatchObject({ member: 'owner' })
    })

    test('password and second factor are the own, and change nothing of the account', async () => {
      const ida = await newPerson(shared.instance, owner, accountId, 'ida@mail.example', 'reader')
      const change = { current_password: PERSON_PASSWORD, new_password: 'my second password' }
      const answer = await ida.post('/api/auth/password', change)
      expect(answer.body.data).toMatchObject({ user: { account_id: accountId, member: 'reader' } })
      expect((await ida.get('/api/auth/me')).status).toBe(401)
      expect((await accountClient(shared.instance, 'crew')).token).not.toBeNull()
      const client = apiClient(shared.instance)
      const login = { username: 'ida@mail.example', password: 'my second password' }
      expect((await client.post('/api/auth/login', login)).status).toBe(200)
    })
  })
}
