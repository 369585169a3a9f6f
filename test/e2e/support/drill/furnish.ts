import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TOTP } from 'otpauth'
import type { Instance } from '#test/support/instance-types.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { copyTree } from '../copy-tree.ts'
import { installWordpress } from '../wordpress-site.ts'
import { wordpressTree } from '../wordpress-tree.ts'
import { ask, type DrillDatabase } from './fingerprints.ts'

const PASSWORD = 'long enough 1'

/** An account of the machine that is lost. */
export interface Inhabitant {
  tenant: Tenant
  databases: DrillDatabase[]
}

/** What the machine has that must come back. */
export interface House {
  blog: Inhabitant
  /** Has a second factor, an API token, odd files and a plan of its own. */
  shop: Inhabitant & { totp: string; token: string }
  /** Is suspended. */
  closed: Inhabitant
  /** Names that answer over http, and https where they have a certificate. */
  pages: { name: string; path: string; secure: boolean }[]
  hook: string
}

const addDatabase = async (
  panel: PanelClient,
  tenant: Tenant,
  engine: DrillDatabase['engine'],
): Promise<DrillDatabase> => {
  const { database } = await panel.data<{ database: string }>('POST', '/api/databases', {
    account_id: tenant.id,
    db_name: 'main',
    db_password: PASSWORD,
    engine,
  })
  return { engine, database, password: PASSWORD }
}

const addDomain = (
  panel: PanelClient,
  tenant: Tenant,
  name: string,
  type: string,
  root: string,
): Promise<{ id: number }> =>
  panel.data('POST', '/api/domains', {
    account_id: tenant.id,
    domain_name: name,
    domain_type: type,
    document_root: tenant.path(root),
  })

/** Names, modes, times and links as homes have them. */
const ODD_FILES = `set -e
mkdir -p odd/deep/er odd/empty odd/closed
cd odd
printf one > 'with space'
printf two > "$(printf 'new\\nline')"
printf three > "$(printf 'not-utf8-\\377\\376')"
printf four > ./-dash
printf five > '$(touch injected);"quoted'
printf six > "$(printf 'u\\314\\210mlaut')"
: > nothing
head -c 3000000 /dev/urandom > big
printf x > "$(head -c 200 /dev/zero | tr '\\0' n)"
chmod 600 'with space'; chmod 751 ./-dash; chmod 444 nothing; chmod 700 closed
ln -s 'with space' relative
ln -s "$HOME/odd/big" absolute
ln -s nowhere dangling
ln big hard
touch -d 2001-02-03T04:05:06Z big
touch -d 2040-01-01T00:00:00Z nothing`

const wordpress = async (instance: Instance, panel: PanelClient): Promise<Inhabitant> => {
  const tenant = await Tenant.create(panel, 'pro')
  const database = await addDatabase(panel, tenant, 'mariadb')
  await copyTree(tenant, await wordpressTree(), 'public_html')
  await tenant.run('rm', ['-f', '--', tenant.path('public_html/index.html')])
  await installWordpress(instance, panel, {
    accountId: tenant.id,
    domain: tenant.domain,
    database: database.database,
    databasePassword: database.password,
  })
  return { tenant, databases: [database] }
}

const shop = async (instance: Instance, panel: PanelClient): Promise<House['shop']> => {
  const tenant = await Tenant.create(panel, 'house')
  const database = await addDatabase(panel, tenant, 'postgresql')
  await ask(
    instance,
    database,
    `CREATE TABLE items (id serial PRIMARY KEY, name text, price numeric(9,2), raw bytea, at timestamptz);
     INSERT INTO items (name, price, raw, at) SELECT 'item ' || n, n * 1.25, decode(md5(n::text), 'hex'), '2020-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(1, 2000) n;
     CREATE VIEW dear AS SELECT name FROM items WHERE price > 2000`,
  )
  const script = `cd '${tenant.home}'; HOME='${tenant.home}'; ${ODD_FILES}`
  const odd = await tenant.run('/bin/sh', ['-c', script])
  if (odd.code !== 0) throw new Error(`odd files: ${odd.stderr}`)
  await tenant.put('public_html/index.html', 'the shop')
  await addDomain(panel, tenant, `two-${tenant.domain}`, 'addon', 'two')
  await tenant.put('two/index.html', 'the second site')
  await addDomain(panel, tenant, `also-${tenant.domain}`, 'alias', 'public_html')
  await panel.data('PATCH', `/api/cache/${tenant.domain}`, { ttl: 77 })
  const { token } = await panel.data<{ token: string }>('POST', '/api/tokens', {
    account_id: tenant.id,
    name: 'automation',
    scopes: ['read'],
  })
  const own = new PanelClient(instance)
  const login = { username: tenant.username, password: tenant.password }
  own.token = (await own.data<{ token: string }>('POST', '/api/auth/login', login)).token
  const { secret } = await own.data<{ secret: string }>('POST', '/api/auth/totp', {
    password: tenant.password,
  })
  const code = new TOTP({ secret }).generate()
  await own.data('POST', '/api/auth/totp/confirm', { code })
  return { tenant, databases: [database], totp: secret, token }
}

