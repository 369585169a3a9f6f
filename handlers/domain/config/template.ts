import { trimEndOf } from '../../../edge-cache/fields/field-text.ts'
import { DEFAULT_CACHE_CONFIG } from '../../../edge-cache/config.ts'

/**
 * The commented `berth.toml` that a first start writes and `config show-default`
 * prints. Read back it gives the defaults, but for the page cache's storage: on
 * disk, so that both layers work and pages outlive a restart.
 */
export const renderDefaultConfig = ({ root }: { root: boolean }): string => {
  const cache = DEFAULT_CACHE_CONFIG
  const place = root
    ? {
        state: '/var/lib/berth',
        home: '/home',
        run: '/run/berth',
        log: '/var/log/berth',
        install: '/opt/berth',
        secrets: '/etc/berth/secrets',
      }
    : {
        state: 'state',
        home: 'state/home',
        run: 'run',
        log: 'log',
        install: 'state/install',
        secrets: 'state/secrets',
      }
  const port = root ? { http: 80, https: 443 } : { http: 8080, https: 8443 }
  const text = `# Berth: hosting panel and web server.
# Relative paths start at the directory of this file. Sizes are "256M", "2G".
# Check it with: berth config test      Take it up with: kill -HUP <supervisor>, or a restart.

[paths]
state_dir = "${place.state}"          # accounts, certificates, cache, backups
home_base = "${place.home}"           # homes of hosting accounts
run_dir = "${place.run}"              # sockets and pid files; at most 70 bytes long
log_dir = "${place.log}"
install_dir = "${place.install}"      # the processes run from copies kept here
vhosts_dir = "${place.state}/vhosts.d" # generated virtual hosts
secrets_dir = "${place.secrets}"

[panel]
listen = ["0.0.0.0:7070"]
tls = "off"                           # "self-signed", or the panel's name: https with a certificate for it
# tls_certificate = "panel.pem"       # one's own certificate with its chain, readable by user berth
# tls_certificate_key = "panel.key"
# acme_email = "you@example.com"      # needed for certificates
# acme_directory = "https://acme-v02.api.letsencrypt.org/directory" # the authority
# acme_eab_key_id = "kid-1"           # what the authority knows you by, where it wants that
# acme_eab_key_file = "acme-eab.key"  # and its key, base64url; readable by root alone
# acme_fallback_directory = "https://acme.zerossl.com/v2/DV90" # asked where the other cannot be reached
# acme_fallback_eab_key_id = "kid-2"
# acme_fallback_eab_key_file = "acme-fallback-eab.key"
# acme_ca_file = "authority.pem"      # its root certificate, where the system does not know it
# setup_token_file = "setup.token"    # first setup then asks for the token in this file
# store = "postgres://berth@db.example.com/berth?sslmode=verify-full" # PostgreSQL, not SQLite
# store_password_file = "secrets/store-password" # of mode 0600 and user berth's
# store_ca_file = "database-authority.pem"
# license_file = "license.json"
# license_public_key_file = "license.pub"
database_tool_port = 7071             # the web tool of databases has an origin of its own; 0: none
trusted_proxies = []                  # whose X-Forwarded-For counts, e.g. ["10.0.0.0/8"]

[server]
listen = ["0.0.0.0:${port.http}", "[::]:${port.http}"]
listen_ssl = ["0.0.0.0:${port.https}", "[::]:${port.https}"]
# front_listen = "10.0.0.2:7443"      # for fronts of this machine alone, see docs/fronts.md
workers = 0                           # 0: one per core
keepalive_timeout = 30                # seconds an idle connection is kept
header_timeout = 30                   # seconds for a whole request head to arrive
request_timeout = 300                 # seconds for a whole request to arrive
max_header_size = "16K"               # of a request head
max_body_size = "256M"                # of uploads; 0: no limit
max_connections = 20000               # open at once; beyond it idle ones are closed, then new ones; 0: no limit
max_connections_per_address = 1000    # of one IPv4 address or IPv6 /64; not of trusted_proxies; 0: no limit
access_log = true
worker_start_secs = 60                # a worker that does not serve within that is given up; more on slow machines
worker_stall_secs = 5                 # a worker that does nothing for so long is replaced
compress = true                       # text goes out in gzip or brotli
# default_host = { status = 421 }      # for names that no site has; or { redirect = "https://example.com/" }; default: 404

[api]
listen = ["127.0.0.1:8090"]           # management API; this machine only

[link]
# listen = ["192.0.2.10:7072"]        # where panels on other machines reach this one, after "berth agent join"; default: nowhere

[php]
# default_version = "8.2"             # the newest installed
max_children = 10                     # PHP processes per account
memory_limit = "256M"
idle_timeout = 300                    # seconds without a request until an account's PHP stops
request_timeout = 300                 # seconds PHP may take for one request
lsphp_directory = "/usr/local/lsws"   # holds lsphp82/bin/lsphp, for PHP mode lsapi

[cache]
enable = ${cache.enable}
l1_enabled = ${cache.l1_enabled}                     # in memory
l2_enabled = ${cache.l2_enabled}                     # persistent
storage = "disk"                      # "memory", "disk" or "redis"
memory_limit = "${cache.memory_limit}"
disk_path = "${place.state}/cache"
disk_limit = "${cache.disk_limit}"
# redis_url = "redis://:password@127.0.0.1:6379"
# when_alone = "strict"               # no stored page without Redis, so that none outlives a purge anywhere
default_ttl = ${cache.default_ttl}                    # seconds
grace_secs = ${cache.grace_secs}                      # serve stale for so long while refreshing, or when PHP fails
# ignore_query_params = ["utm_*", "fbclid", "gclid", "gbraid", "wbraid", "dclid", "msclkid", "mc_cid", "mc_eid", "igshid", "twclid", "ttclid", "yclid", "_ga", "_gl", "_hsenc", "_hsmi", "mtm_*", "pk_*"]
# The line above is the recommended list: an address with no other parameters is answered as if it
# had none, and scripts do not see them. Off as long as it is commented out.
mobile_variant = ${cache.mobile_variant}               # pages of their own for phones
warm_enabled = ${cache.warm_enabled}
warm_schedule_secs = ${cache.warm_schedule_secs}                # 0: off
warm_max_queue_size = ${cache.warm_max_queue_size}
warm_max_concurrency = ${cache.warm_max_concurrency}
warm_request_timeout_ms = ${cache.warm_request_timeout_ms}
warm_max_retries = ${cache.warm_max_retries}
warm_retry_backoff_ms = ${cache.warm_retry_backoff_ms}
warm_dedupe_window_secs = ${cache.warm_dedupe_window_secs}
warm_batch_size = ${cache.warm_batch_size}

[ssl]
directory = "${place.state}/certs"
protocols = ["TLSv1.2", "TLSv1.3"]
allow_local_dns = false               # whether DNS servers that certificates are proved by may lie outside of the internet

[applications]
allow_local_sources = false           # whether accounts may fetch repositories that lie outside of the internet

[databases]
mariadb = "auto"                      # "auto", "managed", "system" or "off"
mariadb_socket = "/run/mysqld/mysqld.sock" # of the system's server
postgresql = "auto"                   # "auto" or "managed": a private one; "system" or "off"
postgresql_socket = "/run/postgresql/.s.PGSQL.5432" # of the system's server
mariadb_remote = false                # whether other machines reach it (3306, TLS), from addresses that owners name
postgresql_remote = false             # likewise (5432)

[wordpress]
sources = ["/usr/share/wordpress"]    # what sites are installed from: each a WordPress, or a directory with such
cores = ["/usr/local/share/wordpress-cores"] # directories with archives (.zip, .tar.gz) of WordPress itself
official = true                       # whether versions are also fetched from WordPress itself when they are chosen
official_languages = []               # in which they are offered beside English, as "de_DE"
official_downloads = "https://downloads.wordpress.org" # or a mirror of it
official_api = "https://api.wordpress.org" # or a mirror: versions, and the sums of their files
official_private = false              # whether these may lie outside of the internet, and be http://
packages = ["/usr/local/share/wordpress-packages"] # directories with archives (.zip) of plugins and themes

[backups]
# schedule = 3                        # hour of the day, UTC, in which every account is backed up
retention_days = 30                   # days after which the schedule removes backups
at_once = 1                           # scheduled backups that are made at a time
allow_local_targets = false           # whether targets set up in the panel may lie on this machine
#
# Copies elsewhere; secrets stand in files of their own, readable by root alone:
#
# [[remote_target]]
# name = "archive"
# type = "s3"
# endpoint = "https://s3.example.com"
# bucket = "backups"
# region = "eu-central-1"
# access_key_id = "AKIA..."
# secret_key_file = "archive.key"
# is_default = true                   # where copies go when nothing else is said
#
# [[remote_target]]
# name = "box"
# type = "sftp"
# endpoint = "box.example.com:22"
# username = "backup"
# path = "/backups"
# private_key_file = "box.key"        # or password_file
# host_key = "SHA256:uNiVztksCsDhcc0u9e8BrrADUlZaMkPrWVxVXVfgzjE" # ssh-keyscan HOST | ssh-keygen -lf -
# allow_private = false               # whether it may be on this machine or its link

[ssh]
sftp = ${root ? 'true ' : 'false'}                          # accounts reach their homes, and nothing else, by the machine's sshd
port = 0                              # a port that sshd listens at besides its own; 0: none
# host = "sftp.example.com"           # what owners connect to; else the panel's name
config_file = "/etc/ssh/sshd_config"  # a drop-in is written to sshd_config.d beside it

[mail]                                # what accounts and the panel send; see docs/mail.md
# relay = "smtp://mail.example.com:587" # where it goes, with STARTTLS; "smtps://" with TLS at once
# username = "berth@example.com"      # at the relay
# password_file = "mail-relay.password" # readable by user berth-mail
# ca_file = "authority.pem"           # the relay's root certificate, where the system does not know it
allow_plaintext = false               # whether it may go to another machine without TLS
# from = "berth@example.com"          # sender of the panel's own messages
# hello = "server.example.com"        # what this server is called; else the machine's name
max_message_size = "25M"
max_recipients = 50                   # of one message
per_hour = 10000                      # of the whole server, by recipients
retry_hours = 72                      # after that a message is given up
keep_days = 7                         # messages without a relay, and failed ones
keep_size = "1G"                      # all waiting and kept messages together
log_days = 30                         # how long the list shows what has ended

[hooks]                               # programs in hooks.d/<event>/ are told of events; see docs/hooks.md
directory = "hooks.d"
run_as = "berth"                      # system user; "root" only if they must be
timeout = 30                          # seconds that one may take
at_once = 4                           # how many run at once
#
# [[webhook]]
# name = "billing"
# url = "https://billing.example.com/events"
# secret_file = "billing.secret"      # messages are signed with what stands in it; readable by user berth
# events = ["account.created", "account.deleted"] # or ["*"]
# allow_private = false               # whether it may lie outside of the internet

# Sites made in the panel are written to vhosts_dir. Of every site, hidden files (.env, .git) and
# backup copies of editors (x~, x.bak, x.old, x.php.save) are never served. One by hand:
#
# [[virtualhost]]
# domain = "example.com"
# aliases = ["www.example.com"]
# root = "/srv/example.com"
# ssl_certificate = "/etc/ssl/example.com.pem"
# ssl_certificate_key = "/etc/ssl/example.com.key" # both readable for group berth-web
# redirect_https = true
# hsts_max_age_secs = 31536000      # browsers then insist on https for so long; 0: off
# username = "alice"                # an account, whose PHP the site then has; root in its home
#
# htaccess = true                   # read .htaccess files; on by itself for sites of accounts
# folders = { "/media" = "/srv/media" } # files elsewhere, by path
# rewrites = [{ pattern = "^/old/(.*)$", target = "/new/$1", flags = "R=301,L" }]
#
# [virtualhost.php]                 # enable = false: files only
# mode = "fpm"                      # or "cgi", "lsapi"
# max_children = 20                 # these three of its own, else as in [php]
# memory_limit = "512M"
# ini = { "date.timezone" = "Europe/Vienna", upload_max_filesize = "64M" }
#
# [virtualhost.proxy]               # an application of its own instead of files and PHP
# upstream = "http://127.0.0.1:3000" # or "https://...", or "unix:/run/app/app.sock"
# paths = ["/api", "/socket"]       # only these; the rest stays files and PHP
# replace_prefix = { from = "/api", to = "/" } # the application has it elsewhere
# connect_timeout_secs = 5
# timeout_secs = 60                 # for the head of an answer, and between two pieces of it
# keepalive_connections = 32        # idle connections kept per worker
# preserve_host = true              # the application sees the visitor's Host
# websocket = true
# websocket_idle_secs = 600         # silence after which a WebSocket is closed
# verify_tls = true                 # of an https upstream
# channel = "host-0123456789ab"     # the upstream is that machine's front_listen: see docs/fronts.md
# reach = "anywhere"                # upstreams of an account's site: else its own, "internet": there alone
# application = "shop"              # the account's application that listens there: started for a visitor
# [virtualhost.backends.api]        # a further application, with the same keys; see docs/web-server.md
# paths = ["/api/v2"]
# upstreams = [{ upstream = "http://127.0.0.1:4000", weight = 2 }, { upstream = "http://127.0.0.1:4001" }]
# back_off_secs = 10                # the longest that one of several is left alone when it fails
# health_path = "/health"           # asked of each of several
# health_interval_secs = 5
# A session cookie of the application belongs into bypass_cookies below, unless mode is "http".
#
# [virtualhost.cache]
# enable = true
# mode = "page"                    # "http": whatever the origin's own headers permit
# fills = "auto"                   # "visitor" by visitors' requests, "neutral" by nobody's
# ttl = 600
# exclude = ["/account", "/cart/*"]
# harmless_cookies = ["theme"]      # say nothing of who is asking
# content_types = ["text/html"]
# purge_path = true                # GET /purge/x makes /x new, as PURGE /x does
`
  return text.split('\n').map(aligned).join('\n')
}

const COMMENT_COLUMN = 38
const SETTING = /^(?:# )?\w+ = /

/** A line with a setting, switched off or not, has the comment behind it in one column with the others. */
const aligned = (line: string): string => {
  const begin = SETTING.exec(line)?.[0].length
  const at = begin === undefined ? -1 : line.indexOf(' # ', begin)
  if (at === -1) return line
  const setting = trimEndOf(line.slice(0, at), ' ')
  const comment = line.slice(at + 1)
  return setting.length < COMMENT_COLUMN
    ? `${setting.padEnd(COMMENT_COLUMN)}${comment}`
    : `${setting} ${comment}`
}
