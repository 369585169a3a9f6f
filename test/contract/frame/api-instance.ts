import type { FakeHost } from '#test/fakes/fake-host.ts'

/** What a runtime must offer to be put through the API's contract suite. */
export interface ApiInstance {
  /**
   * Sends a request to the panel app; `clientAddress` is what the listener would report,
   * `origin` under what the browser sees the panel (default: `http://panel.example:7070`).
   */
  fetch(
    path: string,
    init?: RequestInit,
    clientAddress?: string,
    origin?: string,
  ): Promise<Response>
  /** The fake host behind it. */
  host: FakeHost
  close(): Promise<void>
}

/** A fresh panel with an empty store, a fake host with homes in `/home`, and the Community licence. */
export type MakeApiInstance = () => Promise<ApiInstance>

/** An answer with its body read. */
export interface Answer {
  status: number
  headers: Headers
  /** The parsed envelope. */
  body: { ok: boolean; data?: unknown; error?: string }
}

export interface ApiClient {
  /** Sent as Bearer; null sends none. */
  token: string | null
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  del(path: string, body?: unknown): Promise<Answer>
}

export const readResponse = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Answer['body'],
})

export const apiClient = (instance: ApiInstance, token: string | null = null): ApiClient => {
  const client: ApiClient = {
    token,
    async send(method, path, body, headers = {}) {
      return readResponse(
        await instance.fetch(path, {
          method,
          headers: {
            ...(client.token === null ? {} : { authorization: `Bearer ${client.token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined
            ? {}
            : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
    },
    get: (path) => client.send('GET', path),
    post: (path, body) => client.send('POST', path, body),
    del: (path, body) => client.send('DELETE', path, body),
  }
  return client
}

export const ADMIN = { username: 'boss', password: 'correct horse battery' }

/** A client of the administrator that setup makes. */
export const adminClient = async (instance: ApiInstance): Promise<ApiClient> => {
  const client = apiClient(instance)
  const { status, body } = await client.post('/api/auth/setup', ADMIN)
  if (status !== 200) throw new Error(`setup failed: ${JSON.stringify(body)}`)
  client.token = (body.data as { token: string }).token
  return client
}

export const newAccount = (username: string, domain = `${username}.example`) => ({
  username,
  domain,
  email: `${username}@mail.example`,
  password: 'account password',
  plan: 'free',
})

export interface AccountData {
  id: number
  username: string
  primary_domain: string
  status: string
  home: string
  [field: string]: unknown
}

export const createAccount = async (
  client: ApiClient,
  username: string,
  domain?: string,
): Promise<AccountData> => {
  const { status, body } = await client.post('/api/accounts', newAccount(username, domain))
  if (status !== 200) throw new Error(`account not created: ${JSON.stringify(body)}`)
  return body.data as AccountData
}

/** A client logged in as the account itself. */
export const accountClient = async (
  instance: ApiInstance,
  username: string,
): Promise<ApiClient> => {
  const client = apiClient(instance)
  const { status, body } = await client.post('/api/auth/login', {
    username,
    password: 'account password',
  })
  if (status !== 200) throw new Error(`login failed: ${JSON.stringify(body)}`)
  client.token = (body.data as { token: string }).token
  return client
}

/** Makes the accounts alice and bobby, and logs in as each. */
export const aliceAndBobby = async ({
  admin,
  instance,
}: {
  admin: ApiClient
  instance: ApiInstance
}): Promise<[alice: ApiClient, bobby: ApiClient]> => {
  await createAccount(admin, 'alice')
  await createAccount(admin, 'bobby')
  return [await accountClient(instance, 'alice'), await accountClient(instance, 'bobby')]
}
