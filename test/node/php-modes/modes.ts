import type { InstanceOptions } from '#test/support/instance-directory.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { buildLsphp } from '#test/support/lsphp/build-lsphp.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import type { Tenant } from '#test/support/tenant.ts'
import { switchByAgent } from './switch-by-agent.ts'

/** A way to run PHP, with what an instance needs for it. */
export interface ModeCase {
  mode: 'fpm' | 'cgi' | 'lsapi'
  /** More of the instance's configuration. */
  settings?: NonNullable<InstanceOptions['settings']>
  /** Switches the account; default: through the API. */
  switchTo?(instance: Instance, tenant: Tenant): Promise<void>
  /** Called before an account is switched to the mode. */
  prepare?(panel: PanelClient): Promise<void>
}

/** Accounts get it from the agent itself: through the API it takes a licence that tests cannot have. */
const lsapiCase = async (): Promise<ModeCase[]> => {
  const lsphp = await buildLsphp()
  if (!lsphp) return []
  return [
    {
      mode: 'lsapi',
      settings: { php: `lsphp_directory = ${JSON.stringify(lsphp.directory)}` },
      switchTo: ({ config }, tenant) => switchByAgent(config.paths.run_dir, tenant, lsphp.version),
    },
  ]
}

/** Every mode that the same scripts must give the same answers in. */
export const MODES: readonly ModeCase[] = [{ mode: 'fpm' }, { mode: 'cgi' }, ...(await lsapiCase())]
