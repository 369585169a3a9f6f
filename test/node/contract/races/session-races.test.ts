import { beforeEach, describe, expect, it } from 'vitest'
import { accountClient, apiClient } from '#test/contract/frame/api-instance.ts'
import type { ApiClient } from '#test/contract/frame/api-instance.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

const tokenOf = ({ body }: { body: { data?: unknown } }): string | null =>
  (body.data as { token: string } | undefined)?.token ?? null

describe('a session that is begun while the administrator changes the password', () => {
  freshApi('alice')

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

describe('what is under way while the password is reset', () => {
  let alice: ApiClient
  freshApi('alice')
  beforeEach(async () => {
    alice = await accountClient(api, 'alice')
  })

  const reset = async (): Promise<void> => {
    const answer = await admin.send('PATCH', '/api/accounts/1', { password: 'a new password' })
    expect(answer.status).toBe(200)
  }

  it('makes no API token, not even between the last check and the write', async () => {
    const { store } = api
    const { insertToken } = store
    store.insertToken = async (...args) => {
      await reset()
      return insertToken(...args)
    }
    const answer = await alice.post('/api/tokens', { name: 'late', scopes: ['write'] })
    expect([answer.status, answer.body.data]).toEqual([409, undefined])
    expect((await admin.get('/api/tokens')).body.data).toEqual([])
  })

  it('changes nothing by a body that is sent slowly', async () => {
    let source: ReadableStreamDefaultController<Uint8Array> | undefined
    let asked = (): void => undefined
    const isRead = new Promise<void>((resolve) => (asked = resolve))
    const start = (controller: typeof source): void => void (source = controller)
    const body = new ReadableStream<Uint8Array>(
      { start, pull: () => asked() },
      { highWaterMark: 0 },
    )
    const answer = api.fetch('/api/databases', {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
    } as RequestInit)
    await isRead
    await reset()
    const text =
      '{"account_id":1,"db_name":"shop","db_password":"a long password","engine":"mysql"}'
    source?.enqueue(new TextEncoder().encode(text))
    source?.close()
    expect((await answer).status).toBe(401)
    expect(api.host.calls).not.toContain('databases.create')
  })

  it('breaks a download off', async () => {
    const size = 3 * 2 ** 20
    const at = '/api/files/upload?account_id=1&path=public_html/big.bin'
    const headers = {
      authorization: `Bearer ${alice.token}`,
      'content-type': 'application/octet-stream',
    }
    const sent = await api.fetch(at, { method: 'POST', body: new Uint8Array(size), headers })
    expect(sent.status).toBe(200)
    const file = await api.fetch(at.replace('upload', 'download'), { headers })
    const reader = (file.body ?? new ReadableStream<Uint8Array>()).getReader()
    expect((await reader.read()).value?.byteLength).toBe(2 ** 20)
    await reset()
    // Asked four times a second at most.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await expect(reader.read()).rejects.toMatchObject({ status: 401 })
  })
})
