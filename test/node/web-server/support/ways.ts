import { H2Client } from './h2-client.ts'
import type { LoneWorker } from './lone-worker.ts'
import { RawClient, splitResponses } from './raw-client.ts'

/** What a visitor asks for. */
export interface PageRequest {
  host: string
  path: string
  method?: 'GET' | 'HEAD'
  /** Names in lower case. */
  fields?: Record<string, string>
}

/** The answer, without what differs from moment to moment or belongs to the connection. */
export interface Told {
  status: number
  headers: Record<string, string>
  body: string
}

/** One way through the worker. */
export interface Way {
  name: string
  secure: boolean
  /** `hot`: nothing keeps the request from the quickest way; `cold`: read by the strict parser, answered by the site handler; `general`: handed to node:http. */
  kind: 'hot' | 'cold' | 'general'
  ask(worker: LoneWorker, asked: PageRequest): Promise<Told>
}

/** Also gone: how long a page still lives, and why one was not stored, which is judged where it might have been. */
const PASSING = ['date', 'age', 'connection', 'keep-alive', 'transfer-encoding']

const stable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !PASSING.includes(name))
      .map(([name, value]): [string, string] => [name, value.replace(/ttl=\d+|; detail=.*/g, '')])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )

/** Fields that keep a request off the quicker ways and mean nothing for its answer: a date that is none, and an offer of trailers. */
const DETOURS: Record<Way['kind'], Record<string, string>> = {
  hot: {},
  cold: { 'if-modified-since': 'no date' },
  general: { te: 'trailers' },
}

/** The name that a TLS connection is made to. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

const askHttp1 = async (
  worker: LoneWorker,
  { host, path, method = 'GET', fields = {} }: PageRequest,
  secure: boolean,
  detour: Record<string, string>,
): Promise<Told> => {
  const client = new RawClient(
    secure ? worker.sslPort : worker.port,
    secure ? { servername: nameOf(host) } : {},
  )
  const lines = Object.entries({ host, ...fields, ...detour }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  client.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  client.socket.end()
  await client.closed
  client.destroy()
  const [answer, ...more] = splitResponses(client.text, [method])
  if (answer === undefined || more.length > 0) throw new Error(`no single answer: ${client.text}`)
  const { status, headers, body } = answer
  return { status, headers: stable(headers), body }
}

const askHttp2 = async (
  worker: LoneWorker,
  { host, path, method = 'GET', fields = {} }: PageRequest,
  detour: Record<string, string>,
): Promise<Told> => {
  const client = await H2Client.open(worker.sslPort, nameOf(host))
  try {
    const { status, headers, body } = await client.get(path, {
      ':method': method,
      ':authority': host,
      ...fields,
      ...detour,
    })
    const flat = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ])
    return { status, headers: stable(Object.fromEntries(flat)), body }
  } finally {
    client.close()
  }
}

const http1 = (secure: boolean, kind: Way['kind']): Way => ({
  name: `HTTP/1.1${secure ? ' over TLS' : ''}, ${kind}`,
  secure,
  kind,
  ask: (worker, asked) => askHttp1(worker, asked, secure, DETOURS[kind]),
})
const http2 = (kind: 'hot' | 'cold'): Way => ({
  name: `HTTP/2, ${kind}`,
  secure: true,
  kind,
  ask: (worker, asked) => askHttp2(worker, asked, DETOURS[kind]),
})

export const WAYS: readonly Way[] = [
  ...(['hot', 'cold', 'general'] as const).flatMap((kind) => [
    http1(false, kind),
    http1(true, kind),
  ]),
  http2('hot'),
  http2('cold'),
]
