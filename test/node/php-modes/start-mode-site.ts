import { startInstance } from '#test/support/instance.ts'
import type { Instance, SiteInit, SiteResponse } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import type { ModeCase } from './modes.ts'
import { SCRIPTS } from './scripts.ts'

/** An account whose PHP runs in a mode, on a running instance. */
export interface ModeSite {
  mode: ModeCase['mode']
  instance: Instance
  panel: PanelClient
  tenant: Tenant
  /** One request to the account's site. */
  visit(path: string, init?: SiteInit): Promise<SiteResponse>
}

/** One instance, as all modes fit beside each other, with an account for each. */
export interface ModeSites {
  site(mode: ModeCase['mode']): ModeSite
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

/** Writes files by name below a directory: one process for all of them. */
const PUT_ALL = `foreach (json_decode(stream_get_contents(STDIN), true) as $name => $text)
  if (file_put_contents("$argv[1]/$name", $text) === false) exit(1);`

const createSite = async (
  instance: Instance,
  panel: PanelClient,
  mode: ModeCase['mode'],
): Promise<ModeSite> => {
  const tenant = await Tenant.create(panel)
  await switchMode(panel, tenant, mode)
  await tenant.run('mkdir', ['-p', '--', tenant.path('public_html', 'sub')])
  const put = await tenant.run(
    'php',
    ['-r', PUT_ALL, '--', tenant.path('public_html')],
    JSON.stringify(SCRIPTS),
  )
  if (put.code !== 0) throw new Error(`the scripts could not be written: ${put.stderr}`)
  return {
    mode,
    instance,
    panel,
    tenant,
    visit: (path, init) => instance.site(tenant.domain, path, init),
  }
}

/** Starts it with all scripts in place; whatever happens, `stop` leaves nothing. */
export const startModeSites = async (
  modes: readonly ModeCase[],
  { workers = 1, requestTimeoutSecs = REQUEST_TIMEOUT_SECS } = {},
): Promise<ModeSites> => {
  const more = (section: 'panel' | 'php'): string =>
    modes.map(({ settings }) => settings?.[section] ?? '').join('\n')
  const instance = await startInstance({
    settings: {
      panel: more('panel'),
      server: `workers = ${workers}`,
      php: `request_timeout = ${requestTimeoutSecs}\n${more('php')}`,
      databases: 'mariadb = "off"',
    },
  })
  try {
    const panel = new PanelClient(instance)
    await panel.setup()
    const sites = new Map<string, ModeSite>()
    for (const { mode } of modes) sites.set(mode, await createSite(instance, panel, mode))
    return {
      site: (mode) => {
        const site = sites.get(mode)
        if (site === undefined) throw new Error(`no account runs PHP as ${mode}`)
        return site
      },
      stop: () => instance.stop(),
    }
  } catch (error) {
    await instance.stop()
    throw error
  }
}
