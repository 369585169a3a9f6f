import { afterAll, beforeAll, describe } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance, type InstanceOptions } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { acmeSettings, startPebble, type Pebble } from '#test/support/authority/pebble.ts'
import { sampled } from '#test/support/sampled.ts'
import { businessLicense } from '#test/support/test-license.ts'

// What the hooks of `shareInstance` start for one test file. Vitest loads this module anew for each.
/** The instance of this test file. */
export let instance: Instance
/** With the administrator's token, where the file lets one be made. */
export let panel: PanelClient
/** The authority of the instance's certificates, where the file asks for one. */
export let pebble: Pebble

let unlimited = false

export interface ShareOptions extends InstanceOptions {
  /** As many accounts as the suites like; else five. */
  business?: boolean
  /** Without one the first suite makes it. Default: true. */
  administrator?: boolean
  /** Pebble as the authority. */
  authority?: boolean
}

/** Starts one instance for all suites of a test file: a start costs more than most of them. */
export const shareInstance = ({
  business = false,
  administrator = true,
  authority = false,
  ...options
}: ShareOptions = {}): void => {
  let license: Awaited<ReturnType<typeof businessLicense>> | null = null
  beforeAll(async () => {
    unlimited = business
    license = business ? await businessLicense() : null
    // Each must know the other's port before it starts.
    const [httpPort = 0] = authority ? await freePorts(1) : []
    if (authority) pebble = await startPebble({ httpPort })
    const settings = [
      options.settings?.panel,
      license?.settings,
      authority ? acmeSettings(pebble) : undefined,
    ]
    instance = await startInstance({
      ...options,
      ...(authority ? { httpPort } : {}),
      settings: { ...options.settings, panel: settings.filter(Boolean).join('\n') },
    })
    panel = new PanelClient(instance)
    if (administrator) await panel.setup()
  })
  afterAll(async () => {
    await instance?.stop()
    await pebble?.stop()
    license?.remove()
  })
}

/** A suite whose tests are those of the module that `load` imports. Where there may be five accounts, its own go with it. */
export const suite = (name: string, load: () => Promise<unknown>): void => {
  describe(name, async () => {
    afterAll(async () => {
      if (unlimited) return
      const accounts = await panel.data<{ id: number }[]>('GET', '/api/accounts')
      await Promise.all(accounts.map(({ id }) => panel.data('DELETE', `/api/accounts/${id}`)))
    })
    await load()
  })
}

/**
 * Suites that take turns on an instance, in their own order: `keep` of them in a run of everything,
 * others in the next; all of them in `npm run test:all`.
 *
 * @param name of the group, which no other has
 */
export const someSuites = (
  name: string,
  suites: readonly Parameters<typeof suite>[],
  { keep }: { keep: number },
): void => {
  for (const [title, load] of sampled(name, suites, { keep })) suite(title, load)
}
