import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun, runCommand, type CommandResult } from '#adapters/node/process/run-command.ts'
import { baseTree, CACHE } from './base-tree.ts'
import { startForwardProxy } from './forward-proxy.ts'

/** A machine of its own: files, processes, network. */
export interface Machine {
  /** Where the host reaches it. */
  address: string
  /** The host's path of a path of the machine. */
  path(inside: string): string
  run(program: string, args: readonly string[], timeoutMs?: number): Promise<CommandResult>
  /** Ends every process of it and removes all of its files. */
  destroy(): Promise<void>
}

/** In the new namespaces, before the root changes: mounts of `$1` (root), `$2` (caches). */
const SET_UP = `set -eu
root=$1 cache=$2
mount -t overlay overlay -o "lowerdir=$3,upperdir=$4/upper,workdir=$4/work" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 run "$root/run"
mount --bind /dev "$root/dev"
mount --bind /dev/shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount --bind "$cache/archives" "$root/var/cache/apt/archives"
mount --bind "$cache/lists" "$root/var/lib/apt/lists"
mkdir -p "$root/root/.npm" "$root/etc/ssl/certs"
mount --bind "$cache/npm" "$root/root/.npm"
mount --bind /etc/ssl/certs "$root/etc/ssl/certs"
printf 'force-unsafe-io\\n' >"$root/etc/dpkg/dpkg.cfg.d/test"
ip link set lo up
echo ready
exec chroot "$root" /bin/sh -c 'while :; do sleep 3600 & wait; done'
`

/** Two addresses of a network that nothing else uses: ours and the machine's. */
const network = (): { name: string; ours: string; theirs: string } => {
  const number = process.pid % 16_000
  const [high, low] = [Math.floor(number / 64), (number % 64) * 4]
  return {
    name: `bt${process.pid}`,
    ours: `198.18.${high}.${low + 1}`,
    theirs: `198.18.${high}.${low + 2}`,
  }
}

/** Starts a fresh machine of a distribution: a layer over the tree that is kept. */
export const startMachine = async (suite: string): Promise<Machine> => {
  const tree = await baseTree(suite)
  const layers = await mkdtemp(join(CACHE, 'run-'))
  const root = join(layers, 'root')
  for (const name of ['root', 'upper', 'work']) await mkdir(join(layers, name), { mode: 0o755 })
  const cache = join(CACHE, `${suite}.cache`)
  const holder = spawn(
    'setpriv',
    [
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
      ...['--', '/bin/sh', '-c', SET_UP, 'sh', root, cache, tree, layers],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(holder, 'exit')
  const { name, ours, theirs } = network()
  const cleanUp = async (): Promise<void> => {
    if (holder.exitCode === null && holder.signalCode === null) {
      holder.kill('SIGKILL')
      await ended
    }
    await runCommand('ip', ['link', 'del', name])
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
      'npm_config_cafile=/etc/ssl/certs/ca-certificates.crt',
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
      destroy: async () => {
        await proxy.close()
        await cleanUp()
      },
    }
  } catch (error) {
    await cleanUp()
    throw error
  }
}
