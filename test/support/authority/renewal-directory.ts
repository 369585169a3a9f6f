import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeCertificate } from '../make-certificate.ts'
import type { Pebble } from './pebble.ts'

/** A directory with renewal information (RFC 9773), which Pebble has not, before a Pebble. */
export interface RenewalDirectory {
  /** URL of the directory. */
  directory: string
  /** Roots of both, in one file. */
  caFile: string
  /** What is answered for a certificate, by status and body. */
  answer: [status: number, body: string]
  /** Ids that were asked for. */
  asked: string[]
  /** Whether orders are taken here, and refused; else Pebble takes them. */
  refuses: boolean
  /** Payloads of the orders that were refused. */
  orders: { replaces?: string; identifiers: { value: string }[] }[]
  stop(): Promise<void>
}

const bodyOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

const getJson = async (url: string, ca: string): Promise<Record<string, unknown>> => {
  const outgoing = request(url, { ca, agent: false })
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer>]
  return JSON.parse(await bodyOf(incoming)) as Record<string, unknown>
}

/** On 127.0.0.1; the file of roots lies in `place`. */
export const startRenewalDirectory = async (
  pebble: Pebble,
  place: string,
): Promise<RenewalDirectory> => {
  const root = makeCertificate({ names: ['Renewal Root'], authority: true })
  const own = makeCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], issuer: root })
  const pebbleRoot = await readFile(pebble.caFile, 'utf8')
  const caFile = join(place, 'renewal-roots.pem')
  writeFileSync(caFile, `${root.certificate}\n${pebbleRoot}`)
  const problem = (type: string, detail: string): string =>
    JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail })
  const server = createServer({ key: own.key, cert: own.certificate }, (incoming, outgoing) => {
    const reply = (status: number, body: string): void => {
      outgoing.writeHead(status, { 'content-type': 'application/json' })
      outgoing.end(body)
    }
    const serve = async (): Promise<void> => {
      const { url = '' } = incoming
      const body = await bodyOf(incoming)
      if (url === '/dir') {
        const known = await getJson(pebble.directory, pebbleRoot)
        const orders = found.refuses ? { newOrder: `${origin}/order` } : {}
        return reply(200, JSON.stringify({ ...known, ...orders, renewalInfo: `${origin}/renewal` }))
      }
      if (url.startsWith('/renewal/')) {
        found.asked.push(url.slice('/renewal/'.length))
        return reply(...found.answer)
      }
      const { payload } = JSON.parse(body) as { payload: string }
      const order = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
        replaces?: string
        identifiers: { value: string }[]
      }
      found.orders.push(order)
      if (order.replaces !== undefined)
        return reply(409, problem('alreadyReplaced', 'It was replaced before.'))
      reply(403, problem('unauthorized', 'Not today.'))
    }
    serve().catch((error: unknown) => reply(500, problem('serverInternal', String(error))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const found: RenewalDirectory = {
    ...{ directory: `${origin}/dir`, caFile, answer: [404, ''], asked: [], refuses: false },
    orders: [],
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return found
}
