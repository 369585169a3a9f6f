import type { Profile } from './profile.ts'

/** Applications of which every page is somebody's own. */
const closed = (
  name: Profile['name'],
  markers: Profile['markers'],
  sessionCookies: readonly string[],
): Profile => ({ name, markers, sessionCookies, privatePaths: ['*'], login: [], requests: [] })

/** Also ownCloud, from which it has names of cookies. */
export const nextcloud = closed(
  'nextcloud',
  [['status.php', 'remote.php', 'ocs/v2.php']],
  ['nc_session_id', 'nc_username', 'nc_token', 'oc_sessionPassphrase'],
)

/** Installed whole in the document root, or with `public_html/` as that. */
export const roundcube = closed(
  'roundcube',
  [
    ['program/include/iniset.php'],
    ['../program/include/iniset.php', '../plugins/archive/archive.php'],
  ],
  ['roundcube_sessid', 'roundcube_sessauth'],
)

/** Versions 4 to 5, and 6 with `public/` as document root. */
export const phpmyadmin = closed(
  'phpmyadmin',
  [
    ['libraries/vendor_config.php', 'themes/pmahomme/theme.json'],
    ['libraries/classes/Core.php', 'themes/pmahomme/theme.json'],
    ['../app/vendor_config.php', 'themes/pmahomme/theme.json'],
  ],
  ['phpMyAdmin', 'phpMyAdmin_https', 'pmaUser-1', 'pmaAuth-1'],
)
