import { beforeAll, expect, test } from 'vitest'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Outgoing mail in the API. */
export const mailContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('mail', makeInstance, (shared) => {
    let alice: Awaited<ReturnType<typeof accountClient>>
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
      alice = await accountClient(shared.instance, 'alice')
    })
    const queue = () => shared.instance.host.mail
    const ids = (answer: { body: { data?: unknown } }) =>
      (answer.body.data as { id: string }[]).map(({ id }) => id)

    test('an account sees its own messages, an administrator those of all', async () => {
      const own = queue().put({ username: 'alice', subject: 'Own' }, 'Subject: Own\r\n\r\ntext')
      const other = queue().put({ username: 'bobby', subject: 'Other' }, 'Subject: Other\r\n\r\n')
      const list = await alice.get('/api/mail/1?page=1&per_page=10&sort=subject')
      expect(ids(list)).toEqual([own.id])
      expect((await shared.admin.get('/api/mail?q=Other')).body.data).toMatchObject([
        { id: other.id, username: 'bobby', state: 'kept', size_bytes: other.sizeBytes },
      ])
      expect(ids(await shared.admin.get('/api/mail?state=sent'))).toEqual([])
      expect((await shared.admin.get('/api/mail?state=gone')).status).toBe(400)
      for (const path of ['/api/mail', '/api/mail/status'])
        expect((await alice.get(path)).status).toBe(403)
      expect((await alice.get('/api/mail/2')).status).toBe(404)
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/source'],
        ['POST', '/retry'],
        ['DELETE', ''],
      ] as const)
        expect([
          method,
          path,
          (await alice.send(method, `/api/mail/messages/${other.id}${path}`, undefined)).status,
        ]).toEqual([method, path, 404])
      expect(queue().messages).toContain(other)
    })

    test('what an account writes is for the account alone', async () => {
      const own = queue().put({ username: 'alice' }, 'Subject: Own\r\n\r\na secret')
      const source = `/api/mail/messages/${own.id}/source`
      expect((await alice.get(source)).body.data).toEqual({
        text: 'Subject: Own\r\n\r\na secret',
        truncated: false,
      })
      expect((await shared.admin.get(source)).status).toBe(403)
      const token = await alice.post('/api/tokens', { name: 'robot', scopes: ['read', 'write'] })
      const robot = await shared.instance.fetch(source, {
        headers: { authorization: `Bearer ${(token.body.data as { token: string }).token}` },
      })
      expect(robot.status).toBe(403)
      const gone = queue().put({ username: 'alice', state: 'sent' })
      expect((await alice.get(`/api/mail/messages/${gone.id}/source`)).status).toBe(404)
    })

    test('a message is tried again or removed', async () => {
      const failed = queue().put({ username: 'alice', state: 'failed' }, 'x')
      const path = `/api/mail/messages/${failed.id}`
      expect((await alice.post(`${path}/retry`, undefined)).body.data).toMatchObject({
        state: 'kept',
      })
      const sent = queue().put({ username: 'alice', state: 'sent' })
      expect((await alice.post(`/api/mail/messages/${sent.id}/retry`, undefined)).status).toBe(409)
      expect((await alice.del(path)).body.data).toEqual({ id: failed.id, deleted: true })
      expect((await alice.get(path)).status).toBe(404)
    })

    test('an administrator sends a test message and sees how the queue stands', async () => {
      queue().relay = 'mail.example.com:587'
      const { body } = await shared.admin.post('/api/mail/test', { to: 'me@elsewhere.example' })
      expect(body.data).toMatchObject({ username: null, state: 'queued' })
      const { id } = body.data as { id: string }
      expect((await shared.admin.get(`/api/mail/messages/${id}/source`)).status).toBe(200)
      for (const to of ['me', 'me@localhost', 'a@b.example\r\nBcc: c@d.example'])
        expect((await shared.admin.post('/api/mail/test', { to })).status).toBe(400)
      expect((await shared.admin.get('/api/mail/status')).body.data).toMatchObject({
        relay: 'mail.example.com:587',
        from: 'berth@fake.example',
        counts: { queued: 1 },
        trouble: null,
      })
    })

    test("an account's plan says how much it may send", async () => {
      const { body } = await alice.get('/api/mail/1/settings')
      expect(body.data).toMatchObject({ per_hour: 100, per_day: 1000, sent_last_hour: 0 })
      await shared.admin.send('PATCH', '/api/accounts/1', { plan: 'business' })
      expect((await alice.get('/api/mail/1/settings')).body.data).toMatchObject({ per_hour: 2000 })
      await shared.admin.send('PATCH', '/api/plans/business', { mails_per_hour_limit: 7 })
      // Limits of a plan's accounts are set after the answer.
      await waitFor(async () =>
        expect((await alice.get('/api/mail/1/settings')).body.data).toMatchObject({ per_hour: 7 }),
      )
    })
  })
}
