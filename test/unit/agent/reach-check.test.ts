import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkReach } from '#adapters/node/agent/certificates/reach-check.ts'

/** A site that leads wherever it is told; what it was asked for. */
let leadsTo = ''
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  if (leadsTo === '') response.end('content')
  else response.writeHead(302, { location: leadsTo }).end()
})
let port: number
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const reach = () => checkReach('localhost', { token: 'abc', content: 'content' }, { port })

test('a name that answers with the proof reaches us', async () => {
  leadsTo = ''
  expect(await reach()).toBeNull()
})

test.each(['127.0.0.1', '10.0.0.1', '192.168.0.1', '169.254.169.254', '[::1]', 'localhost'])(
  'a redirect to %s with a path of its own is not followed',
  async (host) => {
    asked.length = 0
    leadsTo = `http://${host}:${port}/latest/meta-data/?x=1`
    expect(await reach()).not.toBeNull()
    expect(asked).toEqual(['/.well-known/acme-challenge/abc'])
  },
)
