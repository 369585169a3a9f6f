import { afterEach, beforeEach, expect, it } from 'vitest'
import { joinAsNew } from '#test/contract/access/joining.ts'
import {
  accountClient,
  adminClient,
  apiClient,
  createAccount,
  type ApiClient,
} from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from './api-node.ts'

let api: NodeApi
let owner: ApiClient
let otherOwner: ApiClient

const open = async (panelUrl: string | null): Promise<void> => {
  api = await makeNodeApi({ panelUrl })
  const admin = await adminClient(api)
  await createAccount(admin, 'crew')
  await createAccount(admin, 'band')
  owner = await accountClient(api, 'crew')
  otherOwner = await accountClient(api, 'band')
  api.host.mail.relay = 'relay.example:587'
}
beforeEach(() => open('https://panel.example:7070'))
afterEach(() => api.close())

const invite = async (by: ApiClient, account: number, email: string, language = '') => {
  const response = await api.fetch(`/api/accounts/${account}/invitations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by.token ?? ''}`,
      'content-type': 'application/json',
      'accept-language': language,
    },
    body: JSON.stringify({ email, role: 'developer' }),
  })
  const { data } = (await response.json()) as { data: { token: string; mailed: boolean } }
  return data
}

it("sends the link in the language of who invites, and to who is known in that one's own", async () => {
  const { token, mailed } = await invite(owner, 1, 'Anna@Mail.example', 'de-DE,de;q=0.9')
  expect(mailed).toBe(true)
  expect(api.host.mail.submitted).toEqual([
    {
      to: 'anna@mail.example',
      subject: 'Berth: Einladung zu crew (crew.example)',
      text: expect.stringContaining(`https://panel.example:7070/invitation#${token}\n`),
    },
  ])
  const anna = await joinAsNew(api, token, 'Anna')
  await anna.send('PATCH', '/api/notifications/preferences', { language: 'en' })
  expect(await invite(otherOwner, 2, 'anna@mail.example', 'de')).toMatchObject({ mailed: true })
  expect(api.host.mail.submitted.at(-1)?.subject).toBe('Berth: invitation to band (band.example)')
})

it('tells who invites nothing of who has a login', async () => {
  await joinAsNew(api, (await invite(owner, 1, 'anna@mail.example')).token, 'Anna')
  const seen = async (email: string) => {
    const { token, ...made } = await invite(otherOwner, 2, email)
    const { body } = await apiClient(api).post('/api/auth/invitation/look', { token })
    return JSON.stringify([{ ...made, id: 0 }, body]).replaceAll(email, 'x')
  }
  expect(await seen('anna@mail.example')).toBe(await seen('nobody@mail.example'))
  // Trying to answer for somebody is bounded as guessing of passwords is.
  const { token } = await invite(otherOwner, 2, 'anna@mail.example')
  const answer = { token, name: 'Not Anna', password: 'a long password' }
  const statuses = []
  for (let tries = 0; tries < 6; tries += 1)
    statuses.push((await apiClient(api).post('/api/auth/invitation', answer)).status)
  expect(statuses).toEqual([409, 409, 409, 409, 409, 429])
})

it('floods nobody: of one account and to one address go few in an hour', async () => {
  const sent = async (email: string) => (await invite(owner, 1, email)).mailed
  for (const wanted of [true, true, true, false]) expect(await sent('a@mail.example')).toBe(wanted)
  expect((await invite(otherOwner, 2, 'a@mail.example')).mailed).toBe(false)
  api.clock.advanceSecs(3600)
  expect(await sent('a@mail.example')).toBe(true)
  const before = api.host.mail.submitted.length
  for (let n = 0; n < 4; n += 1) await sent(`b${n}@mail.example`)
  expect(api.host.mail.submitted.length - before).toBe(4)
})

it('is made also where no mail can go out', async () => {
  api.host.mail.relay = null
  expect(await invite(owner, 1, 'a@mail.example')).toMatchObject({ mailed: false })
  await api.close()
  // Whoever asks may name any host: a link in a mail is never made of that.
  await open(null)
  expect(await invite(owner, 1, 'a@mail.example')).toMatchObject({ mailed: false })
  expect(api.host.mail.submitted).toEqual([])
})
