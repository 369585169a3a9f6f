import { afterEach, beforeEach } from 'vitest'
import { adminClient, createAccount, type ApiClient } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi, type NodeApi } from '#test/node/contract/api-node.ts'

// What the hooks below make for each test. Vitest loads this module anew for each test file.
export let api: NodeApi
export let admin: ApiClient

/** Gives each test a panel of its own, on which nobody has done anything. */
export const emptyApi = (): void => {
  beforeEach(async () => {
    api = await makeNodeApi()
  })
  afterEach(() => api.close())
}

/** The same with an administrator and the accounts of these names. */
export const freshApi = (...usernames: string[]): void => {
  emptyApi()
  beforeEach(async () => {
    admin = await adminClient(api)
    for (const username of usernames) await createAccount(admin, username)
  })
}
