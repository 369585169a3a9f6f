import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { directoryIni } from '../../domain/php/directory-ini.ts'
import type { RuleStore } from './files/rule-store.ts'
import type { Settings } from './files/settings.ts'

/**
 * What `php_value` and `php_flag` give PHP; null: nothing. What may not be set is
 * left out and logged, as everything is where PHP runs outside of our control.
 */
export const phpSettingsOf = (
  { php }: Pick<Settings, 'php'>,
  vhost: VirtualHostConfig,
  store: Pick<RuleStore, 'complain'>,
): Readonly<Record<string, string>> | null => {
  const given = [...php].filter(([name]) => name !== 'engine')
  if (given.length === 0) return null
  if (vhost.php.socket !== null) {
    const names = given.map(([name]) => name).slice(0, 10)
    store.complain(
      vhost,
      'php_value of .htaccess has no effect on a PHP that the configuration names by its socket: use .user.ini',
      { names },
    )
    return null
  }
  const { ini, refused } = directoryIni(given, vhost.home)
  if (refused.length > 0) {
    const names = refused.slice(0, 10)
    store.complain(vhost, 'php_value of .htaccess sets what a site may not set', { names })
  }
  return Object.keys(ini).length === 0 ? null : ini
}
