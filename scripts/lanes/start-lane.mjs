import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pinnedNode } from '../packages.mjs'

/** Where control groups may be made that count processor time, version 1 and 2. */
const GROUP_PLACES = ['/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup/unified', '/sys/fs/cgroup']
const GROUP_FILES = { 'cpuacct.usage': 1e9, 'cpu.stat': 1e6 }
/** What a file's processes may print; the end of it is shown when the file fails. */
const KEPT_OUTPUT = 64 * 1024

/** Processor time of all processes of a group in seconds, ended ones too. @param {string} group @returns {number | null} */
const readSeconds = (group) => {
  for (const [file, perSecond] of Object.entries(GROUP_FILES)) {
    try {
      const text = readFileSync(join(group, file), 'utf8')
      const figure = /^(?:usage_usec )?(\d+)/m.exec(text)?.[1]
      if (figure !== undefined) return Number(figure) / perSecond
    } catch {
      // Of the other version.
    }
  }
  return null
}

/** @param {string} name @returns {string | null} */
const makeGroup = (name) => {
  for (const place of GROUP_PLACES) {
    const group = join(place, name)
    try {
      mkdirSync(group)
      if (readSeconds(group) !== null) return group
      rmdirSync(group)
    } catch {
      // Not there, or not ours to write.
    }
  }
  return null
}

/** Its last processes end a moment after their namespace. @param {string} group */
const removeGroup = async (group) => {
  for (let tries = 0; tries < 100; tries++) {
    try {
      // Berth divides it, and what was killed left its parts.
      const inside = readdirSync(group, { recursive: true, encoding: 'utf8' })
      for (const name of inside.toReversed())
        if (statSync(join(group, name)).isDirectory()) rmdirSync(join(group, name))
      rmdirSync(group)
      return
    } catch {
      await setTimeout(50)
    }
  }
}

/** @param {string} root @param {string} kept @param {number} number @param {string} group */
const withinNamespaces = (root, kept, number, group) => [
  // Also when this process is killed.
  ...['setpriv', '--pdeathsig=SIGKILL', '--', 'unshare', '--mount', '--pid', '--ipc', '--fork'],
  ...['--kill-child', '--propagation', 'private', '--', 'sh'],
  ...[join(import.meta.dirname, 'set-up.sh'), root, kept, String(number), group],
]

/** Whether lanes can be machines of their own here: as root, where namespaces and overlays are allowed. @param {string} root @param {string} kept */
export const canSeparate = (root, kept) => {
  if (process.getuid?.() !== 0) return false
  const [program = '', ...args] = [...withinNamespaces(root, kept, 0, ''), 'true']
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/**
 * A process that runs test files, one after the other.
 *
 * @typedef {object} Lane
 * @property {import('node:child_process').ChildProcess} process
 * @property {() => string} output what it printed since `forget`
 * @property {() => void} forget
 * @property {() => number | null} cpuSecs of all its processes so far; null where nothing counts them
 * @property {Promise<string>} ended resolves to its exit code or signal
 * @property {() => Promise<void>} end
 */

/**
 * Starts a lane; where it is `separate`, in namespaces of its own (`set-up.sh`), or in a virtual
 * `machine` (`machine/machine-lane.mjs`).
 *
 * @param {{ root: string, kept: string, number: number, separate: boolean, machine: boolean, env: Record<string, string> }} options `kept`: what tests keep between runs
 * @returns {Lane}
 */
export const startLane = ({ root, kept, number, separate: wanted, machine, env }) => {
  const separate = wanted && !machine
  const group = separate ? makeGroup(`berth-test-${process.pid}-${number}`) : null
  const bin = join(root, 'node_modules/.bin')
  const [program = '', ...args] = [
    ...(separate ? withinNamespaces(root, kept, number, group ?? '') : []),
    pinnedNode(root),
    ...(machine
      ? [join(import.meta.dirname, 'machine/machine-lane.mjs'), root, kept]
      : [join(import.meta.dirname, 'lane.mjs'), root]),
  ]
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      CI: '1',
      WRANGLER_SEND_METRICS: 'false',
      BERTH_TEST_CACHE: separate ? '/var/cache/berth-test' : kept,
      BERTH_TEST_LANE: String(number),
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => (output = (output + chunk).slice(-KEPT_OUTPUT)))
  // Before what it works on is removed.
  const kill = () => void child.kill('SIGKILL')
  process.prependListener('exit', kill)
  const ended = new Promise((/** @type {(how: string) => void} */ resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code, signal) => resolve(signal ?? String(code)))
  })
  return {
    process: child,
    output: () => output,
    forget: () => (output = ''),
    cpuSecs: () => (group === null ? null : readSeconds(group)),
    ended,
    end: async () => {
      child.kill(separate ? 'SIGKILL' : 'SIGTERM')
      await ended
      process.off('exit', kill)
      if (group !== null) await removeGroup(group)
    },
  }
}
