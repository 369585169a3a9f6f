import { gzipSync } from 'node:zlib'
import { dumpOf, NATIVE_HASH, PAGE, type AccountOf } from './account-of.ts'
import { tarOf, type Member } from './tar-of.ts'

/** An account archive as `pkgacct` of cPanel makes it; with `inner` the home is an archive of its own. */
export const cpanelArchive = async (
  { username, hash = NATIVE_HASH, certificate }: AccountOf,
  {
    inner = false,
    postgresql,
    ownHash = '5d2e19393cc5ef67',
  }: {
    inner?: boolean
    /** Dump of its PostgreSQL database, as `pg_dump -Fc` writes it. */
    postgresql?: Buffer
    /** Of the database user that cPanel gives every account. */ ownHash?: string
  } = {},
): Promise<Buffer> => {
  const top = `backup-11.1.2026_03-00-00_${username}`
  const home = `/home1/${username}`
  const files: Record<string, Member> = {
    'public_html/': null,
    'public_html/index.php': PAGE,
    'public_html/wp-config.php': `<?php define('WPCACHEHOME', '${home}/public_html/');`,
    'public_html/addon/': null,
    'public_html/addon/index.html': 'addon',
    www: { link: 'public_html' },
    'access-logs': { link: `/etc/apache2/logs/domlogs/${username}` },
    'public_html/copy.php': { hardLink: 'public_html/index.php' },
    '.cpanel/': null,
    '.cpanel/junk': 'junk',
    'etc/shop.example/passwd': 'info:x:1:1::/:/\n',
  }
  const homeMembers: Record<string, Member> = inner
    ? { [`${top}/homedir.tar`]: await tarOf(files) }
    : Object.fromEntries(
        Object.entries(files).map(([name, member]): [string, Member] => [
          `${top}/homedir/${name}`,
          typeof member === 'object' && member !== null && 'hardLink' in member
            ? { hardLink: `${top}/homedir/${member.hardLink}` }
            : member,
        ]),
      )
  return gzipSync(
    await tarOf({
      [`${top}/version`]: 'pkgacct version: 10\narchive version: 4\n',
      [`${top}/cp/${username}`]: `USER=${username}\nDNS=shop.example\nPLAN=gold\nCONTACTEMAIL=owner@shop.example\n`,
      [`${top}/homedir_paths`]: `${home}\n`,
      [`${top}/shadow`]: '$6$salt$hash',
      [`${top}/userdata/main`]: `---\naddon_domains:\n  blog.example: blog.shop.example\nmain_domain: shop.example\nparked_domains:\n  - shop-alias.example\nsub_domains:\n  - blog.shop.example\n  - dev.shop.example\n`,
      [`${top}/userdata/shop.example`]: `---\ndocumentroot: ${home}/public_html\nservername: shop.example\nserveralias: www.shop.example mail.shop.example shop-alias.example\nphpversion: ea-php82\n`,
      [`${top}/userdata/blog.shop.example`]: `---\ndocumentroot: ${home}/public_html/addon\nservername: blog.shop.example\nserveralias: www.blog.shop.example blog.example www.blog.example\nphpversion: inherit\n`,
      [`${top}/userdata/dev.shop.example`]: `---\ndocumentroot: ${home}/public_html/dev\nservername: dev.shop.example\nserveralias: ''\nphpversion: ea-php56\n`,
      [`${top}/userdata/cache.json`]: '{}',
      [`${top}/apache_tls/shop.example`]:
        certificate.key + certificate.certificate + certificate.chain,
      [`${top}/mysql/${username}_shop.create`]: `CREATE DATABASE \`${username}_shop\` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;\n`,
      [`${top}/mysql/${username}_shop.sql`]: dumpOf('orders'),
      ...(postgresql !== undefined && { [`${top}/psql/${username}_notes.tar`]: postgresql }),
      [`${top}/mysql.sql`]: [
        `-- cPanel mysql backup`,
        `GRANT USAGE ON *.* TO '${username}'@'localhost' IDENTIFIED BY PASSWORD '${ownHash}';`,
        `GRANT ALL PRIVILEGES ON \`${username}\\_shop\`.* TO '${username}'@'localhost';`,
        `GRANT USAGE ON *.* TO '${username}_wp'@'localhost' IDENTIFIED BY PASSWORD '${hash}';`,
        `GRANT SELECT, INSERT ON \`${username}\\_shop\`.* TO '${username}_wp'@'localhost';`,
        `GRANT SELECT, INSERT ON \`${username}\\_shop\`.* TO '${username}_wp'@'10.0.0.1';`,
        '',
      ].join('\n'),
      [`${top}/dnszones/shop.example.db`]: '; zone',
      [`${top}/va/shop.example`]: 'info',
      [`${top}/cron/${username}`]: [
        '# of the shop',
        'MAILTO="owner@shop.example"',
        'SHELL="/bin/bash"',
        `5 * * * * /usr/local/bin/ea-php82 ${home}/cron.php --home=${home} >/dev/null 2>&1`,
        'CRON_TZ=Europe/Berlin',
        '@daily\tcurl -s https://shop.example/cron',
        '@reboot start-daemon',
        '0 0 * * * mail -s "100%" owner',
        'five words are no job',
        '',
      ].join('\n'),
      [`${top}/cron/root`]: '* * * * * id\n',
      ...homeMembers,
    }),
  )
}
