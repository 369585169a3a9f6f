import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun, runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import { baseTree, trees } from './base-tree.ts'
import { giveDownloads, keepDownloads, npmCache } from './downloads.ts'
import { startForwardProxy } from './forward-proxy.ts'

/** A machine of its own: files, processes, network. */
export interface Machine {
  /** Where the host reaches it. */
  address: string
  /** The host's path of a path of the machine. */
  path(inside: string): string
  run(program: string, args: readonly string[], timeoutMs?: number): Promise<CommandResult>
  /** Ends every process of it and removes all of its files, but for those that differ from its layers', which go to `to`. */
  destroy(to?: string): Promise<void>
}

/** Where npm looks for the authorities that this machine trusts, of which a bare one knows none. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
const AUTHORITIES_INSIDE = '/etc/test-authorities.crt'

/** In the new namespaces, before the root changes: mounts of `$1` (root), `$2` (npm's cache). */
const SET_UP = `set -eu
root=$1 npm=$2
# volatile: nothing of it needs to outlive a power cut, and apt syncs after every file.
mount -t overlay overlay -o "lowerdir=$3,upperdir=$4/upper,workdir=$4/work,volatile" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 run "$root/run"
mount --bind /dev "$root/dev"
mount --bind /dev/shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mkdir -p "$root/root/.npm"
mount --bind "$npm" "$root/root/.npm"
# A copy: packages write into the directory it comes from.
[ ! -f ${AUTHORITIES} ] || cp -L ${AUTHORITIES} "$root${AUTHORITIES_INSIDE}"
printf 'force-unsafe-io\\n' >"$root/etc/dpkg/dpkg.cfg.d/test"
ip link set lo up
# Not only chroot: what enters a mount namespace of the machine would be back in the host's files.
mkdir "$root/.host"
cd "$root"
pivot_root . .host
exec /bin/sh -c 'umount -l /.host && rmdir /.host && echo ready && while :; do sleep 3600 & wait; done'
`

/** Two addresses of a network that nothing else uses: ours and the machine's. */
const network = (): { name: string; ours: string; theirs: string } => {
  const number = randomInt(16_000)
  const [high, low] = [Math.floor(number / 64), (number % 64) * 4]
  return {
    name: `bt${number}`,
    ours: `198.18.${high}.${low + 1}`,
    theirs: `198.18.${high}.${low + 2}`,
  }
}

const HOUR_MS = 3_600_000

/** Removes the files of machines whose run was killed: their lock is free. */
const removeLeft = async (): Promise<void> => {
  for (const name of await readdir(trees())) {
    const lock = join(trees(), name, 'lock')
    const begun = await stat(lock).catch(() => null)
    if (!name.startsWith('run-') || begun === null || Date.now() - begun.mtimeMs < HOUR_MS) continue
    const { code } = await runCommand('flock', ['--nonblock', lock, 'true'])
    if (code === 0) await rm(join(trees(), name), { recursive: true, force: true })
  }
}

/** Starts a fresh machine of a distribution: a layer over the tree that is kept, and over others of its kind, the last on top. */
export const startMachine = async (
  suite: string,
  layersBelow: readonly string[] = [],
): Promise<Machine> => {
  const tree = await baseTree(suite)
  const lower = [...layersBelow].reverse().concat(tree).join(':')
  const layers = await mkdtemp(join(trees(), 'run-'))
  await removeLeft()
  const root = join(layers, 'root')
  for (const name of ['root', 'upper', 'work']) await mkdir(join(layers, name), { mode: 0o755 })
  await giveDownloads(suite, join(layers, 'upper'))
  const holder = spawn(
    'flock',
    [
      ...['--no-fork', join(layers, 'lock'), 'setpriv'],
      // Also when this process is killed.
      ...['--pdeathsig=SIGKILL', '--', 'unshare'],
      ...[
        '--mount',
        '--pid',
        '--net',
        '--uts',
        '--ipc',
        '--fork',
        '--kill-child',
        '--propagation',
        'private',
      ],
      ...['--', '/bin/sh', '-c', SET_UP, 'sh', root, npmCache(), lower, layers],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(holder, 'exit')
  const { name, ours, theirs } = network()
  const cleanUp = async (to?: string): Promise<void> => {
    if (holder.exitCode === null && holder.signalCode === null) {
      holder.kill('SIGKILL')
      await ended
    }
    await runCommand('ip', ['link', 'del', name])
    await keepDownloads(suite, join(layers, 'upper'))
    if (to !== undefined) await rename(join(layers, 'upper'), to)
    await rm(layers, { recursive: true, force: true })
  }
  try {
    await Promise.race([
      once(holder.stdout, 'data'),
      ended.then(() => {
        throw new Error('the machine could not be set up; the reason stands above')
      }),
    ])
    const inside = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim()
    await mustRun('ip', [
      'link',
      'add',
      name,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      inside,
    ])
    await mustRun('ip', ['addr', 'add', `${ours}/30`, 'dev', name])
    await mustRun('ip', ['link', 'set', name, 'up'])
    for (const args of [
      ['addr', 'add', `${theirs}/30`, 'dev', 'eth0'],
      ['link', 'set', 'eth0', 'up'],
    ])
      await mustRun('nsenter', ['--target', inside, '--net', 'ip', ...args])
    const proxy = await startForwardProxy(ours)
    const url = `http://${ours}:${proxy.port}`
    const environment = [
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOME=/root',
      'LANG=C.UTF-8',
      `http_proxy=${url}`,
      `https_proxy=${url}`,
      ...(existsSync(AUTHORITIES) ? [`npm_config_cafile=${AUTHORITIES_INSIDE}`] : []),
    ]
    return {
      address: theirs,
      path: (path) => join(`/proc/${inside}/root`, path),
      run: (program, args, timeoutMs = 60_000) =>
        runCommand(
          'nsenter',
          [
            ...[
              '--target',
              inside,
              '--mount',
              '--pid',
              '--net',
              '--uts',
              '--ipc',
              `--root=/proc/${inside}/root`,
            ],
            ...['--', 'env', '-i', '--chdir=/', ...environment, program, ...args],
          ],
          { timeoutMs, maxOutputBytes: 64 * 2 ** 20 },
        ),
      destroy: async (to) => {
        await proxy.close()
        await cleanUp(to)
      },
    }
  } catch (error) {
    await cleanUp()
    throw error
  }
}
