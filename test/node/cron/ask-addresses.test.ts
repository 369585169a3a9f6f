import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAddresses } from '#adapters/node/panel/duties/ask-addresses.ts'
import type { AddressesPort } from '#handlers/ports/addresses.ts'

const OWN = 'mallory.example'
/** As much as is read of an answer, and what lies on the way there. */
const MOST_SENT = 40 * 2 ** 20

let site: Server
let panel: Server
let addresses: AddressesPort
let sent = 0
const asked: string[] = []

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const listening = async (server: Server): Promise<Server> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
const get = (url: string, timeoutMs = 5000) =>
  addresses.get(url, { timeoutMs, ownNames: [OWN], signal: new AbortController().signal })

beforeAll(async () => {
  panel = await listening(
    createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('the panel')
    }),
  )
  site = await listening(
    createServer((request, response) => {
      if (request.url === '/away') {
        response.writeHead(302, { location: `http://127.0.0.1:${portOf(panel)}/stolen` }).end()
        return
      }
      if (request.url === '/silent') return
      if (request.url !== '/endless') return void response.end('my own site')
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(2 ** 16, 0x61))) sent += 2 ** 16
      }
      response.on('drain', more)
      more()
    }),
  )
  addresses = createAddresses([`127.0.0.1:${portOf(site)}`])
})
afterAll(() => {
  for (const server of [site, panel]) {
    server?.closeAllConnections()
    server?.close()
  }
})

it("an account's own name is asked at the sites' listener, and at no other port here", async () => {
  expect(await get(`http://${OWN}:${portOf(site)}/`)).toEqual({ status: 200, body: 'my own site' })
  await expect(get(`http://${OWN}:${portOf(panel)}/`)).rejects.toThrow()
  expect(asked).toEqual([])
})

it('nothing of this machine, its link or private networks is asked, however it is written', async () => {
  const port = portOf(panel)
  const hosts = [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0.0.0.0', 'localhost'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[::7f00:1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fd00::1]', '[100::1]'],
    ...['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '224.0.0.1'],
  ]
  for (const host of hosts)
    await expect(get(`http://${host}:${port}/stolen`, 2000), host).rejects.toThrow(
      /^This address lies on this machine or in a private network/,
    )
  expect(asked).toEqual([])
})

it('what leads elsewhere is not followed', async () => {
  expect(await get(`http://${OWN}:${portOf(site)}/away`)).toMatchObject({ status: 302 })
  expect(asked).toEqual([])
})

it('an answer without an end is left, long before the time is over', async () => {
  await expect(get(`http://${OWN}:${portOf(site)}/endless`, 60_000)).rejects.toThrow('longer than')
  expect(sent).toBeLessThan(MOST_SENT)
})

it('a server that says nothing is given up in time, in words', async () => {
  await expect(get(`http://${OWN}:${portOf(site)}/silent`, 300)).rejects.toThrow(
    'There was no whole answer within 0.3 seconds.',
  )
})
