import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { invite, joinAsNew, newPerson, PERSON_PASSWORD, personClient } from './joining.ts'

/** What ends the access of people, what bounds them, and who sees what of them. */
export const peopleEndsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('people of accounts, and their end', makeInstance, (shared: Shared) => {
    let owner: ApiClient
    let accountId = 0
    let otherId = 0
    let other: ApiClient

    beforeAll(async () => {
      accountId = (await createAccount(shared.admin, 'crew')).id
      otherId = (await createAccount(shared.admin, 'band')).id
      owner = await accountClient(shared.instance, 'crew')
      other = await accountClient(shared.instance, 'band')
      await newPerson(shared.instance, owner, accountId, 'hugo@mail.example', 'reader')
    })

    test('suspension closes the account to its people, who work in others on', async () => {
      const token = await invite(owner, accountId, 'jan@mail.example', 'developer')
      const jan = await joinAsNew(shared.instance, token)
      const made = await jan.post('/api/tokens', { name: 'deploy', scopes: ['read'] })
      const program = apiClient(shared.instance, (made.body.data as { token: string }).token)
      const there = await jan.post('/api/auth/invitation/join', {
        token: await invite(other, otherId, 'jan@mail.example', 'reader'),
      })
      const inOther = apiClient(shared.instance, (there.body.data as { token: string }).token)
      const crew = await inOther.post(`/api/auth/accounts/${accountId}`)
      jan.token = (crew.body.data as { token: string }).token
      expect((await shared.admin.post(`/api/accounts/${accountId}/suspend`)).status).toBe(200)
      expect((await jan.get('/api/auth/me')).status).toBe(401)
      expect((await program.get('/api/domains')).status).toBe(401)
      const elsewhere = await personClient(shared.instance, 'jan@mail.example')
      expect((await elsewhere.get('/api/auth/me')).body.data).toMatchObject({ account_id: otherId })
      expect((await elsewhere.post(`/api/auth/accounts/${accountId}`)).status).toBe(409)
      const onlyThere = { username: 'hugo@mail.example', password: PERSON_PASSWORD }
      expect((await apiClient(shared.instance).post('/api/auth/login', onlyThere)).status).toBe(401)
      expect((await shared.admin.post(`/api/accounts/${accountId}/unsuspend`)).status).toBe(200)
      // What was open before stays closed.
      expect((await jan.get('/api/auth/me')).status).toBe(401)
      expect((await program.get('/api/domains')).status).toBe(401)
      const again = await personClient(shared.instance, 'hugo@mail.example')
      expect((await again.get('/api/auth/me')).body.data).toMatchObject({ account_id: accountId })
      owner = await accountClient(shared.instance, 'crew')
    })

    test('who is an owner no more does not come back by a link made before', async () => {
      const { id } = await createAccount(shared.admin, 'links')
      const links = await accountClient(shared.instance, 'links')
      const look = async (token: string): Promise<number> => {
        const client = apiClient(shared.instance)
        return (await client.post('/api/auth/invitation/look', { token })).status
      }
      const stays = await invite(links, id, 'welcome@mail.example', 'reader')
      const ends = [
        (path: string) => links.send('PATCH', path, { role: 'reader' }),
        (path: string) => links.del(path),
        (path: string) => shared.admin.del(path.replace(`/accounts/${id}`, '')),
      ]
      for (const [index, end] of ends.entries()) {
        const email = `boss${index}@mail.example`
        const boss = await newPerson(shared.instance, links, id, email, 'owner')
        const link = await invite(boss, id, `friend${index}@mail.example`, 'owner')
        expect(await look(link)).toBe(200)
        const { body } = await links.get(`/api/accounts/${id}/people?q=${email}`)
        const [person] = body.data as { id: number }[]
        const ended = await end(`/api/accounts/${id}/people/${person?.id}`)
        expect([email, ended.status, await look(link)]).toEqual([email, 200, 404])
      }
      expect(await look(stays)).toBe(200)
    })

    test('names of people, accounts and administrators never collide', async () => {
      const taken = { username: 'Jan@Mail.example', password: 'correct horse battery' }
      expect((await shared.admin.post('/api/users', taken)).status).toBe(409)
      const boss = { username: 'chief@mail.example', password: 'correct horse battery' }
      expect((await shared.admin.post('/api/users', boss)).status).toBe(200)
      const token = await invite(owner, accountId, 'chief@mail.example', 'reader')
      const answer = { token, name: 'Chief', password: PERSON_PASSWORD }
      const client = apiClient(shared.instance)
      expect((await client.post('/api/auth/invitation', answer)).status).toBe(409)
    })

    test('the plan bounds people and invitations together, also fifty at once', async () => {
      const { id } = await createAccount(shared.admin, 'smallone')
      const small = await accountClient(shared.instance, 'smallone')
      const path = `/api/accounts/${id}/invitations`
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          small.post(path, { email: `p${n}@mail.example`, role: 'reader' }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
      expect(answers.find(({ status }) => status === 403)?.body.error).toContain(
        '5 of the 5 people and invitations',
      )
      const limits = await small.get(`/api/accounts/${id}/limits`)
      expect(limits.body.data).toMatchObject({ people: { used: 5, limit: 5 } })
      const more = { email: 'more@mail.example', role: 'reader' }
      expect((await shared.admin.post(path, more)).status).toBe(200)
      const only = answers.find(({ status }) => status === 200)?.body.data as { token: string }
      const person = await joinAsNew(shared.instance, only.token)
      const gone = await shared.admin.del(`/api/accounts/${id}`)
      expect(gone.status).toBe(200)
      expect((await person.get('/api/auth/me')).status).toBe(401)
      const all = await shared.admin.get('/api/people?q=p')
      expect(JSON.stringify(all.body.data)).not.toContain('"accounts":[]')
    })

    test('an administrator sees all people, takes a second factor off and deletes them', async () => {
      const { body } = await shared.admin.get('/api/people?q=jan@')
      const [jan] = body.data as { id: number; accounts: { username: string }[] }[]
      expect(jan?.accounts.map(({ username }) => username)).toEqual(['band', 'crew'])
      expect((await owner.get('/api/people')).status).toBe(403)
      const change = { second_factor: false }
      const path = `/api/people/${jan?.id}`
      expect((await shared.admin.send('PATCH', path, change)).status).toBe(200)
      const client = await personClient(shared.instance, 'jan@mail.example')
      expect((await shared.admin.del(path)).status).toBe(200)
      expect((await shared.admin.del(path)).status).toBe(404)
      expect((await client.get('/api/auth/me')).status).toBe(401)
    })

    test('the log names the person, and the account sees it among its own', async () => {
      const kim = await newPerson(
        shared.instance,
        owner,
        accountId,
        'kim@mail.example',
        'developer',
      )
      await kim.post('/api/files/mkdir', { account_id: accountId, path: 'public_html/kim' })
      await kim.post('/api/tokens', { name: 'kims', scopes: ['read'] })
      const log = await shared.admin.get('/api/audit?actor=kim@mail.example&per_page=10')
      expect(log.body.data).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ action: 'POST /api/files/mkdir', role: 'account', via: null }),
          expect.objectContaining({ action: 'POST /api/auth/invitation' }),
        ]),
      )
      const activity = await owner.get(`/api/accounts/${accountId}/activity?per_page=10`)
      const actors = (activity.body.data as { actor: string; summary: string }[]).filter(
        ({ actor }) => actor === 'kim@mail.example',
      )
      expect(actors.map(({ summary }) => summary)).toEqual([
        'Makes an API token',
        expect.any(String),
        'Answers an invitation as somebody new',
      ])
    })

    test('an administrator who visits, or an API token, touches no people', async () => {
      const visit = await shared.admin.post(`/api/accounts/${accountId}/login`)
      const visitor = apiClient(shared.instance, (visit.body.data as { token: string }).token)
      const made = await owner.post('/api/tokens', { name: 'program', scopes: ['read', 'write'] })
      const program = apiClient(shared.instance, (made.body.data as { token: string }).token)
      const body = { email: 'lost@mail.example', role: 'owner' }
      for (const client of [visitor, program]) {
        expect((await client.get(`/api/accounts/${accountId}/people`)).status).toBe(200)
        const path = `/api/accounts/${accountId}/invitations`
        expect((await client.post(path, body)).status).toBe(403)
      }
    })
  })
}
