import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { renderUnit } from '#adapters/node/service/render-unit.ts'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { writeFileSync } from 'node:fs'
import { callsOf } from './sandbox-of.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')
/** What runs in the unit; the installer and the commands run outside of it. */
const ROOMS = [
  ...['agent', 'layout', 'link', 'machine', 'mail', 'panel', 'php-backends', 'process', 'sshd'],
  ...['store', 'supervisor', 'system-mariadb', 'tls', 'web-server'],
]
const SOURCES = ROOMS.flatMap((room) => {
  const directory = join(CHECKOUT, 'adapters/node', room)
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(directory, name))
}).map((file) => readFileSync(file, 'utf8'))
const wordsOf = (pattern: RegExp): Set<string> =>
  new Set(SOURCES.flatMap((text) => [...text.matchAll(pattern)].map(([, word = '']) => word)))

const unitWith = async (facts: { quotas: boolean }): Promise<Map<string, string[]>> => {
  const file = join(temporaryDirectory('ug-'), 'berth.toml')
  writeFileSync(file, renderDefaultConfig({ root: true }))
  const loaded = await loadConfig(file)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const { config } = loaded
  const unit = renderUnit({
    ...{ config, node: process.execPath, productDir: CHECKOUT, slices: true, ...facts },
  })
  const lines = unit.split('\n').filter((line) => line.includes('='))
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1).split(' ')]
    }),
  )
}

test('the unit has the namespaces that programs are started in, and no others', async () => {
  const granted = (await unitWith({ quotas: false })).get('RestrictNamespaces')
  const asked = wordsOf(/['`]--(mount|pid|net|ipc|uts|cgroup|time)(?:=|'|-proc')/g)
  const kinds = new Set([...asked].map((kind) => (kind === 'mount' ? 'mnt' : kind)))
  expect(new Set(granted)).toEqual(kinds)
})

const USERS = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_AUDIT_WRITE', 'fchown']
// With util-linux 2.39 by file descriptors.
const MOUNTS = [
  ...['CAP_SYS_ADMIN', 'mount', 'mount_setattr', 'move_mount', 'open_tree'],
  ...['fsopen', 'fsconfig', 'fsmount'],
]
const NETWORK = ['AF_INET', 'AF_INET6']
/** Capabilities, calls and families of addresses that a program needs beyond reading and writing. */
const NEEDS: Record<string, readonly string[]> = {
  busctl: ['AF_UNIX'],
  choom: ['CAP_SYS_RESOURCE'],
  chown: ['CAP_CHOWN', 'fchownat'],
  chpasswd: USERS,
  getent: ['AF_UNIX', 'AF_NETLINK'],
  git: NETWORK,
  groupadd: USERS,
  groupdel: USERS,
  ionice: ['ioprio_set'],
  ipcrm: ['CAP_IPC_OWNER', 'CAP_SYS_ADMIN', 'shmctl', 'semctl', 'msgctl'],
  mariadb: ['AF_UNIX'],
  'mariadb-dump': ['AF_UNIX'],
  mariadbd: ['AF_UNIX', ...NETWORK, 'io_uring_setup', 'io_submit', 'mlockall'],
  mount: MOUNTS,
  nice: ['setpriority'],
  nsenter: ['CAP_SYS_ADMIN', 'CAP_SYS_CHROOT', 'setns'],
  nsupdate: NETWORK,
  perl: ['AF_UNIX'],
  prlimit: ['CAP_SYS_RESOURCE', 'prlimit64'],
  restic: NETWORK,
  setpriv: ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP', 'setresuid', 'setgroups', 'capset'],
  setquota: ['CAP_SYS_ADMIN', 'quotactl'],
  ssh: NETWORK,
  systemctl: ['AF_UNIX'],
  'systemd-run': ['AF_UNIX'],
  umount: ['CAP_SYS_ADMIN', 'umount2'],
  unshare: [...MOUNTS, 'unshare'],
  useradd: USERS,
  userdel: [...USERS, 'CAP_KILL'],
  usermod: USERS,
}
/** Read, write, start or end, which everything may. */
const PLAIN = new Set([
  ...['apt-cache', 'bash', 'chronyc', 'dpkg-query', 'env', 'false', 'find', 'findmnt', 'ln', 'ls'],
  ...['mariadb-install-db', 'mkdir', 'mv', 'nologin', 'realpath', 'rm', 'sh', 'sleep', 'sshd'],
  ...['ssh-keygen', 'tar', 'test', 'true', 'xargs'],
])

test('the unit grants what each program needs that is started in it', async () => {
  const programs = wordsOf(/'\/(?:usr\/)?s?bin\/([a-z0-9.-]+)'/g)
  expect(programs).toEqual(new Set([...Object.keys(NEEDS), ...PLAIN]))
  const unit = await unitWith({ quotas: true })
  const listed = (name: string): string[] => unit.get(name) ?? []
  const granted = new Set([
    ...listed('CapabilityBoundingSet'),
    ...listed('RestrictAddressFamilies'),
    ...listed('SystemCallFilter').flatMap((one) => (one.startsWith('@') ? callsOf(one) : [one])),
  ])
  const missing = Object.entries(NEEDS).flatMap(([program, needs]) =>
    needs.filter((one) => !granted.has(one)).map((one) => `${program}: ${one}`),
  )
  expect(missing).toEqual([])
})

/** Of the machine and its other services; nothing of it is changed. */
const ONLY_READ = [
  ...['/dev', '/dev/log', '/dev/null', '/dev/urandom', '/home', '/run/dbus/system_bus_socket'],
  ...['/run/systemd/system', '/var/cache/apt', '/var/lib/apt/lists', '/var/lib/dpkg/status'],
  ...['/var/lib/apt/periodic/update-success-stamp', '/var/lib/mysql', '/var/lib/postgresql'],
  ...['/var/log', '/var/log/btmp', '/var/run', '/run/sshd', '/run/user'],
]

test('the unit lets be written what is written outside of the places of berth.toml', async () => {
  const places = wordsOf(/'(\/(?:dev|etc|home|run|srv|tmp|var)(?:\/[\w./-]*)?)'/g)
  const writable = (await unitWith({ quotas: false }))
    .get('ReadWritePaths')
    ?.map((path) => path.replace(/^-/, ''))
  const isGranted = (path: string): boolean =>
    writable?.some((one) => path === one || path.startsWith(`${one}/`)) === true
  const refused = [...places].filter((path) => !isGranted(path) && !ONLY_READ.includes(path))
  expect(refused).toEqual([])
  expect(places).toContain('/var/lib/systemd/linger')
})
