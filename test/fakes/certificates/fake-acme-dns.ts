import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An acme-dns in memory, written from its documentation; its records are shown by whoever `show` asks. */
export interface FakeAcmeDns {
  url: string
  /** Texts by the name of their record, the newest last. */
  texts: Map<string, string[]>
  /** What it gave, by the name of the record. */
  given: Map<string, { username: string; password: string }>
  /** The next request gets this in place of an answer. */
  next: ((request: IncomingMessage, response: ServerResponse) => void)[]
  /** `METHOD path` of what was asked. */
  asked: string[]
  dispose(): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>
}

/** Names lie in `zone`. Each keeps its last two texts, and takes none that is not as long as an authority's. */
export const createFakeAcmeDns = async (
  zone: string,
  show: (name: string, texts: readonly string[]) => Promise<void> = async () => undefined,
): Promise<FakeAcmeDns> => {
  const texts: FakeAcmeDns['texts'] = new Map()
  const given: FakeAcmeDns['given'] = new Map()
  const next: FakeAcmeDns['next'] = []
  const asked: string[] = []
  /** One after the other, so that none shows older texts than the one before. */
  let shown = Promise.resolve()
  const register = (): [number, unknown] => {
    const subdomain = randomUUID()
    const fulldomain = `${subdomain}.${zone}`
    const made = { username: randomUUID(), password: randomBytes(30).toString('base64url') }
    given.set(fulldomain, made)
    return [201, { ...made, fulldomain, subdomain, allowfrom: [] }]
  }
  const update = async (
    { headers }: IncomingMessage,
    { subdomain, txt }: Record<string, unknown>,
  ): Promise<[number, unknown]> => {
    const name = `${String(subdomain)}.${zone}`
    const known = given.get(name)
    const isTheirs =
      known?.username === headers['x-api-user'] && known?.password === headers['x-api-key']
    if (known === undefined || !isTheirs) return [401, { error: 'forbidden' }]
    if (typeof txt !== 'string' || !/^[\w-]{43}$/.test(txt)) return [400, { error: 'bad_txt' }]
    texts.set(name, [...(texts.get(name) ?? []), txt].slice(-2))
    shown = shown.then(() => show(name, texts.get(name) ?? []))
    await shown
    return [200, { txt }]
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    const sent = await bodyOf(request)
    const instead = next.shift()
    if (instead !== undefined) return instead(request, response)
    const isUpdate = request.url === '/update'
    const [status, body] = isUpdate
      ? await update(request, sent)
      : request.url === '/register'
        ? register()
        : [404, { error: 'not found' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, texts, given },
    ...{ next, asked },
    dispose: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
