import { Agent, request, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expectedBody, type SoakPage, type SoakSite } from './soak-site.ts'
import type { Tally } from './tally.ts'

/** Killed workers take their connections with them; for so long after a kill that is no fault. */
const KILL_SHADOW_MS = 3000
const MAX_TIMEOUT_MS = 20_000

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** `reused` tells that an idle connection was closed by the server just as it was taken. */
class BrokenConnection extends Error {
  readonly reused: boolean
  constructor(message: string, reused: boolean) {
    super(message)
    this.reused = reused
  }
}

const ask = (
  port: number,
  agent: Agent | false,
  method: string,
  page: Pick<SoakPage, 'host' | 'path'>,
  fields: Record<string, string>,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: page.path,
        agent,
        timeout: MAX_TIMEOUT_MS,
        headers: { host: page.host, ...fields },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', (error) => reject(new BrokenConnection(error.message, false)))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.on('error', (error) =>
      reject(new BrokenConnection(error.message, outgoing.reusedSocket)),
    )
    outgoing.end()
  })

/** What a visit asks for besides the page, and how often in a hundred. */
const KINDS = [
  ['plain', 72],
  ['gzip', 10],
  ['head', 4],
  ['range', 4],
  ['conditional', 4],
  ['cookie', 3],
  ['query', 3],
] as const
type Kind = (typeof KINDS)[number][0]

const pickKind = (): Kind => {
  let left = Math.random() * 100
  for (const [kind, share] of KINDS) if ((left -= share) < 0) return kind
  return 'plain'
}
const FIELDS: Record<Kind, Record<string, string>> = {
  plain: {},
  gzip: { 'accept-encoding': 'gzip' },
  head: {},
  range: { range: 'bytes=0-99' },
  conditional: { 'if-none-match': '"never"' },
  cookie: { cookie: 'PHPSESSID=1' },
  query: {},
}

/** Few pages are asked for often, most now and then. */
const pickPage = (pages: readonly SoakPage[]): SoakPage => {
  const page = pages[Math.floor(Math.random() ** 2.5 * pages.length)] ?? pages[0]
  if (page === undefined) throw new Error('there are no pages')
  return page
}

/** Why an answer is wrong, or null. `floor` is the oldest version that was allowed when it was asked for. */
const fault = (kind: Kind, page: SoakPage, floor: number, answer: Answer): string | null => {
  const { status, headers } = answer
  if (status >= 500) return 'status_5xx'
  // A page that is only just being made may be sent whole (RFC 9110, 14.2).
  const partial = kind === 'range' && status === 206
  if (status !== 200 && !partial) return 'wrong_status'
  if (kind === 'range' && !partial && headers['x-cache'] === 'HIT') return 'range_ignored'
  if (kind === 'head') return answer.body.length === 0 ? null : 'wrong_page'
  const zipped = headers['content-encoding'] === 'gzip'
  if (zipped && kind !== 'gzip') return 'wrong_encoding'
  const text = (zipped ? gunzipSync(answer.body) : answer.body).toString('latin1')
  const [, host, path, shown] = /^<!doctype html>([^|]*)\|([^|]*)\|(\d+)\|/.exec(text) ?? []
  if (host !== page.host) return host === undefined ? 'wrong_page' : 'cross_host'
  if (path !== page.path) return 'wrong_page'
  const version = Number(shown)
  if (version < floor) return 'stale_after_purge'
  if (version > page.version) return 'wrong_page'
  const whole = expectedBody(page.host, page.path, version)
  return text === (partial ? whole.slice(0, 100) : whole) ? null : 'wrong_page'
}

/** Visits pages, one after the other, until `running` says no; every answer is judged. */
export const visit = async (
  site: SoakSite,
  tally: Tally,
  running: () => boolean,
  keep: boolean,
): Promise<void> => {
  const agent = keep ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
  while (running()) {
    const page = pickPage(site.pages)
    const kind = pickKind()
    const asked = kind === 'query' ? { ...page, path: `${page.path}?${Math.random()}` } : page
    const { floor } = page
    const startedMs = performance.now()
    try {
      const answer = await ask(
        site.web.port,
        agent,
        kind === 'head' ? 'HEAD' : 'GET',
        asked,
        FIELDS[kind],
      )
      tally.answered(answer.headers['x-cache'], performance.now() - startedMs)
      const wrong = fault(kind, page, floor, answer)
      if (wrong !== null) {
        const excerpt = answer.body.toString('latin1', 0, 60)
        tally.fault(
          wrong,
          `${kind} ${page.host}${page.path} v>=${floor}: ${answer.status} ${excerpt}`,
        )
      }
    } catch (error) {
      const broken = error instanceof BrokenConnection
      if (broken && error.reused) tally.count('idle_connection_closed')
      else if (broken && performance.now() - tally.lastKillMs < KILL_SHADOW_MS) {
        tally.count('broken_by_kill')
      } else tally.fault('broken_connection', `${kind} ${page.host}${page.path}: ${String(error)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  if (agent) agent.destroy()
}
