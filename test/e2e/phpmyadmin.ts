import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'
import { copyTree } from './support/copy-tree.ts'
import { phpmyadminTree } from './support/phpmyadmin-tree.ts'
import { launchSiteBrowser } from './support/site-browser.ts'

const PASSWORD = 'Db-pass-0123456789'

let tenant: Tenant
let browser: Browser

beforeAll(async () => {
  tenant = await Tenant.create(panel, 'pro')
  const tree = await phpmyadminTree()
  await copyTree(tenant, join(tree, 'web'), 'public_html/dbadmin')
  await copyTree(tenant, join(tree, 'php'), 'php-libraries')
  const vendor = await readFile(join(tree, 'web/libraries/vendor_config.php'), 'utf8')
  const own = vendor
    .replace("'/var/lib/phpmyadmin/tmp/'", `'${tenant.path('tmp')}/'`)
    .replace("'/etc/phpmyadmin/config.inc.php'", "ROOT_PATH . 'config.local.php'")
    .replace('return [', `set_include_path('${tenant.path('php-libraries')}');\nreturn [`)
  await tenant.put('public_html/dbadmin/libraries/vendor_config.php', own)
  await tenant.put(
    'public_html/dbadmin/config.local.php',
    `<?php
$cfg['blowfish_secret'] = '0123456789abcdef0123456789abcdef';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost'];
$cfg['SendErrorReports'] = 'never';
`,
  )
  await tenant.put(
    'public_html/dbadmin/.htaccess',
    `Options -Indexes
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule ^(?:libraries|templates|sql)/ - [F]
</IfModule>
<Files "config.local.php">
Require all denied
</Files>
`,
  )
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'shop',
    db_password: PASSWORD,
  })
  browser = await launchSiteBrowser(instance)
})
afterAll(async () => {
  await browser?.close()
})

test('what phpMyAdmin keeps to itself is closed by its .htaccess', async () => {
  for (const path of ['libraries/constants.php', 'sql/create_tables.sql', 'config.local.php']) {
    expect((await instance.site(tenant.domain, `/dbadmin/${path}`)).status, path).toBe(403)
  }
  expect((await instance.site(tenant.domain, '/dbadmin/')).status).toBe(200)
})

test('an account logs in to its database and runs queries in a browser', async () => {
  const name = `${tenant.username}_shop`
  const page = await browser.newPage()
  page.setDefaultTimeout(30_000)
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`http://${tenant.domain}/dbadmin/`)
  await page.fill('input[name=pma_username]', name)
  await page.fill('input[name=pma_password]', 'wrong')
  await page.click('input[type=submit]')
  await page
    .getByText(/Access denied/)
    .first()
    .waitFor()
  await page.fill('input[name=pma_username]', name)
  await page.fill('input[name=pma_password]', PASSWORD)
  await page.click('input[type=submit]')
  await page.locator('#pma_navigation a.logout').waitFor()

  const run = async (sql: string): Promise<void> => {
    await page.goto(`http://${tenant.domain}/dbadmin/index.php?route=/database/sql&db=${name}`)
    await page.locator('#sqlqueryform .CodeMirror').waitFor()
    await page.evaluate((text) => {
      const editor = document.querySelector('#sqlqueryform .CodeMirror') as unknown as {
        CodeMirror: { setValue(value: string): void }
      }
      editor.CodeMirror.setValue(text)
    }, sql)
    await page.click('#button_submit_query')
  }
  await run(
    "CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(40)); INSERT INTO boats VALUES (1, 'Sirène'), (2, 'O''Hara')",
  )
  await page
    .getByText(/2 rows inserted/)
    .first()
    .waitFor()
  await run('SELECT id, UPPER(name) AS shout FROM boats ORDER BY id')
  const cells = page.locator('table.table_results td[data-type=string]')
  await cells.first().waitFor()
  expect((await cells.allInnerTexts()).map((text) => text.trim())).toEqual(['SIRÈNE', "O'HARA"])
  await run('SELECT * FROM mysql.user')
  await page
    .getByText(/denied/)
    .first()
    .waitFor()
  expect(failed).toEqual([])
})
