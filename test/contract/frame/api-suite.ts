import { afterAll, beforeAll, describe } from 'vitest'
import type { ApiClient, ApiInstance, MakeApiInstance } from './api-instance.ts'
import { adminClient } from './api-instance.ts'

/** What the tests of one group share; filled before the first runs. */
export interface Shared {
  instance: ApiInstance
  admin: ApiClient
}

/** A group of tests with its own instance, on which setup was done. */
export const apiGroup = (
  name: string,
  makeInstance: MakeApiInstance,
  define: (shared: Shared) => void,
): void => {
  describe(name, () => {
    const shared = {} as Shared
    beforeAll(async () => {
      shared.instance = await makeInstance()
      shared.admin = await adminClient(shared.instance)
    })
    afterAll(() => shared.instance.close())
    define(shared)
  })
}
