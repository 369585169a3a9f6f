import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** @typedef {{ name: string, why: string, found: string }} DebianPackage `found`: a pattern that any installed package may fulfil */

/**
 * PHP modules come as php-x (the distribution's version) or php8.3-x.
 *
 * @param {string} part
 * @param {string} why
 * @returns {DebianPackage}
 */
const php = (part, why) => ({ name: `php-${part}`, why, found: `php[0-9]*-${part}` })

/** What real hosting needs. */
export const HOSTING_PACKAGES = [
  php('fpm', 'runs the PHP of every account'),
  php('cgi', 'PHP mode cgi'),
  php('cli', 'WP-CLI, Composer and cron of accounts'),
  php('mysql', 'databases from PHP'),
  php('mbstring', 'asked for by most PHP applications'),
  php('xml', 'asked for by most PHP applications'),
  php('curl', 'PHP applications that fetch updates'),
  php('gd', 'pictures in PHP applications'),
  php('zip', 'plugins and updates of PHP applications'),
  php('intl', 'languages in PHP applications'),
  php('pgsql', 'PostgreSQL databases from PHP'),
  { name: 'mariadb-server', why: 'databases of accounts', found: 'mariadb-server' },
  { name: 'postgresql', why: 'PostgreSQL databases of accounts', found: 'postgresql' },
  { name: 'adminer', why: 'looks into databases from the panel', found: 'adminer' },
  { name: 'restic', why: 'incremental, encrypted backups of accounts', found: 'restic' },
  { name: 'openssh-client', why: 'such backups at SFTP servers', found: 'openssh-client' },
  { name: 'git', why: 'applications of accounts from repositories', found: 'git' },
  { name: 'openssh-server', why: 'accounts reach their files over SFTP', found: 'openssh-server' },
  { name: 'bind9-dnsutils', why: 'certificates by DNS, wildcards too', found: 'bind9-dnsutils' },
  { name: 'logrotate', why: 'keeps the logs from growing', found: 'logrotate' },
  { name: 'quota', why: 'disk quotas that the kernel keeps to', found: 'quota' },
]
/** What it needs besides where systemd rules the machine. */
export const SYSTEMD_PACKAGES = [
  { name: 'dbus', why: 'slices of accounts, which hold them to their limits', found: 'dbus' },
]
/** What the tests need besides. */
export const TEST_PACKAGES = [
  { name: 'chromium', why: 'the browser test', found: 'chromium' },
  {
    name: 'chromium-headless-shell',
    why: 'the same for most of it, at two thirds of the cost',
    found: 'chromium-headless-shell',
  },
  { name: 'exim4-daemon-light', why: 'a mail server to send to', found: 'exim4-daemon-light' },
  { name: 'nftables', why: 'a swap that refuses nobody', found: 'nftables' },
  { name: 'procps', why: 'looking at processes', found: 'procps' },
  { name: 'openssl', why: 'certificates for TLS tests', found: 'openssl' },
  { name: 'redis-server', why: 'the shared cache layer', found: 'redis-server' },
  { name: 'pebble', why: 'an ACME directory', found: 'pebble' },
  { name: 'bind9', why: 'a DNS server whose zones prove names', found: 'bind9' },
  {
    name: 'build-essential',
    why: 'building lsphp from the source of PHP',
    found: 'build-essential',
  },
  { name: 'apache2', why: 'the answers that .htaccess files must give', found: 'apache2' },
  { name: 'cadaver', why: 'a WebDAV client, whose server is mod_dav of apache2', found: 'cadaver' },
  {
    name: 'nginx-light',
    why: 'the answers that a converted configuration must give',
    found: 'nginx(-core|-light|-full|-extras)?',
  },
  { name: 'systemd', why: 'systemd-analyze, which judges our unit', found: 'systemd' },
  { name: 'curl', why: 'a client over HTTP/1.1 and HTTP/2', found: 'curl' },
  { name: 'composer', why: 'brings what a PHP site needs into its releases', found: 'composer' },
  { name: 'debootstrap', why: 'a bare Debian for the installer', found: 'debootstrap' },
  { name: 'nghttp2-client', why: 'h2load, a client over HTTP/2', found: 'nghttp2-client' },
  { name: 'iproute2', why: 'networks of their own for tests', found: 'iproute2' },
  { name: 'rsync', why: 'a client over the shells of accounts', found: 'rsync' },
  { name: 'git', why: 'the version before this one, which is upgraded', found: 'git' },
  { name: 'groff-base', why: 'judges the manual page', found: 'groff-base' },
  { name: 'python3', why: 'a listener that never accepts', found: 'python3' },
]
/** What the tests in a virtual machine need besides. */
export const MACHINE_PACKAGES = [
  { name: 'qemu-system-x86', why: 'a machine whose kernel is ours', found: 'qemu-system-x86' },
  { name: 'mmdebstrap', why: 'a Debian for it', found: 'mmdebstrap' },
  { name: 'debian-archive-keyring', why: 'its keys', found: 'debian-archive-keyring' },
  { name: 'squashfs-tools', why: 'the checkout as a disk of it', found: 'squashfs-tools' },
  { name: 'e2fsprogs', why: 'its own disk', found: 'e2fsprogs' },
]
/** What `npm run bench` needs besides those of hosting. */
export const BENCH_PACKAGES = [
  {
    name: 'nginx-light',
    why: 'a server to compare with',
    found: 'nginx(-core|-light|-full|-extras)?',
  },
  { name: 'varnish', why: 'a cache to compare with', found: 'varnish' },
  { name: 'wrk', why: 'load over HTTP/1.1', found: 'wrk' },
  { name: 'nghttp2-client', why: 'h2load, load over TLS and HTTP/2', found: 'nghttp2-client' },
  { name: 'gcc', why: 'compiles the least possible server', found: 'gcc' },
  { name: 'libc6-dev', why: 'header files for that', found: 'libc6-dev' },
  { name: 'curl', why: 'looks at answers before they are counted', found: 'curl' },
  { name: 'openssl', why: 'certificates', found: 'openssl' },
]

