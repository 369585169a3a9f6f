import { gzipSync, zstdCompressSync } from 'node:zlib'
import { dumpOf, NATIVE_HASH, PAGE, type AccountOf } from './account-of.ts'
import { tarOf } from './tar-of.ts'

const pairs = (fields: Readonly<Record<string, string>>): string =>
  `${Object.entries(fields)
    .map(([key, value]) => `${key}='${value}'`)
    .join(' ')}\n`

const EVERY_DAY = { MIN: '5', HOUR: '3', DAY: '*', MONTH: '*', WDAY: '*' }

/** An archive as `v-backup-user` of HestiaCP makes it; inner archives zstd, some of several frames. */
export const hestiaArchive = async ({
  username,
  hash = NATIVE_HASH,
  certificate,
}: AccountOf): Promise<Buffer> => {
  const home = `/home/${username}`
  const files = await tarOf({
    './public_html': null,
    './public_html/index.php': PAGE,
    './public_html/old': { link: `${home}/web/shop.example/private` },
    './public_html/out': { link: '/etc/passwd' },
    './private': null,
    './private/key.txt': 'kept',
  })
  const half = Math.floor(files.length / 2)
  // As pzstd writes: many frames one behind the other.
  const frames = [files.subarray(0, half), files.subarray(half)].map((part) =>
    zstdCompressSync(part),
  )
  return tarOf({
    './.zstd': '',
    './hestia/user.conf': `NAME='${username}'\nCONTACT='owner@shop.example'\nPACKAGE='default'\nSUSPENDED='no'\n`,
    './pam/passwd': `${username}:x:1007:1007:owner:${home}:/bin/bash\n`,
    './pam/shadow': `${username}:$y$j9T$abc:19000:0:99999:7:::\n`,
    './web/shop.example/hestia/web.conf': pairs({
      DOMAIN: 'shop.example',
      ALIAS: 'www.shop.example,shop-alias.example',
      BACKEND: 'PHP-8_2',
      SSL: 'yes',
      SSL_FORCE: 'yes',
      SSL_HSTS: 'no',
    }),
    './web/shop.example/hestia/shop.example.crt': certificate.certificate,
    './web/shop.example/hestia/shop.example.key': certificate.key,
    './web/shop.example/hestia/shop.example.ca': certificate.chain,
    './web/shop.example/conf/nginx.conf_own': 'deny all;',
    './web/shop.example/domain_data.tar.zst': Buffer.concat(frames),
    './web/blog.example/hestia/web.conf': pairs({
      DOMAIN: 'blog.example',
      ALIAS: '',
      BACKEND: 'no-php',
      CUSTOM_DOCROOT: `${home}/web/shop.example/public_html/blog/`,
      REDIRECT: 'https://shop.example',
    }),
    './web/blog.example/domain_data.tar.gz': gzipSync(
      await tarOf({ './public_html/index.html': 'blog' }),
    ),
    './web/outside.example/hestia/web.conf': pairs({
      DOMAIN: 'outside.example',
      CUSTOM_DOCROOT: '/srv/www/',
    }),
    [`./db/${username}_shop/hestia/db.conf`]: pairs({
      DB: `${username}_shop`,
      DBUSER: `${username}_shop`,
      MD5: hash,
      TYPE: 'mysql',
      CHARSET: 'utf8mb4',
    }),
    [`./db/${username}_shop/${username}_shop.mysql.sql.zst`]: zstdCompressSync(
      Buffer.from(dumpOf('orders')),
    ),
    './dns/shop.example/hestia/dns.conf': '',
    './mail/shop.example/hestia/mail.conf': '',
    './cron/cron.conf': [
      { ...EVERY_DAY, CMD: `php ${home}/cron.php %quote%a%quote%` },
      { ...EVERY_DAY, CMD: 'date +\\%F > day', SUSPENDED: 'yes' },
      { ...EVERY_DAY, MIN: '61', CMD: 'false' },
      { JOB: '4', CMD: 'no time' },
      { ...EVERY_DAY, CMD: 'sudo /usr/local/hestia/bin/v-update-sys-queue backup' },
    ]
      .map(pairs)
      .join(''),
    './user_dir/.wp-cli.tar.zst': zstdCompressSync(
      await tarOf({ './.wp-cli/config.yml': 'path: web' }),
    ),
    './user_dir/tmp.tar.zst': zstdCompressSync(await tarOf({ './tmp/junk': 'junk' })),
  })
}