const closed = async (instance: Instance, panel: PanelClient): Promise<Inhabitant> => {
  const tenant = await Tenant.create(panel)
  const database = await addDatabase(panel, tenant, 'mariadb')
  await ask(
    instance,
    database,
    `CREATE TABLE notes (id INT PRIMARY KEY AUTO_INCREMENT, body TEXT, blobs BLOB);
     INSERT INTO notes (body, blobs) SELECT CONCAT('ä note ', seq), UNHEX(MD5(seq)) FROM seq_1_to_500;
     CREATE VIEW longest AS SELECT body FROM notes ORDER BY id DESC LIMIT 1;
     CREATE TRIGGER stamp BEFORE INSERT ON notes FOR EACH ROW SET NEW.body = TRIM(NEW.body)`,
  )
  await tenant.put('public_html/index.html', 'closed for now')
  // It comes back from a snapshot, whose way through tar rounds times to seconds.
  await tenant.run('touch', ['-d', '2020-02-02T02:02:02Z', tenant.path('public_html/index.html')])
  return { tenant, databases: [database] }
}

const addCron = ({ username }: Tenant): void => {
  mkdirSync('/var/spool/cron/crontabs', { recursive: true })
  const file = join('/var/spool/cron/crontabs', username)
  writeFileSync(file, '5 4 * * * /bin/true\n', { mode: 0o600 })
}

/** Whose the blog is. */
export const RESELLER = { username: 'drillreseller', password: 'a password of a reseller' }

/** Fills a machine with three accounts and all that surrounds them. */
export const furnish = async (instance: Instance, panel: PanelClient): Promise<House> => {
  const { file } = instance.config
  await panel.data('PATCH', '/api/plans/free', { domains_limit: 7 })
  await panel.data('POST', '/api/plans', {
    name: 'house',
    disk_quota_mb: 900,
    bandwidth_quota_mb: 9000,
    domains_limit: 9,
    databases_limit: 9,
    tokens_limit: 9,
    backups_limit: 9,
    cron_jobs_limit: 9,
    ssh_keys_limit: 9,
    database_users_limit: 9,
    mails_per_hour_limit: 90,
    people_limit: 9,
    sftp_users_limit: 9,
    database_addresses_limit: 9,
    applications_limit: 3,
    shells_limit: 1,
    processes_limit: 60,
    memory_limit_mb: 600,
    memory_total_mb: 2400,
    cpu_weight: 200,
    cpu_percent: 190,
    io_weight: 300,
  })
  const house = {
    blog: await wordpress(instance, panel),
    shop: await shop(instance, panel),
    closed: await closed(instance, panel),
  }
  const [blog, second] = [house.blog.tenant, house.shop.tenant]
  for (const tenant of [blog, second])
    await panel.data('POST', '/api/ssl/provision', {
      domain: tenant.domain,
      webroot: tenant.path('public_html'),
      force: true,
    })
  addCron(second)
  await panel.data('POST', '/api/cron', {
    account_id: second.id,
    ...{ name: 'tidy', kind: 'shell', schedule: '5 4 1 1 *', command: 'true' },
  })
  const { id: reseller } = await panel.data<{ id: number }>('POST', '/api/resellers', {
    ...RESELLER,
    plans: ['free', 'pro', 'business', 'house'],
    accounts_limit: 2,
  })
  await panel.data('POST', `/api/accounts/${blog.id}/move`, { reseller_id: reseller })
  const hook = join(dirname(file), 'hooks.d/backup.restored/10-tell')
  mkdirSync(dirname(hook), { recursive: true, mode: 0o755 })
  writeFileSync(hook, '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(
    file,
    `${readFileSync(file, 'utf8')}\n[[virtualhost]]\ndomain = "hand.example"\nroot = "${second.path('two')}"\n`,
  )
  await panel.data('POST', '/api/veloserve/reload')
  await panel.data('POST', `/api/accounts/${house.closed.tenant.id}/suspend`, { reason: 'unpaid' })
  return {
    ...house,
    hook,
    pages: [
      { name: blog.domain, path: '/', secure: true },
      { name: blog.domain, path: '/?p=1', secure: false },
      { name: blog.domain, path: '/wp-includes/css/dashicons.css', secure: true },
      { name: second.domain, path: '/', secure: true },
      { name: `two-${second.domain}`, path: '/', secure: false },
      { name: `also-${second.domain}`, path: '/', secure: false },
      { name: house.closed.tenant.domain, path: '/', secure: false },
    ],
  }
}
