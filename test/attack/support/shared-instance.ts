import { afterAll, beforeAll, describe } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { businessLicense } from '#test/support/test-license.ts'

/** What the suites of one test file attack, each with accounts of its own. */
export interface SharedInstance {
  instance: Instance
  /** With the administrator's token, where the file lets one be made. */
  panel: PanelClient
  /** Whether there may be more than five accounts. */
  business: boolean
}

let shared: SharedInstance | null = null

/** The instance of this test file; to be asked for in a hook or a test. */
export const sharedInstance = (): SharedInstance => {
  if (shared === null) throw new Error('this test file shares no instance')
  return shared
}

/**
 * Starts one instance for all suites of a test file: a start costs more than most
 * of them. `business`: as many accounts as they like; else five. Without
 * `administrator` the first suite makes one.
 */
export const shareInstance = ({ business = false, administrator = true }): void => {
  let license: Awaited<ReturnType<typeof businessLicense>> | null = null
  beforeAll(async () => {
    license = business ? await businessLicense() : null
    const instance = await startInstance(license ? { settings: { panel: license.settings } } : {})
    shared = { instance, panel: new PanelClient(instance), business }
    if (administrator) await shared.panel.setup()
  })
  afterAll(async () => {
    await shared?.instance.stop()
    license?.remove()
  })
}

/** A suite whose tests are those of the module that `load` imports. Where there may be five accounts, its own go with it. */
export const suite = (name: string, load: () => Promise<unknown>): void => {
  describe(name, async () => {
    afterAll(async () => {
      const { panel, business } = sharedInstance()
      if (business) return
      const accounts = await panel.data<{ id: number }[]>('GET', '/api/accounts')
      await Promise.all(accounts.map(({ id }) => panel.data('DELETE', `/api/accounts/${id}`)))
    })
    await load()
  })
}
