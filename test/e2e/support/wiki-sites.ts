import type { Instance } from '#test/support/instance-types.ts'
import type { PanelClient } from '#test/support/panel-client.ts'
import type { Tenant } from '#test/support/tenant.ts'
import { copyTree } from './copy-tree.ts'
import { dokuwikiTree } from './dokuwiki-tree.ts'
import { mediawikiTree } from './mediawiki-tree.ts'

/** Of the user `editor` of DokuWiki and `Editor` of MediaWiki. */
export const PASSWORD = 'Ed1tor-pass-word'

/** PHP that counts a run: one byte more in the account's `tmp/runs`. */
const countRun = (tenant: Tenant): string =>
  `file_put_contents('${tenant.path('tmp/runs')}', '.', FILE_APPEND);`

/** Runs PHP as the account does from its shell; its output. */
const php = async (tenant: Tenant, args: string[]): Promise<string> => {
  const result = await tenant.run('php', args)
  if (result.code !== 0) throw new Error(`php: ${result.stdout}${result.stderr}`)
  return result.stdout
}

/** Copies the program, and puts `confirm.php` beside it, whose links work once. */
const fill = async (tenant: Tenant, tree: string): Promise<void> => {
  await tenant.run('rm', ['--', tenant.path('public_html/index.html')])
  await copyTree(tenant, tree, 'public_html')
  await tenant.put('public_html/thanks.html', '<p>Thanks!</p>')
  await tenant.put(
    'public_html/confirm.php',
    `<?php
${countRun(tenant)}
if ($_SERVER['REQUEST_METHOD'] !== 'GET') exit;
$token = basename($_SERVER['PATH_INFO'] ?? '');
if (ctype_alnum($token) && @unlink('${tenant.path('tmp/token-')}' . $token)) {
    header('Location: /thanks.html', true, 302);
    exit;
}
echo '<p>This link was used.</p>';
`,
  )
}

/** DokuWiki with access control: all may read, its editor may write. */
export const installDokuwiki = async (tenant: Tenant): Promise<void> => {
  await fill(tenant, await dokuwikiTree())
  const hash = await php(tenant, ['-r', `echo password_hash('${PASSWORD}', PASSWORD_BCRYPT);`])
  const files = {
    'local.php': `<?php
$conf['title'] = 'Harbour Wiki';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['savedir'] = DOKU_INC . 'data';
`,
    'local.protected.php': `<?php ${countRun(tenant)}\n`,
    'acl.auth.php': '# <?php exit()?>\n* @ALL 1\n* @user 8\n',
    'users.auth.php': `# <?php exit()?>\neditor:${hash}:Editor:editor@example.com:user\n`,
  }
  for (const [name, text] of Object.entries(files))
    await tenant.put(`public_html/conf/${name}`, text)
}

/**
 * MediaWiki by its own installation. It says that visitors' pages may be shared, as
 * extensions for a cache do, once there is a file `tmp/shared`.
 */
export const installMediawiki = async (
  instance: Instance,
  panel: PanelClient,
  tenant: Tenant,
): Promise<void> => {
  await fill(tenant, await mediawikiTree())
  await panel.data('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'wiki',
    db_password: PASSWORD,
  })
  const database = `${tenant.username}_wiki`
  await php(tenant, [
    ...['-d', `mysqli.default_socket=${instance.config.paths.run_dir}/mariadb/mariadb.sock`],
    tenant.path('public_html/maintenance/install.php'),
    ...['--dbserver=localhost', `--dbname=${database}`, `--dbuser=${database}`],
    ...[`--dbpass=${PASSWORD}`, `--server=http://${tenant.domain}`, '--scriptpath='],
    ...[`--pass=${PASSWORD}`, 'Harbour Wiki', 'Editor'],
  ])
  const settings = 'public_html/LocalSettings.php'
  const { stdout: installed } = await tenant.run('cat', ['--', tenant.path(settings)])
  await tenant.put(
    settings,
    `${installed}
$wgCacheDirectory = '${tenant.path('tmp/wiki')}';
$wgHooks['BeforePageDisplay'][] = function ($out) {
    $isNobody = !$out->getUser()->isRegistered() && !$out->getRequest()->getSession()->isPersistent();
    if ($isNobody && is_file('${tenant.path('tmp/shared')}'))
        header('X-LiteSpeed-Cache-Control: public,max-age=600');
};
if (PHP_SAPI !== 'cli') ${countRun(tenant)}
`,
  )
}
