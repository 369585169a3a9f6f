import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const PROVIDER_TOKEN = 'v1_token-of-a-provider-0123456789'

/** APIs of providers in memory, written from their documentation. */
export interface FakeDnsProviders {
  cloudflare: string
  desec: string
  /** Values of text records by name, without quotes. */
  texts(name: string): string[]
  put(name: string, value: string): void
  /** The next request gets this in place of an answer. */
  next: ((request: IncomingMessage, response: ServerResponse) => void)[]
  /** `METHOD path` of what was asked. */
  asked: string[]
  dispose(): Promise<void>
}

const idOf = (text: string): string => createHash('md5').update(text).digest('hex')

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? null : (JSON.parse(text) as unknown)
}

/** One zone, which both providers have; Cloudflare shows one record on each page. */
export const createFakeDnsProviders = async (zone: string): Promise<FakeDnsProviders> => {
  const records: { name: string; value: string }[] = []
  const next: FakeDnsProviders['next'] = []
  const asked: string[] = []
  const quoted = (text: string): string => `"${text}"`
  const plain = (text: string): string => text.replaceAll('"', '')
  const drop = (keep: (one: { name: string; value: string }) => boolean): void => {
    records.splice(0, records.length, ...records.filter(keep))
  }

  const cloudflare = (method: string, url: URL, body: unknown): [number, unknown] => {
    const path = url.pathname.slice('/cf'.length)
    const fail = (status: number, code: number, message: string): [number, unknown] => [
      status,
      { success: false, errors: [{ code, message }], messages: [], result: null },
    ]
    const ok = (result: unknown, pages = 1): [number, unknown] => [
      200,
      {
        ...{ success: true, errors: [], messages: [], result },
        result_info: { page: 1, per_page: 1, total_pages: pages },
      },
    ]
    if (path === '/zones')
      return ok(url.searchParams.get('name') === zone ? [{ id: idOf(zone), name: zone }] : [])
    const [, own, id] =
      /^\/zones\/([0-9a-f]{32})\/dns_records(?:\/([0-9a-f]{32}))?$/.exec(path) ?? []
    if (own !== idOf(zone)) return fail(404, 7003, 'Could not route to the zone')
    if (method === 'POST') {
      const { name, content } = body as { name: string; content: string }
      const made = { name, value: plain(content) }
      if (records.some((one) => one.name === name && one.value === made.value))
        return fail(400, 81_058, 'An identical record already exists.')
      records.push(made)
      return ok({ id: idOf(name + content) })
    }
    if (method === 'DELETE') {
      const before = records.length
      drop(({ name, value }) => idOf(name + quoted(value)) !== id)
      return records.length < before ? ok({ id }) : fail(404, 81_044, 'Record does not exist.')
    }
    const found = records
      .filter(({ name }) => name === url.searchParams.get('name'))
      .map(({ name, value }) => ({
        ...{ id: idOf(name + quoted(value)), type: 'TXT', name, content: quoted(value) },
      }))
    const page = Number(url.searchParams.get('page') ?? '1')
    return ok(found.slice(page - 1, page), found.length)
  }

  const desec = (method: string, url: URL, body: unknown): [number, unknown] => {
    const [, own, subname] =
      /^\/desec\/domains\/([^/]+)\/rrsets\/(?:([^/]+)\/TXT\/)?$/.exec(url.pathname) ?? []
    if (own !== zone) return [404, { detail: 'Not found.' }]
    if (method === 'GET') {
      const found = records.filter(({ name }) => name === `${subname}.${zone}`)
      const shown = found.map(({ value }) => quoted(value))
      return found.length === 0
        ? [404, { detail: 'Not found.' }]
        : [200, { subname, type: 'TXT', ttl: 3600, records: shown }]
    }
    for (const set of body as { subname: string; ttl: number; records: string[] }[]) {
      if (set.ttl < 3600) return [400, [{ ttl: ['Ensure this value is at least 3600.'] }]]
      const name = `${set.subname}.${zone}`
      drop((one) => one.name !== name)
      for (const value of set.records) records.push({ name, value: plain(value) })
    }
    return [200, body]
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://provider')
    asked.push(`${request.method ?? ''} ${url.pathname}`)
    const given = await bodyOf(request)
    const instead = next.shift()
    if (instead !== undefined) return instead(request, response)
    const isCloudflare = url.pathname.startsWith('/cf/')
    const scheme = isCloudflare ? 'Bearer' : 'Token'
    const allowed = request.headers.authorization === `${scheme} ${PROVIDER_TOKEN}`
    const [status, body] = allowed
      ? (isCloudflare ? cloudflare : desec)(request.method ?? '', url, given)
      : [isCloudflare ? 403 : 401, { detail: `Invalid token ${request.headers.authorization}.` }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ cloudflare: `${at}/cf`, desec: `${at}/desec`, next, asked },
    texts: (name) => records.filter((one) => one.name === name).map(({ value }) => value),
    put: (name, value) => void records.push({ name, value }),
    dispose: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
