import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { adminClient, apiClient, createAccount } from '#test/contract/api-instance.ts'
import type { ApiClient } from '#test/contract/api-instance.ts'
import { makeNodeApi } from './api-node.ts'
import type { NodeApi } from './api-node.ts'

const tokenOf = ({ body }: { body: { data?: unknown } }): string | null =>
  (body.data as { token: string } | undefined)?.token ?? null

describe('a session that is begun while the administrator changes the password', () => {
  let api: NodeApi
  let admin: ApiClient
  beforeEach(async () => {
    api = await makeNodeApi()
    admin = await adminClient(api)
    await createAccount(admin, 'alice')
  })
  afterEach(() => api.close())

  /** From now on the password is changed right after the guard has let a request in. */
  const changeBehindTheGuard = (): void => {
    const { store } = api
    const { adminById } = store
    store.adminById = async (id) => {
      const row = await adminById(id)
      store.adminById = adminById
      const not_before_secs = Math.floor(api.clock.nowMs() / 1000) + 1
      await store.updateAdmin(id, { not_before_secs })
      return row
    }
  }
  const isLetIn = async (token: string | null): Promise<boolean> =>
    token !== null && (await apiClient(api, token).get('/api/auth/me')).status === 200

  it('as an account is none', async () => {
    changeBehindTheGuard()
    expect(await isLetIn(tokenOf(await admin.post('/api/accounts/1/login')))).toBe(false)
  })

  it('by returning from one is none', async () => {
    const visitor = apiClient(api, tokenOf(await admin.post('/api/accounts/1/login')) ?? '')
    changeBehindTheGuard()
    expect(await isLetIn(tokenOf(await visitor.post('/api/auth/return')))).toBe(false)
  })
})
