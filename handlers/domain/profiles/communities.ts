import type { Profile } from './profile.ts'

/** MediaWiki leads on when a page was saved; a preview is shown at once. */
export const mediawiki: Profile = {
  name: 'mediawiki',
  markers: [
    ['api.php', 'load.php', 'includes/WebStart.php'],
    ['api.php', 'load.php', 'includes/Setup.php'],
    ['w/api.php', 'w/load.php'],
    ['mediawiki/api.php', 'mediawiki/load.php'],
  ],
  sessionCookies: ['*_session', '*UserID', '*UserName', '*Token'],
  privatePaths: ['*/Special:*', '*/api.php', '*/rest.php/*', '/mw-config/*'],
  login: ['*Special:UserLogin*'],
  requests: [
    {
      at: ['*'],
      parameters: { title: ['Special:UserLog*', 'Special:CreateAccount*', 'Special:Preferences*'] },
      form: true,
      effect: 'none',
    },
    {
      at: ['*/api.php'],
      parameters: {
        action: [
          'edit',
          'move',
          'delete',
          'undelete',
          'protect',
          'rollback',
          'import',
          'upload',
          'filerevert',
          'mergehistory',
          'revisiondelete',
          'setpagelanguage',
          'managetags',
          'tag',
          'visualeditoredit',
          'discussiontoolsedit',
          'wbeditentity',
        ],
      },
      form: true,
      effect: 'now',
    },
    { at: ['*/api.php'], effect: 'none' },
    { at: ['*/rest.php/*/page', '*/rest.php/*/page/*'], effect: 'now' },
    {
      at: ['*'],
      parameters: {
        action: ['submit', 'delete', 'protect', 'unprotect', 'rollback', 'revert', 'purge'],
      },
      form: true,
      to: ['*'],
      effect: 'now',
    },
    {
      at: ['*'],
      parameters: {
        title: ['Special:MovePage*', 'Special:Undelete*', 'Special:Import*', 'Special:Upload*'],
      },
      form: true,
      effect: 'now',
    },
    {
      at: ['*/Special:MovePage*', '*/Special:Undelete*', '*/Special:Import*', '*/Special:Upload*'],
      effect: 'now',
    },
  ],
}

/** DokuWiki names what is done by the button that was pressed: `do[save]`. */
export const dokuwiki: Profile = {
  name: 'dokuwiki',
  markers: [['doku.php', 'inc/init.php']],
  sessionCookies: ['DokuWiki', 'DW0123456789abcdef0123456789abcdef'],
  privatePaths: ['*/lib/exe/*', '*/install.php'],
  login: ['*do=login*'],
  requests: [
    { at: ['*/lib/exe/mediamanager.php'], effect: 'now' },
    {
      at: ['*/lib/exe/ajax.php'],
      parameters: { call: ['mediaupload', 'mediadelete'] },
      form: true,
      effect: 'now',
    },
    {
      at: ['*/lib/exe/jsonrpc.php/core.save*', '*/lib/exe/jsonrpc.php/core.append*'],
      effect: 'now',
    },
    { at: ['*/lib/exe/jsonrpc.php/core.delete*'], effect: 'now' },
    { at: ['*/lib/exe/*'], effect: 'none' },
    { at: ['*'], parameters: { 'do[save]': [] }, form: true, to: ['*'], effect: 'now' },
    {
      at: ['*'],
      parameters: { do: ['save', 'revert', 'recover', 'subscribe'] },
      form: true,
      to: ['*'],
      effect: 'now',
    },
    { at: ['*'], parameters: { do: ['admin'] }, form: true, to: ['*do=admin*'], effect: 'now' },
  ],
}

/** phpBB leads on after posting; what administrators do shows by the session in the address. */
export const phpbb: Profile = {
  name: 'phpbb',
  markers: [['viewtopic.php', 'ucp.php', 'phpbb/di/container_builder.php']],
  sessionCookies: ['phpbb3_*_u', 'phpbb3_*_k', 'phpbb3_*_sid'],
  privatePaths: ['*/ucp.php*', '*/mcp.php*', '*/adm/*', '*/posting.php', '*/memberlist.php'],
  login: ['*mode=login*'],
  requests: [
    { at: ['*/posting.php'], to: ['*'], effect: 'now' },
    { at: ['*/mcp.php'], to: ['*'], effect: 'now' },
    { at: ['*/adm/*'], parameters: { sid: [] }, to: ['*'], effect: 'now' },
  ],
}