const POLICY_FILE = '/usr/sbin/policy-rc.d'
/** 101 is "not allowed": our own supervisor starts what is needed. */
const REFUSE_ALL = '#!/bin/sh\nexit 101\n'
/** Where systemd runs, the database server is the system's; PHP's own pool is never needed. */
const REFUSE_PHP = '#!/bin/sh\ncase "$1" in php*-fpm*) exit 101 ;; esac\nexit 0\n'

/** Names of installed packages. @returns {string[]} */
const installedNames = () => {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n'], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  return stdout
    .split('\n')
    .filter((line) => line.endsWith(' installed'))
    .map((line) => line.split(' ')[0] ?? '')
}

/**
 * @param {readonly DebianPackage[]} wanted
 * @returns {DebianPackage[]}
 */
export const missingPackages = (wanted) => {
  const installed = installedNames()
  return wanted.filter(({ name, found }) => {
    const pattern = new RegExp(`^${found.replaceAll('.', '\\.').replaceAll('*', '[0-9.]*')}$`)
    return !installed.some((candidate) => candidate === name || pattern.test(candidate))
  })
}

/** What is lost with a machine's power need not be waited for on one that only tests. */
const UNSAFE_IO = ['-o', 'Dpkg::Options::=--force-unsafe-io']

/** @param {string[]} args */
const aptGet = (args) =>
  spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).status === 0

/** Whether apt knows any package at all; a fresh image often does not. */
export const hasPackageLists = () => {
  const lists = '/var/lib/apt/lists'
  return existsSync(lists) && readdirSync(lists).some((name) => /_Packages(\.|$)/.test(name))
}

/** Brings apt's lists here when there are none. */
export const ensurePackageLists = () => {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && !hasPackageLists())
    aptGet(['update'])
}

/**
 * Installs Debian packages, saying which and why. Daemons are not started by
 * their packages where nothing would supervise them.
 *
 * @param {readonly DebianPackage[]} wanted
 * @param {{ unsafeIo?: boolean }} [options] unsafeIo: faster, but a power cut meanwhile may leave files empty
 * @returns {boolean} whether all are there now
 */
export const ensureDebianPackages = (wanted, { unsafeIo = false } = {}) => {
  if (!existsSync('/usr/bin/dpkg-query')) {
    console.log('This is not Debian or Ubuntu: install PHP (fpm, cgi, cli) and MariaDB yourself.')
    return false
  }
  const missing = missingPackages(wanted)
  if (missing.length === 0) return true
  const asRoot = process.getuid?.() === 0
  console.log(asRoot ? 'Installing Debian packages:' : 'Missing Debian packages:')
  for (const { name, why } of missing) console.log(`  ${name.padEnd(16)} ${why}`)
  if (!asRoot) {
    console.log(
      `Install them with: sudo apt-get install ${missing.map(({ name }) => name).join(' ')}`,
    )
    return false
  }
  const names = missing.map(({ name }) => name)
  const hadPolicy = existsSync(POLICY_FILE)
  const hasSystemd = existsSync('/run/systemd/system')
  if (!hadPolicy) writeFileSync(POLICY_FILE, hasSystemd ? REFUSE_PHP : REFUSE_ALL, { mode: 0o755 })
  try {
    if (!hasPackageLists()) aptGet(['update'])
    const install = [
      ...(unsafeIo ? UNSAFE_IO : []),
      ...['install', '-y', '--no-install-recommends', '--', ...names],
    ]
    // Lists that are too old name files that are gone: once more with new ones.
    return aptGet(install) || (aptGet(['update']) && aptGet(install))
  } finally {
    if (!hadPolicy && [REFUSE_ALL, REFUSE_PHP].includes(readFileSync(POLICY_FILE, 'utf8')))
      rmSync(POLICY_FILE, { force: true })
  }
}
