import { startInstance } from '#test/support/instance.ts'
import type { Instance, SiteInit, SiteResponse } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import type { ModeCase } from './modes.ts'
import { SCRIPTS } from './scripts.ts'

/** A running instance with one account whose PHP runs in a mode. */
export interface ModeSite {
  mode: ModeCase['mode']
  instance: Instance
  panel: PanelClient
  tenant: Tenant
  /** One request to the account's site. */
  visit(path: string, init?: SiteInit): Promise<SiteResponse>
  stop(): Promise<void>
}

/** Seconds; a script that is silent for longer fails. */
export const REQUEST_TIMEOUT_SECS = 4

/** Switches the account through the API, as its administrator would. */
export const switchMode = async (
  panel: PanelClient,
  tenant: Tenant,
  mode: string,
): Promise<void> => {
  const versions = await panel.data<{ version: string; default: boolean }[]>(
    'GET',
    '/api/php/versions',
  )
  const version = versions.find((one) => one.default)?.version
  await panel.data('POST', `/api/php/version/${tenant.id}`, { version, mode })
}

/** Starts it with all scripts in place; whatever happens, `stop` leaves nothing. */
export const startModeSite = async ({ mode, settings }: ModeCase): Promise<ModeSite> => {
  const instance = await startInstance({
    settings: {
      ...settings,
      server: 'workers = 1',
      php: `request_timeout = ${REQUEST_TIMEOUT_SECS}\n${settings?.php ?? ''}`,
      databases: 'mariadb = "off"',
    },
  })
  try {
    const panel = new PanelClient(instance)
    await panel.setup()
    const tenant = await Tenant.create(panel)
    await switchMode(panel, tenant, mode)
    await tenant.run('mkdir', ['-p', '--', tenant.path('public_html', 'sub')])
    for (const [name, text] of Object.entries(SCRIPTS))
      await tenant.put(`public_html/${name}`, text)
    return {
      mode,
      instance,
      panel,
      tenant,
      visit: (path, init) => instance.site(tenant.domain, path, init),
      stop: () => instance.stop(),
    }
  } catch (error) {
    await instance.stop()
    throw error
  }
}
