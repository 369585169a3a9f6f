import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { expect, test } from 'vitest'
import { verifyCall } from '#adapters/shared/host-rpc/signed-call.ts'
import type { CallClaims } from '#adapters/shared/host-rpc/signed-call.ts'
import { bundleWorker } from './bundle-worker.ts'

const WORKER = fileURLToPath(new URL('worker/sign-call.ts', import.meta.url))

test('a call that a Worker signs counts there and on a host', async () => {
  const miniflare = new Miniflare({
    modules: true,
    script: await bundleWorker(WORKER),
    compatibilityDate: '2026-07-01',
  })
  try {
    const response = await miniflare.dispatchFetch('http://panel/')
    const { headers, verified, key } = (await response.json()) as {
      headers: Record<string, string>
      verified: CallClaims
      key: number[]
    }
    const publicKey = await crypto.subtle.importKey(
      ...(['raw', Uint8Array.from(key), 'Ed25519', false, ['verify']] as const),
    )
    const expected = {
      ...{ host: 'host-1', method: 'users/list', keyOf: () => publicKey },
      body: new TextEncoder().encode('{"input":{"username":"alice"}}'),
    }
    expect(verified).toMatchObject({ panel: 'panel-1', subject: 'account:alice', term: 7 })
    expect(await verifyCall(new Headers(headers), expected)).toEqual(verified)
    const other = { ...expected, body: new TextEncoder().encode('{}') }
    await expect(verifyCall(new Headers(headers), other)).rejects.toMatchObject({
      refusal: 'changed-body',
    })
  } finally {
    await miniflare.dispose()
  }
})
