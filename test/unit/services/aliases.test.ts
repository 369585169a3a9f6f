import { beforeEach, describe, expect, test } from 'vitest'
import { conflict } from '#handlers/errors.ts'
import { createAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

describe('alias domains', () => {
  let account: number
  freshApi()
  beforeEach(async () => {
    account = (await createAccount(admin, 'alice')).id
  })

  const add = (domain_name: string, domain_type: string, folder: string) =>
    admin.post('/api/domains', {
      account_id: account,
      domain_name,
      domain_type,
      document_root: `/home/alice/${folder}`,
    })
  const idOf = async (name: string): Promise<number> =>
    (await api.store.domainByName(name))?.id ?? 0
  const hosts = () =>
    Object.fromEntries(
      [...api.host.webServer.hosts.values()].map(({ domain, aliases }) => [domain, aliases]),
    )

  test('are names of the virtual host with the same document root', async () => {
    expect((await add('other.example', 'alias', 'public_html')).status).toBe(200)
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example', 'other.example'] })
    expect((await add('third.example', 'alias', 'public_html')).status).toBe(200)
    expect((await admin.del(`/api/domains/${await idOf('other.example')}`)).status).toBe(200)
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example', 'third.example'] })
    expect(api.host.webServer.purges.flat()).toContain('other.example')
    await admin.post('/api/veloserve/regenerate')
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example', 'third.example'] })
  })

  test('need a site; which is then not deleted before them', async () => {
    const refused = await add('other.example', 'alias', 'shop')
    expect([refused.status, refused.headers.get('x-error-field')]).toEqual([400, 'document_root'])
    expect(refused.body.error).toContain('addon')
    expect(await api.store.domainByName('other.example')).toBeNull()
    await add('shop.example', 'addon', 'shop')
    expect((await add('other.example', 'alias', 'shop')).status).toBe(200)
    const shop = `/api/domains/${await idOf('shop.example')}`
    const kept = await admin.del(shop)
    expect(kept.status).toBe(409)
    expect(kept.body.error).toContain('other.example')
    // A second site with the same root takes the alias over.
    await add('twin.example', 'addon', 'shop')
    expect((await admin.del(shop)).status).toBe(200)
    expect(hosts()).toEqual({
      'alice.example': ['www.alice.example'],
      'twin.example': ['www.twin.example', 'other.example'],
    })
  })

  test('may be the www. name of their site', async () => {
    expect((await add('www.alice.example', 'alias', 'public_html')).status).toBe(200)
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example'] })
    expect((await admin.del(`/api/domains/${await idOf('www.alice.example')}`)).status).toBe(200)
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example'] })
  })

  test('leave nothing behind when the web server refuses them, and go with their account', async () => {
    const before = hosts()
    api.host.inject({ method: 'webServer.apply', when: 'after', error: conflict('refused') })
    expect((await add('other.example', 'alias', 'public_html')).status).toBe(409)
    expect(await api.store.domainByName('other.example')).toBeNull()
    expect(hosts()).toEqual(before)
    await add('other.example', 'alias', 'public_html')
    await admin.post(`/api/accounts/${account}/suspend`)
    expect(api.host.webServer.hosts.get('alice.example')).toMatchObject({
      suspended: true,
      aliases: ['www.alice.example', 'other.example'],
    })
    expect(api.host.webServer.purges.flat()).toContain('other.example')
    expect((await admin.del(`/api/accounts/${account}`)).status).toBe(200)
    expect(hosts()).toEqual({})
  })

  test('that had a host of their own are folded with the next change of the account', async () => {
    await add('other.example', 'alias', 'public_html')
    const whole = api.host.webServer.hosts.get('alice.example')!
    await api.host.webServer.regenerate({
      hosts: [
        { ...whole, aliases: [] },
        { ...whole, domain: 'other.example', aliases: [] },
      ],
    })
    expect((await admin.post(`/api/accounts/${account}/suspend`)).status).toBe(200)
    expect(hosts()).toEqual({ 'alice.example': ['www.alice.example', 'other.example'] })
  })
})
