import type { Profile } from './profile.ts'

/** Applications of which every page is somebody's own. */
const closed = (
  name: Profile['name'],
  markers: Profile['markers'],
  sessionCookies: readonly string[],
): Profile => ({ name, markers, sessionCookies, privatePaths: ['*'], login: [], requests: [] })

export const nextcloud = closed(
  'nextcloud',
  [['status.php', 'remote.php', 'ocs/v2.php']],
  ['nc_session_id', 'nc_username', 'nc_token', 'oc_sessionPassphrase'],
)

export const roundcube = closed(
  'roundcube',
  [
    ['program/include/iniset.php'],
    ['../program/include/iniset.php', '../plugins/archive/archive.php'],
  ],
  ['roundcube_sessid', 'roundcube_sessauth'],
)

export const phpmyadmin = closed(
  'phpmyadmin',
  [
    ['libraries/vendor_config.php', 'themes/pmahomme/theme.json'],
    ['libraries/classes/Core.php', 'themes/pmahomme/theme.json'],
    ['../app/vendor_config.php', 'themes/pmahomme/theme.json'],
  ],
  ['phpMyAdmin', 'phpMyAdmin_https', 'pmaUser-1', 'pmaAuth-1'],
)
