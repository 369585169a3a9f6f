import { spawnSync } from 'node:child_process'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CALL_HEADER,
  SESSION_METHOD,
  SIGNATURE_HEADER,
  signCall,
} from '#adapters/shared/host-rpc/signed-call.ts'
import type { CallClaims } from '#adapters/shared/host-rpc/signed-call.ts'
import { signTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { createLinkInstance, createTestPanel } from './link-instance.ts'
import type { LinkInstance, TestPanel } from './link-instance.ts'
import { converse } from './peers.ts'

let host: LinkInstance
let panel: TestPanel
let other: TestPanel
beforeAll(async () => {
  host = await createLinkInstance()
  panel = await createTestPanel('panel-1')
  other = await createTestPanel('panel-2')
  host.trust([panel, other])
  expect((await host.agent.start()).said).toEqual({ type: 'ready' })
  await host.startLink()
})
afterAll(() => host.dispose())

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(text))
const LIST = '{}'

const signed = (
  change: Partial<CallClaims> & { body?: string; key?: CryptoKey } = {},
): Promise<Record<string, string>> => {
  const { body = LIST, key = panel.key, ...claims } = change
  const all = {
    ...{ host: 'host-1', panel: 'panel-1', session: null, call: randomId() },
    ...{ method: 'users/list', subject: null, term: null, ...claims },
  }
  return signCall(key, all, bytesOf(body))
}
/** Through the real link, by the connection of `panel`. */
const post = async (headers: Record<string, string>, body = LIST, method = 'users/list') => {
  const fetched = host.fetchAs(panel)
  const response = await fetched.send(
    new Request(`https://host-1/${method}`, { method: 'POST', headers, body }),
  )
  fetched.close()
  const { data, refusal, error } = (await response.json()) as Record<string, unknown>
  return { status: response.status, data, refusal, error }
}
const open = async (): Promise<string> => {
  const headers = await signed({ method: SESSION_METHOD, body: '' })
  const { data } = await post(headers, '', SESSION_METHOD)
  return (data as { session: string }).session
}
const refusedAs = (refusal: string) => expect.objectContaining({ status: 401, refusal })

