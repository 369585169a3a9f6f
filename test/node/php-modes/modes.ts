import type { InstanceOptions } from '#test/support/instance-directory.ts'
import type { PanelClient } from '#test/support/panel-client.ts'

/** A way to run PHP, with what an instance needs for it. */
export interface ModeCase {
  mode: 'fpm' | 'cgi' | 'lsapi'
  /** More of the instance's configuration. */
  settings?: NonNullable<InstanceOptions['settings']>
  /** Called before an account is switched to the mode. */
  prepare?(panel: PanelClient): Promise<void>
}

/** Every mode that the same scripts must give the same answers in. */
export const MODES: readonly ModeCase[] = [{ mode: 'fpm' }, { mode: 'cgi' }]
