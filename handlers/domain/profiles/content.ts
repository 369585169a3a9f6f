import type { Profile } from './profile.ts'

/** Joomla answers what its administration did by leading back to a list or form (`option=com_…`). */
export const joomla: Profile = {
  name: 'joomla',
  markers: [
    ['administrator/manifests/files/joomla.xml'],
    ['administrator/index.php', 'libraries/loader.php'],
  ],
  sessionCookies: ['0123456789abcdef0123456789abcdef', 'joomla_user_state', 'joomla_remember_me_*'],
  privatePaths: [
    '/administrator',
    '/administrator/*',
    '/component/users/*',
    '/index.php/component/users/*',
    '/api/*',
  ],
  login: ['*option=com_login*', '*option=com_users&view=login*'],
  requests: [
    { at: ['/administrator/*'], to: ['*option=com_*'], effect: 'now' },
    { at: ['/api/index.php/v1/*', '/api/v1/*'], effect: 'now' },
  ],
}

/** Drupal leads on (302, 303) after every form that it took; one with mistakes is shown again. */
export const drupal: Profile = {
  name: 'drupal',
  markers: [['core/lib/Drupal.php'], ['includes/bootstrap.inc', 'modules/node/node.module']],
  sessionCookies: ['SESS0123456789abcdef0123456789abcdef', 'SSESS0123456789abcdef0123456789abcdef'],
  privatePaths: [
    '/user',
    '/user/*',
    '*/user/login',
    '*/user/register',
    '*/user/password',
    '/admin',
    '/admin/*',
    '*/admin/*',
    '/node/add/*',
    '*/edit',
    '/batch',
    '/cron/*',
    '/update.php',
    '/cart',
    '/cart/*',
    '/checkout/*',
  ],
  login: ['*/user/login*'],
  requests: [
    { at: ['/user/*', '*/user/login', '/cart*', '/checkout/*'], effect: 'none' },
    {
      at: [
        '*/admin/*',
        '*/node/add/*',
        '*/node/*/edit',
        '*/node/*/delete',
        '*/node/*/layout*',
        '*/node/*/revisions/*',
        '*/node/*/translations/*',
        '*/taxonomy/term/*/edit',
        '*/taxonomy/term/*/delete',
        '*/media/add/*',
        '*/media/*/edit',
        '*/media/*/delete',
        '*/comment/*',
        '*/block/*',
        '*/layout_builder/*',
        '*/quickedit/*',
      ],
      to: ['*'],
      effect: 'now',
    },
    { at: ['*/jsonapi/*', '*/quickedit/*', '/entity/*'], effect: 'now' },
  ],
}

/** Every address of TYPO3's backend that changes something carries a token. */
export const typo3: Profile = {
  name: 'typo3',
  markers: [
    ['typo3/sysext/core/Classes/Core/Bootstrap.php'],
    ['typo3conf/LocalConfiguration.php'],
    ['typo3/index.php'],
    ['typo3temp/index.html'],
  ],
  sessionCookies: ['fe_typo_user', 'be_typo_user'],
  privatePaths: ['/typo3', '/typo3/*'],
  login: ['*/typo3/login*', '*/typo3/?loginProvider*', '*/typo3/index.php?loginProvider*'],
  requests: [
    {
      at: ['/typo3/ajax/record/*', '/typo3/ajax/page/*', '/typo3/ajax/flush*', '/typo3/ajax/link*'],
      parameters: { token: [] },
      effect: 'now',
    },
    { at: ['/typo3/ajax/*', '/typo3/login*', '/typo3/logout*'], effect: 'none' },
    {
      at: ['/typo3/record/commit*'],
      methods: ['GET', 'POST'],
      parameters: { token: [] },
      effect: 'now',
    },
    { at: ['/typo3/*'], parameters: { token: [] }, effect: 'now' },
  ],
}
