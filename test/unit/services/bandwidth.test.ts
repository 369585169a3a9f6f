import { beforeEach, describe, expect, test } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import { ADMIN, createAccount } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

const MB = 1_000_000
/** The fake web server counts for the primary domain. */
const DOMAIN = 'alice.example'

describe('bandwidth of an account', () => {
  let id: number
  freshApi()
  beforeEach(async () => {
    id = (await createAccount(admin, 'alice')).id
    await api.store.updateAccount(id, { bandwidth_quota_mb: 2 })
  })

  const send = async (bytes: number): Promise<void> => {
    api.host.webServer.sent = { [DOMAIN]: bytes, 'nobody.test': 5 }
    await api.app.collectTraffic()
  }
  const isClosed = (): boolean | undefined => api.host.webServer.hosts.get(DOMAIN)?.overBandwidth
  const usedMb = async (): Promise<unknown> => {
    const { body } = await admin.get(`/api/accounts/${id}`)
    return (body.data as { bandwidth_used_mb: number }).bandwidth_used_mb
  }

  test('is summed up and shown', async () => {
    await send(MB)
    await send(MB / 2)
    expect(await usedMb()).toBe(1)
    expect(isClosed()).toBe(false)
  })

  test('closes the sites at the quota and opens them when the next month begins', async () => {
    await send(MB)
    await send(MB)
    expect(isClosed()).toBe(true)
    expect((await api.store.accountById(id))?.bandwidth_state).toBe('exceeded')
    api.clock.advanceSecs(32 * 86_400)
    await send(0)
    expect(isClosed()).toBe(false)
    // The administrator's session is over by then.
    const { body } = await admin.post('/api/auth/login', ADMIN)
    admin.token = (body.data as { token: string }).token
    expect(await usedMb()).toBe(0)
  })

  test('opens them when the quota is raised; a quota of 0 is none', async () => {
    await send(5 * MB)
    expect(isClosed()).toBe(true)
    await api.store.updateAccount(id, { bandwidth_quota_mb: 6 })
    await send(0)
    expect(isClosed()).toBe(false)
    await send(MB)
    expect(isClosed()).toBe(true)
    await api.store.updateAccount(id, { bandwidth_quota_mb: 0 })
    await send(MB)
    expect(isClosed()).toBe(false)
  })

  test('closes them later when the web server cannot be told at once', async () => {
    api.host.inject({ method: 'webServer.apply', when: 'before', error: unavailable('away') })
    await send(2 * MB)
    expect(isClosed()).toBe(false)
    await send(0)
    expect(isClosed()).toBe(true)
  })

  test('counts a batch once when it is handed over again', async () => {
    await send(MB)
    const batch = await api.store.trafficBatch()
    // Two at once are one after the other; the second finds nothing new.
    await Promise.all([api.app.collectTraffic(), api.app.collectTraffic()])
    expect(await usedMb()).toBe(1)
    expect(await api.store.trafficBatch()).not.toBe(batch)
  })
})
