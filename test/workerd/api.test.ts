import { afterAll, expect, test } from 'vitest'
import { apiContract } from '#test/contract/frame/api-contract.ts'
import { adminClient } from '#test/contract/frame/api-instance.ts'
import { endWorkerd, makeDeployedApi, makeWorkerdApi } from './api-workerd.ts'

afterAll(endWorkerd)

apiContract('workerd with D1', makeWorkerdApi, { keep: 7 })

test('the Worker as it is deployed answers', async () => {
  const api = await makeDeployedApi()
  try {
    const admin = await adminClient(api)
    expect((await admin.get('/api/accounts')).body).toEqual({ ok: true, data: [] })
  } finally {
    await api.close()
  }
})
