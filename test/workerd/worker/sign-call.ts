import { randomId } from '#handlers/domain/access/random-id.ts'
import { signCall, verifyCall } from '#adapters/shared/host-rpc/signed-call.ts'

const BODY = new Uint8Array(new TextEncoder().encode('{"input":{"username":"alice"}}'))

/** Signs a call with a key of its own, verifies it, and answers both with the key's public half. */
export default {
  async fetch(): Promise<Response> {
    const keys = (await crypto.subtle.generateKey('Ed25519', true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair
    const claims = {
      ...{ host: 'host-1', panel: 'panel-1', session: randomId(), call: randomId() },
      ...{ method: 'users/list', subject: 'account:alice', term: 7 },
    }
    const headers = await signCall(keys.privateKey, claims, BODY)
    const verified = await verifyCall(new Headers(headers), {
      ...{ host: 'host-1', method: 'users/list', body: BODY },
      keyOf: () => keys.publicKey,
    })
    const raw = (await crypto.subtle.exportKey('raw', keys.publicKey)) as ArrayBuffer
    return Response.json({ headers, verified, key: [...new Uint8Array(raw)] })
  },
}