describe('the agent behind the link', () => {
  it('answers a signed call once, whoever repeats it', async () => {
    const session = await open()
    const headers = await signed({ session })
    expect(await post(headers)).toMatchObject({ status: 200, data: [] })
    expect(await post(headers)).toEqual(refusedAs('replayed'))
  })

  it('refuses what a panel on the list did not sign just so', async () => {
    const session = await open()
    const stranger = await createTestPanel('panel-1')
    expect(await post(await signed({ session, key: stranger.key }))).toEqual(
      refusedAs('bad-signature'),
    )
    expect(await post(await signed({ session, key: other.key }))).toEqual(
      refusedAs('bad-signature'),
    )
    expect(await post(await signed({ session, panel: 'panel-3' }))).toEqual(
      refusedAs('unknown-panel'),
    )
    expect(await post(await signed({ session, host: 'host-2' }))).toEqual(refusedAs('wrong-host'))
    expect(await post(await signed({ session }), '{"input":{}}')).toEqual(refusedAs('changed-body'))
    expect(await post(await signed({ session }), LIST, 'users/remove')).toEqual(
      refusedAs('wrong-method'),
    )
    expect(await post(await signed({ session: randomId() }))).toEqual(refusedAs('stale-session'))
    // Another panel's session, with that panel's own signature.
    expect(await post(await signed({ session, panel: 'panel-2', key: other.key }))).toEqual(
      refusedAs('stale-session'),
    )
    expect(await post({})).toEqual(refusedAs('unsigned'))
    for (const method of ['trust', 'outcome', 'session'])
      expect(await post({}, '{}', method)).toEqual(refusedAs('unsigned'))
  })

  it('knows methods of the table alone', async () => {
    const session = await open()
    for (const method of ['toString', 'users/constructor', 'users/exec', 'shell'])
      expect(await post(await signed({ session, method }), LIST, method)).toMatchObject({
        status: 401,
      })
  })

  it('believes a link that was taken over as little as anybody', async () => {
    const direct = unixFetch(host.socket)
    const ask = async (headers: Record<string, string>, method = 'users/list', body = LIST) => {
      const request = new Request(`http://agent/${method}`, { method: 'POST', headers, body })
      const response = await direct(request)
      return { status: response.status, ...((await response.json()) as object) }
    }
    expect(await ask({})).toEqual(refusedAs('unsigned'))
    expect(await ask({ 'berth-panel': 'panel-1' }, 'users/remove')).toEqual(refusedAs('unsigned'))
    const session = await open()
    const headers = await signed({ session })
    expect(await ask(headers, 'users/list', '{"input":1}')).toEqual(refusedAs('changed-body'))
    expect(await ask({ ...headers, [CALL_HEADER]: 'A'.repeat(5000) })).toEqual(
      refusedAs('malformed'),
    )
    expect(await ask({ ...headers, [SIGNATURE_HEADER]: '' })).toEqual(refusedAs('malformed'))
    expect(await ask(headers)).toMatchObject({ status: 200 })
    const large = await new Promise((resolve, reject) => {
      const outgoing = httpRequest({ socketPath: host.socket, path: '/users/list', method: 'POST' })
      outgoing.on('response', ({ statusCode }) => resolve(statusCode))
      outgoing.on('error', reject)
      outgoing.end(Buffer.alloc(9 * 2 ** 20))
    }).catch(() => 413)
    expect(large).toBe(413)
    expect(await host.clientOf(panel).users.list()).toEqual([])
  })

  it('is not reached by a body that does not come, and others are answered meanwhile', async () => {
    const { key, certificate } = panel.tls
    const slow = converse(
      { port: host.port, key, cert: certificate },
      `POST /users/list HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n{`,
      (socket) => {
        void host
          .clientOf(other)
          .users.list()
          .then((users) => {
            expect(users).toEqual([])
            socket.destroy()
          })
      },
    )
    expect((await slow).answer).toBe('')
  })

  it('keeps no secret of a call on disk', async () => {
    const session = await open()
    const body = JSON.stringify({
      input: { operationId: randomId(), username: 'nobody1', password: 'Sehr-geheim-4711' },
    })
    const method = 'users/setPassword'
    const { status } = await post(await signed({ session, body, method }), body, method)
    expect(status).not.toBe(401)
    const { stdout } = spawnSync('/bin/grep', ['-rl', 'Sehr-geheim', host.agent.at('state')], {
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(readdirSync(host.agent.at('state')).length).toBeGreaterThan(0)
  })

  it('removes no more than five accounts in an hour on the word of a panel', async () => {
    const session = await open()
    const remove = async (username: string) => {
      const body = JSON.stringify({ input: { operationId: randomId(), username } })
      const method = 'users/remove'
      return post(await signed({ session, body, method }), body, method)
    }
    for (const username of ['gone1', 'gone2', 'gone3', 'gone4', 'gone5', 'gone1'])
      expect((await remove(username)).error ?? '').not.toContain('allow-removals')
    expect(await remove('gone6')).toMatchObject({
      status: 409,
      error: expect.stringContaining('allow-removals') as unknown,
    })
    const allow = host.agent.at('state', 'agent', 'allow-removals')
    writeFileSync(allow, '')
    expect((await remove('gone6')).error ?? '').not.toContain('allow-removals')
    const twoHoursAgo = Date.now() / 1000 - 7200
    utimesSync(allow, twoHoursAgo, twoHoursAgo)
    expect(await remove('gone7')).toMatchObject({ status: 409 })
  })

  it('takes the next trust list from a panel of the present one, and forgets who is not in it', async () => {
    const session = await open()
    const third = await createTestPanel('panel-3')
    const send = async (signer: TestPanel, panels: TestPanel[], change: object = {}) => {
      const list = { ...host.listOf(panels), ...change }
      const body = JSON.stringify(await signTrustList(list, signer.entry.id, signer.key))
      return post(await signed({ session, body, method: 'trust' }), body, 'trust')
    }
    expect(await send(third, [panel, third])).toMatchObject({ status: 409 })
    expect(await send(panel, [panel, third], { version: 1 })).toMatchObject({ status: 409 })
    const wrong = { ...third, entry: { ...third.entry, certificate: host.own.certificate } }
    expect(await send(panel, [panel, wrong])).toMatchObject({ status: 409 })
    expect(await send(panel, [panel, third])).toMatchObject({ status: 200 })
    expect(await host.clientOf(third).users.list()).toEqual([])
    await expect(host.clientOf(other).users.list()).rejects.toMatchObject({ status: 503 })
    expect(await post(await signed({ session, panel: 'panel-2', key: other.key }))).toEqual(
      refusedAs('unknown-panel'),
    )
  })

  it('ends the sessions of a panel that was removed, also where it comes back', async () => {
    const list = async (inSession: string) => post(await signed({ session: inSession }))
    const session = await open()
    expect(await list(session)).toMatchObject({ status: 200 })
    host.trust([other])
    // The agent looks at the list when it is asked, so somebody asks while the panel is not in it.
    expect(await host.clientOf(other).users.list()).toEqual([])
    host.trust([panel, other])
    expect(await list(session)).toEqual(refusedAs('stale-session'))
    expect(await list(await open())).toMatchObject({ status: 200 })
  })
})
