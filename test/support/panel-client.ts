import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Instance } from '#test/support/instance-types.ts'

export interface ApiResponse {
  status: number
  headers: Headers
  body: { ok: boolean; data?: unknown; error?: string }
}

/** As `fetch`. */
type Send = (url: URL, init: RequestInit) => Promise<Response>

/** A test account's name: letters and digits, unlikely to meet another's. */
export const randomUsername = (): string =>
  `bt${Array.from(randomBytes(8), (byte) => (byte % 36).toString(36)).join('')}`

/** The panel's REST API as automation uses it, over HTTP with a Bearer token. */
export class PanelClient {
  token: string | null = null
  private readonly instance: Pick<Instance, 'panelUrl' | 'config' | 'managementUrl'>
  private readonly send: Send

  /** `send` speaks to the panel; default: `fetch`. */
  constructor(
    instance: Pick<Instance, 'panelUrl' | 'config' | 'managementUrl'>,
    send: Send = fetch,
  ) {
    this.instance = instance
    this.send = send
  }

  /** Creates the administrator and keeps its token. */
  async setup(username = 'admin', password = 'correct horse 9'): Promise<void> {
    const data = await this.data<{ token: string }>('POST', '/api/auth/setup', {
      username,
      password,
    })
    this.token = data.token
  }

  /** One call; `token` null sends none. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    token: string | null = this.token,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const response = await this.send(new URL(path, this.instance.panelUrl), {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as ApiResponse['body'],
    }
  }

  /** `data` of a successful answer; anything else throws with the API's text. */
  async data<T = never>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const answer = await this.call(method, path, body, this.token, headers)
    if (answer.status !== 200 || !answer.body.ok) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body.error ?? ''}`)
    }
    return answer.body.data as T
  }

  /** Purge through the management API, with the token that the command line finds. */
  async purge(query: Record<string, string>): Promise<void> {
    const token = await readFile(
      join(this.instance.config.paths.run_dir, 'management.token'),
      'utf8',
    )
    const url = new URL('/api/v1/cache/purge', this.instance.managementUrl)
    url.search = new URLSearchParams(query).toString()
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.trim()}` },
    })
    if (response.status !== 200)
      throw new Error(`purge: ${response.status} ${await response.text()}`)
  }
}
