import { gzipSync, zstdCompressSync } from 'node:zlib'
import { dumpOf, NATIVE_HASH, PAGE, type AccountOf } from './account-of.ts'
import { tarOf } from './tar-of.ts'

/** A user archive of DirectAdmin, with the home in an inner archive as newer ones have it. */
export const directadminArchive = async ({
  username,
  hash = NATIVE_HASH,
  certificate,
}: AccountOf): Promise<Buffer> =>
  gzipSync(
    await tarOf({
      'backup/user.conf': `username=${username}\nemail=owner@shop.example\ndomain=shop.example\npackage=gold\nsuspended=yes\n`,
      'backup/blog.example/domain.conf': 'domain=blog.example\nforce_ssl=no\n',
      'backup/shop.example/domain.conf': 'domain=shop.example\nforce_ssl=yes\n',
      'backup/shop.example/domain.cert': certificate.certificate,
      'backup/shop.example/domain.key': certificate.key,
      'backup/shop.example/domain.cacert': certificate.chain,
      'backup/shop.example/domain.pointers':
        'shop-alias.example=type=alias\nold-shop.example=pointer\n',
      'backup/shop.example/subdomain.list': 'dev\n',
      'backup/shop.example/email/passwd': 'info:$1$x:1:1::/:/\n',
      'backup/crontab.conf':
        '1=5 * * * * /usr/local/php82/bin/php cron.php\n2=0 0 30 2 * never\nMAILTO=owner@shop.example\nPATH=/usr/bin\n',
      [`backup/${username}_shop.sql`]: dumpOf('orders'),
      [`backup/${username}_shop.conf`]: `${username}_shop=accesshosts=0%3Dlocalhost&passwd=${encodeURIComponent(hash)}&alter_priv=Y\ndb_collation=CHARACTER_SET_NAME=utf8mb4&DEFAULT_COLLATION_NAME=utf8mb4_general_ci&SCHEMA_NAME=${username}_shop\n`,
      'backup/home.tar.zst': zstdCompressSync(await tarOf({ '.bashrc': 'alias ll=ls\n' })),
      'domains/shop.example/public_html/': null,
      'domains/shop.example/public_html/index.php': PAGE,
      'domains/shop.example/private_html': { link: './public_html' },
      'domains/blog.example/public_html/index.html': 'blog',
    }),
  )
