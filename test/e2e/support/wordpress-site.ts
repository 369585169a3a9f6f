import { expect } from 'vitest'
import type { Instance } from '#test/support/instance-types.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import { BrowserLike } from './browser-like.ts'

const EDITOR = { name: 'editor', password: 'Ed1tor!pass-word' }

const phpString = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`

/** Writes `wp-config.php` through the file API and runs WordPress's own installation. The files are there, the database as well. */
export const installWordpress = async (
  instance: Instance,
  panel: PanelClient,
  site: { accountId: number; domain: string; database: string; databasePassword: string },
): Promise<void> => {
  await panel.data('POST', '/api/files/write', {
    account_id: site.accountId,
    path: 'public_html/wp-config.php',
    content: `<?php
define('DB_NAME', ${phpString(site.database)});
define('DB_USER', ${phpString(site.database)});
define('DB_PASSWORD', ${phpString(site.databasePassword)});
define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  })
  const install = await new BrowserLike(instance, site.domain).post(
    '/wp-admin/install.php?step=2',
    {
      weblog_title: 'Harbour News',
      user_name: EDITOR.name,
      admin_password: EDITOR.password,
      admin_password2: EDITOR.password,
      pw_weak: '1',
      admin_email: 'editor@example.com',
      blog_public: '0',
      language: '',
      Submit: 'Install WordPress',
    },
  )
  expect(install.status).toBe(200)
  expect(install.text).toContain('Success!')
}

/** Logs in through the form; the visitor then has the editor's cookies. */
export const logIn = async (editor: BrowserLike, domain: string): Promise<void> => {
  await editor.get('/wp-login.php')
  const login = await editor.post('/wp-login.php', {
    log: EDITOR.name,
    pwd: EDITOR.password,
    'wp-submit': 'Log In',
    redirect_to: `http://${domain}/wp-admin/`,
    testcookie: '1',
  })
  expect(login.status).toBe(302)
  expect(editor.cookieNames().some((name) => name.startsWith('wordpress_logged_in_'))).toBe(true)
}

/** Through the settings page, as an editor would; WordPress keeps plain links until then. */
export const setPermalinks = async (editor: BrowserLike, structure: string): Promise<void> => {
  const settings = await editor.get('/wp-admin/options-permalink.php')
  const nonce = /name="_wpnonce" value="([^"]+)"/.exec(settings.text)?.[1]
  expect(nonce).toBeDefined()
  const saved = await editor.post('/wp-admin/options-permalink.php', {
    _wpnonce: nonce!,
    _wp_http_referer: '/wp-admin/options-permalink.php',
    selection: 'custom',
    permalink_structure: structure,
    category_base: '',
    tag_base: '',
    submit: 'Save Changes',
  })
  expect([200, 302]).toContain(saved.status)
  // WordPress makes its rules anew when the screen is shown again.
  expect((await editor.get('/wp-admin/options-permalink.php?settings-updated=true')).status).toBe(
    200,
  )
}

/** The nonce that calls of the REST API with the editor's cookies need. */
export const restNonce = async (editor: BrowserLike): Promise<string> =>
  (await editor.get('/wp-admin/admin-ajax.php?action=rest-nonce')).text.trim()
