import type { ApiClient, ApiInstance } from '../frame/api-instance.ts'
import { apiClient } from '../frame/api-instance.ts'

export const PERSON_PASSWORD = 'a password of my own'

/** The secret of an invitation's link. */
export const invite = async (
  by: ApiClient,
  accountId: number,
  email: string,
  role: string,
): Promise<string> => {
  const { status, body } = await by.post(`/api/accounts/${accountId}/invitations`, { email, role })
  if (status !== 200) throw new Error(`not invited: ${JSON.stringify(body)}`)
  return (body.data as { token: string }).token
}

/** A client of the person that an invitation makes. */
export const joinAsNew = async (
  instance: ApiInstance,
  token: string,
  name = 'Somebody',
): Promise<ApiClient> => {
  const client = apiClient(instance)
  const answer = { token, name, password: PERSON_PASSWORD }
  const { status, body } = await client.post('/api/auth/invitation', answer)
  if (status !== 200) throw new Error(`not joined: ${JSON.stringify(body)}`)
  client.token = (body.data as { token: string }).token
  return client
}

/** A client of a new person of an account. */
export const newPerson = async (
  instance: ApiInstance,
  by: ApiClient,
  accountId: number,
  email: string,
  role: string,
): Promise<ApiClient> => joinAsNew(instance, await invite(by, accountId, email, role))

/** A client logged in with an address, in the account in which that person worked last. */
export const personClient = async (instance: ApiInstance, email: string): Promise<ApiClient> => {
  const client = apiClient(instance)
  const login = { username: email, password: PERSON_PASSWORD }
  const { status, body } = await client.post('/api/auth/login', login)
  if (status !== 200) throw new Error(`not logged in: ${JSON.stringify(body)}`)
  client.token = (body.data as { token: string }).token
  return client
}
