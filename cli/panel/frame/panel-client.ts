import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { CliError } from '../../cli-error.ts'
import { PanelError } from './panel-error.ts'
import { sendToPanel, type Method } from './panel-request.ts'
import type { PanelTarget } from './panel-target.ts'

/** Values of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface CallInit {
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Answer {
  data: unknown
  /** `X-Total-Count` of a list. */
  total: number | null
}

/** A path with its parts percent-encoded: ``apiPath`/api/accounts/${id}` ``. */
export const apiPath = (
  texts: TemplateStringsArray,
  ...parts: readonly (string | number | undefined)[]
): string =>
  texts.reduce((path, text, at) => path + encodeURIComponent(String(parts[at - 1] ?? '')) + text)

/** What is called, and how. */
export interface ApiCall {
  method: Method
  path: string
}

/** Method and path, its parts percent-encoded: ``api`DELETE /api/accounts/${id}` ``. */
export const api = (...template: Parameters<typeof apiPath>): ApiCall => {
  const [method = '', path = ''] = apiPath(...template).split(' ')
  return { method: method as Method, path }
}

const withQuery = (path: string, query: Query = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

/** The panel's REST API, on this machine or elsewhere. */
export class PanelClient {
  readonly target: PanelTarget

  constructor(target: PanelTarget) {
    this.target = target
  }

  /** `data` of a successful answer; throws a `CliError` with the API's text otherwise. */
  async call(method: Method, path: string, init: CallInit = {}): Promise<unknown> {
    return (await this.answer(method, path, init)).data
  }

  /** As `call`, with what the headers say. */
  async answer(method: Method, path: string, init: CallInit = {}): Promise<Answer> {
    const { query, headers = {} } = init
    // Its length is told: a DELETE would be sent without, as if it had no body.
    const body = init.body === undefined ? undefined : JSON.stringify(init.body)
    const incoming = await sendToPanel(this.target, {
      method,
      path: withQuery(path, query),
      headers: {
        ...(body === undefined
          ? {}
          : {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(body)),
            }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    const data = this.dataOf(incoming, await readText(incoming))
    const count = incoming.headers['x-total-count']
    return { data, total: typeof count === 'string' ? Number(count) : null }
  }

  /** Sends bytes of any number. */
  async upload(path: string, query: Query, content: Readable): Promise<unknown> {
    const incoming = await sendToPanel(this.target, {
      method: 'POST',
      path: withQuery(path, query),
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
    })
    return this.dataOf(incoming, await readText(incoming))
  }

  /** The response of a download, its head judged; its length may be told in `content-length`. */
  async download(path: string, query: Query = {}): Promise<IncomingMessage> {
    const incoming = await sendToPanel(this.target, { method: 'GET', path: withQuery(path, query) })
    if (incoming.statusCode === 200) return incoming
    this.dataOf(incoming, await readText(incoming))
    throw new CliError(`The panel answered ${incoming.statusCode}, and no file.`)
  }

  private dataOf(incoming: IncomingMessage, text: string): unknown {
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch {
      throw new CliError(
        `The panel answered ${incoming.statusCode} and something that is no JSON. Is it a panel that answers there?`,
      )
    }
    if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
      if (answer.ok === true) return 'data' in answer ? answer.data : null
      if ('error' in answer) throw this.refusal(incoming, String(answer.error))
    }
    throw new CliError('The panel answered in an unknown shape. Is it a panel that answers there?')
  }

  private refusal({ statusCode: status = 0, headers }: IncomingMessage, text: string): PanelError {
    const field = headers['x-error-field']
    const isVoid = status === 401 && this.target.kind === 'remote' && this.target.token !== null
    return new PanelError(
      isVoid
        ? `${text} The token is void or expired: log in anew with berth login, or give another one.`
        : text,
      status,
      typeof field === 'string' ? field : null,
    )
  }
}

const readText = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}
