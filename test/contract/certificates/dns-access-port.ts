import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DnsAccessPort, NewDnsAccess } from '#handlers/ports/host/dns-access.ts'

/** A port with two accounts, and access that a server takes. */
export interface DnsAccessPortSubject {
  dnsAccess: DnsAccessPort
  username: string
  otherUsername: string
  access: Omit<NewDnsAccess, 'name'>
  /** What of an access leads to nobody who answers. */
  silent: Partial<NewDnsAccess>
  /** A secret that nobody takes; null: it cannot be changed. */
  wrong: string | null
  dispose(): Promise<void>
}

/** What every implementation of `DnsAccessPort` keeps to. */
export const dnsAccessPortContract = (
  label: string,
  create: () => Promise<DnsAccessPortSubject>,
): void => {
  describe(`DnsAccessPort: ${label}`, () => {
    let subject: DnsAccessPortSubject
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject?.dispose())
    const add = (name: string, username: string | null, change: Partial<NewDnsAccess> = {}) =>
      subject.dnsAccess.add({ username, access: { ...subject.access, name, ...change } })

    test('what is added is listed by name, without what opens it, for its owner alone', async () => {
      const { username, otherUsername, access, dnsAccess } = subject
      const { secret, ...shown } = access
      const made = await add('second', username)
      const target = access.kind === 'acme-dns' ? expect.stringMatching(/^[a-z0-9.-]+$/) : null
      expect(made).toEqual({ ...shown, name: 'second', target, created_at: expect.any(String) })
      await add('first', username)
      await add('first', null)
      const list = await dnsAccess.list({ username })
      expect(list.map(({ name }) => name)).toEqual(['first', 'second'])
      if (secret !== null) expect(JSON.stringify(list)).not.toContain(secret)
      expect(await dnsAccess.list({ username: otherUsername })).toEqual([])
      expect(await dnsAccess.list({ username: null })).toHaveLength(1)
    })

    test('a name is taken once, a server has to answer, and an account has to be there', async () => {
      const { username, silent, dnsAccess } = subject
      await expect(add('first', username)).rejects.toMatchObject({ status: 409 })
      await expect(add('third', username, silent)).rejects.toMatchObject({
        status: 503,
      })
      for (const work of [() => add('a', 'nobody9'), () => dnsAccess.list({ username: 'nobody9' })])
        await expect(work()).rejects.toMatchObject({ status: 404 })
      expect(await dnsAccess.list({ username })).toHaveLength(2)
    })

    test('a change is tried first, and what does not fit changes nothing', async () => {
      const { username, otherUsername, access, dnsAccess, wrong } = subject
      const change = (secret: string, of: string | null = username) =>
        dnsAccess.change({ username: of, name: 'second', change: { secret } })
      const before = await dnsAccess.list({ username })
      if (wrong === null || access.secret === null) {
        await expect(change('a-new-secret-0123456789')).rejects.toMatchObject({ status: 400 })
      } else {
        await expect(change(wrong)).rejects.toMatchObject({ status: 503 })
        await expect(change('not one!')).rejects.toMatchObject({ status: 400 })
        const changed = await change(access.secret)
        expect(changed).toEqual(before.find(({ name }) => name === 'second'))
      }
      await expect(change(wrong ?? 'x', otherUsername)).rejects.toMatchObject({ status: 404 })
      expect(await dnsAccess.list({ username })).toEqual(before)
    })

    test('removed is forgotten, and no more than that', async () => {
      const { username, dnsAccess } = subject
      await dnsAccess.remove({ username, name: 'first' })
      expect((await dnsAccess.list({ username })).map(({ name }) => name)).toEqual(['second'])
      expect(await dnsAccess.list({ username: null })).toHaveLength(1)
      await expect(dnsAccess.remove({ username, name: 'first' })).rejects.toMatchObject({
        status: 404,
      })
    })
  })
}
