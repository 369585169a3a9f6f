import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWebhookSender } from '#adapters/node/panel/duties/webhook-sender.ts'
import type { WebhooksPort } from '#handlers/ports/webhooks.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let directory = ''
let server: Server
let origin = ''
let answer: (incoming: IncomingMessage, outgoing: ServerResponse, body: string) => void
let asked = 0

beforeEach(async () => {
  directory = temporaryDirectory('bt-webhook-')
  await writeFile(join(directory, 'secret'), 'the secret\n')
  asked = 0
  server = createServer((incoming, outgoing) => {
    asked++
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => answer(incoming, outgoing, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
})

const senderOf = (url: string, allow_private: boolean, timeoutMs = 10_000): WebhooksPort =>
  createWebhookSender(
    [{ name: 'a', url, secret_file: join(directory, 'secret'), events: ['*'], allow_private }],
    { nowMs: () => 1_763_775_000_000, timeoutMs },
  )
const message = { id: 'event-7', body: '{"id":"event-7","username":"ä"}' }

test('a message is signed with its time', async () => {
  let seen: IncomingMessage | undefined
  let text = ''
  answer = (incoming, outgoing, body) => {
    ;[seen, text] = [incoming, body]
    outgoing.writeHead(204).end()
  }
  await senderOf(`${origin}/events?x=1`, true).send('a', message)
  expect(text).toBe(message.body)
  expect(seen).toMatchObject({ method: 'POST', url: '/events?x=1' })
  const hex = createHmac('sha256', 'the secret').update(`1763775000.${text}`).digest('hex')
  expect(seen?.headers['berth-signature']).toBe(`t=1763775000,v1=${hex}`)
  expect(seen?.headers['berth-event-id']).toBe('event-7')
})

test('redirects, failures and silence are failures; a redirect is not followed', async () => {
  answer = (_incoming, outgoing) => outgoing.writeHead(302, { location: `${origin}/other` }).end()
  await expect(senderOf(origin, true).send('a', message)).rejects.toThrow(/answered 302/)
  expect(asked).toBe(1)
  answer = (_incoming, outgoing) => outgoing.writeHead(500).end('x'.repeat(100_000))
  await expect(senderOf(origin, true).send('a', message)).rejects.toThrow(/answered 500/)
  answer = () => undefined
  await expect(senderOf(origin, true, 300).send('a', message)).rejects.toThrow(/timeout|abort/i)
})

test.each([
  '127.0.0.1',
  'localhost',
  '[::1]',
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '0.0.0.0',
  '2130706433',
  '0x7f.1',
  '[::ffff:127.0.0.1]',
  '100.64.0.1',
  '[fd00::1]',
])('the address %s is refused without allow_private', async (host) => {
  answer = (_incoming, outgoing) => outgoing.writeHead(200).end()
  const port = new URL(origin).port
  await expect(senderOf(`http://${host}:${port}/`, false).send('a', message)).rejects.toThrow()
  expect(asked).toBe(0)
})
