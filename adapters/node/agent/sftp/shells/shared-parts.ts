import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../../layout/write-whole.ts'
import { NO_SHELL, SFTP_ONLY } from '../../accounts/no-login-shell.ts'
import type { JailRoom } from '../jail-room.ts'
import { HOOKS, loginProgram, OWN_PLACE } from './login-program.ts'
import { pushHook } from './push-hook.ts'

/** What all rooms of shells show, below the top of the room that they are in. */
export const PARTS = 'shell-parts'

const READ_ONLY = ['ro', 'nosuid', 'nodev']
/**
 * Of what lies in the room's own file system, where nothing can be run, and of devices: what that one forbids is allowed
 * by name, since mount(8) of util-linux 2.39 and later keeps what the source has where nothing else is said.
 */
const RUN = [...READ_ONLY, 'exec']
const DEVICE = ['dev', 'nosuid', 'noexec']
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const DEVICE_LINKS: readonly (readonly [string, string])[] = [
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
  ['ptmx', 'pts/ptmx'],
  ['shm', '/tmp'],
  ['log', `${OWN_PLACE}/log`],
]

/** Of the machine's `/etc`: what programs need, and everybody may read. */
const FILES = [
  ...['bash.bashrc', 'inputrc', 'localtime', 'timezone', 'hostname', 'hosts', 'host.conf'],
  ...['resolv.conf', 'gai.conf', 'networks', 'protocols', 'services', 'mime.types', 'magic'],
  ...['ld.so.cache', 'locale.alias', 'os-release', 'debian_version', 'ssl/openssl.cnf'],
  ...['ca-certificates.conf', 'gitconfig', 'nanorc'],
]
const DIRECTORIES = ['alternatives', 'php', 'ssl/certs', 'terminfo', 'vim', 'fonts']
const MOST_BYTES = 4 * 2 ** 20

const OWN_FILES: Readonly<Record<string, string>> = {
  'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n',
  // PATH is that of the login program, in which the account's PHP comes first.
  profile: `# Written by Berth.
umask 022
if [ -n "\${PS1-}" ] && [ -n "\${BASH-}" ]; then
  PS1='\\u@\\h:\\w\\$ '
  if [ -f /etc/bash.bashrc ]; then . /etc/bash.bashrc; fi
fi
`,
}

/** Names in the `/etc` of a room that lead to what is shared. */
export const SHARED_ETC = [
  ...new Set(
    [...FILES, ...DIRECTORIES, ...Object.keys(OWN_FILES)].map((name) => name.split('/')[0] ?? ''),
  ),
]

/** What is written down of a file, by which it is seen to be another one. */
const stampOf = (file: string): string | null => {
  const stat = statSync(file, { throwIfNoEntry: false })
  const isOpen = stat !== undefined && stat.isFile() && (stat.mode & 0o004) !== 0
  return isOpen && stat.size <= MOST_BYTES ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : null
}

/** The parts of the machine that all rooms of shells show. */
export interface SharedParts {
  /** Makes them, once for each room that they are in. */
  make(room: JailRoom): Promise<void>
  /** Takes over what the machine has changed of its settings since. */
  refresh(): void
  forget(): void
}

const touch = async (file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 })
  await writeFile(file, '', { mode: 0o644 })
}

/**
 * `usr` with the login program in place of every shell that an account has in passwd(5),
 * `dev` with six devices, `proc` in which each sees its own, and `shared` with `etc`.
 * The process's umask is that of a service, 022 or less.
 */
export const createSharedParts = (): SharedParts => {
  let made: JailRoom | null = null
  const stamps = new Map<string, string>()
  const etcOf = ({ top }: JailRoom): string => join(top, PARTS, 'shared', 'etc')
  const copy = (room: JailRoom): void => {
    for (const name of FILES) {
      const stamp = stampOf(join('/etc', name))
      if (stamp === null || stamps.get(name) === stamp) continue
      writeWhole(join(etcOf(room), name), readFileSync(join('/etc', name)), { mode: 0o644 })
      stamps.set(name, stamp)
    }
  }
  return {
    async make(room) {
      if (made === room) return
      stamps.clear()
      const at = (...names: string[]): string => join(room.top, PARTS, ...names)
      const below = (...names: string[]): string => join(PARTS, ...names)
      for (const name of [
        'usr',
        'dev',
        'dev/pts',
        'proc',
        'shared',
        'shared/etc',
        'shared/etc/ssl',
      ])
        await mkdir(at(name), { recursive: true, mode: 0o755 })
      await writeFile(at('login'), loginProgram(), { mode: 0o755 })
      await writeFile(at('push-hook'), pushHook(), { mode: 0o755 })

      await room.mount('/usr', below('usr'), { flags: READ_ONLY })
      await touch(at('shared', 'sftp-server'))
      if (existsSync(SFTP_ONLY))
        await room.mount(SFTP_ONLY, below('shared', 'sftp-server'), { flags: READ_ONLY })
      await touch(at('shared', HOOKS, 'post-receive'))
      await room.mount(at('push-hook'), below('shared', HOOKS, 'post-receive'), { flags: RUN })
      for (const shell of [SFTP_ONLY, NO_SHELL])
        if (existsSync(shell)) await room.mount(at('login'), join(PARTS, shell), { flags: RUN })

      for (const name of DEVICES) {
        await touch(at('dev', name))
        await room.mount(`/dev/${name}`, below('dev', name), { flags: DEVICE })
      }
      for (const [name, target] of DEVICE_LINKS) await symlink(target, at('dev', name))
      const flags = ['hidepid=2', 'nosuid', 'nodev', 'noexec']
      await room.mount('proc', below('proc'), { type: 'proc', flags })

      for (const name of DIRECTORIES) {
        if (!existsSync(join('/etc', name))) continue
        await mkdir(at('shared', 'etc', name), { recursive: true, mode: 0o755 })
        await room.mount(join('/etc', name), below('shared', 'etc', name), {
          flags: [...READ_ONLY, 'noexec'],
        })
      }
      for (const [name, text] of Object.entries(OWN_FILES))
        await writeFile(at('shared', 'etc', name), text, { mode: 0o644 })
      copy(room)
      made = room
    },
    refresh() {
      if (made !== null) copy(made)
    },
    forget() {
      made = null
    },
  }
}
