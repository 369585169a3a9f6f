import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { bindControlSocket } from '#adapters/node/process/bind-control-socket.ts'
import { bindListener, type BoundListener } from '#adapters/node/process/bind-listener.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { installCopy, type InstalledCopy } from '#adapters/node/installed-copy/install-copy.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { SHARED_INSTALL_DIR } from '#test/support/instance-directory.ts'
import {
  directory,
  makeDirectory,
  temporaryDirectory,
} from '#test/support/setups/temporary-directory.ts'
import { childrenOf } from '#test/support/processes-of.ts'
import { get, KeptConnection } from '../support/get.ts'
import { eventually, isAlive } from '../support/web-process.ts'

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url))
const NOBODY = 65_534

// A copy, since the checkout may lie where only root may enter.
let product: InstalledCopy
/** Sources that the processes of one test have compiled for the next. */
let compiled: string
let listener: BoundListener
let control: { fd: number; close(): void }
let child: ChildProcess
let ended: Promise<number | null>

/** Starts the web server as the supervisor does: as a user without rights, with descriptors it was given. */
const start = async (): Promise<void> => {
  const { program, args } = asUser(
    { uid: NOBODY, gid: NOBODY, groups: 'none' },
    product.node,
    [join(product.appDir, 'adapters/node/bin/web.ts'), '--config', join(directory, 'berth.toml')],
    { dieWithParent: true },
  )
  child = spawn(program, args, {
    cwd: '/',
    env: {
      ...CLEAN_ENV,
      BERTH_SUPERVISED: '1',
      NODE_COMPILE_CACHE: compiled,
      BERTH_LISTEN: JSON.stringify([
        { fd: 3, address: listener.address, kind: 'http' },
        { fd: 4, address: 'web.sock', kind: 'control' },
      ]),
    },
    stdio: ['ignore', 'ignore', 'inherit', listener.fd, control.fd, 'ipc'],
  })
  ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)))
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: { type: string; message?: string }) => {
      if (message.type === 'ready') resolve()
      else reject(new Error(message.message))
    })
    child.on('exit', () => reject(new Error('it ended')))
  })
}

beforeAll(() => {
  mkdirSync(SHARED_INSTALL_DIR, { recursive: true, mode: 0o755 })
  product = installCopy(CHECKOUT, SHARED_INSTALL_DIR)
  compiled = temporaryDirectory('berth-compiled-')
  chownSync(compiled, NOBODY, NOBODY)
})
beforeEach(async () => {
  makeDirectory()
  chmodSync(directory, 0o755)
  for (const name of [
    'run',
    'log',
    'log/web',
    'state',
    'state/cache',
    'state/spool',
    'site',
    'home',
  ]) {
    mkdirSync(join(directory, name))
  }
  for (const name of ['log/web', 'state/cache', 'state/spool'])
    chownSync(join(directory, name), NOBODY, NOBODY)
  writeFileSync(join(directory, 'run/management.token'), `${'t'.repeat(32)}\n`)
  writeFileSync(join(directory, 'site/index.html'), 'here')
  listener = bindListener('127.0.0.1:0')
  const [apiPort = 0] = await freePorts(1)
  writeFileSync(
    join(directory, 'berth.toml'),
    `
[paths]
state_dir = "${directory}/state"
home_base = "${directory}/home"
run_dir = "${directory}/run"
log_dir = "${directory}/log"
[server]
listen = ["127.0.0.1:1"]
workers = 2
[api]
listen = "127.0.0.1:${apiPort}"
[cache]
storage = "disk"
disk_path = "${directory}/state/cache"
[[virtualhost]]
domain = "i.test"
root = "${directory}/site"
[virtualhost.php]
enable = false
`,
  )
  control = bindControlSocket(join(directory, 'run/web.sock'), { uid: NOBODY, gid: 0 })
  await start()
})
afterEach(async () => {
  child.kill('SIGTERM')
  await ended
  listener.close()
  control.close()
})

describe('inherited descriptors', () => {
  it('serve sites and the control socket without any right', async () => {
    expect((await get(listener.port, 'i.test')).body).toBe('here')
    const socket = join(directory, 'run/web.sock')
    const answer = await unixFetch(socket)(new Request('http://web/status'))
    expect(await answer.json()).toMatchObject({ workers: 2, virtual_hosts: 1, pid: child.pid })
    expect(statSync(socket).mode & 0o777).toBe(0o660)
    expect(statSync(join(directory, 'log/web/access.log')).uid).toBe(NOBODY)
  })

  it('keep connections waiting while the web server is started again', async () => {
    const workers = childrenOf(child.pid ?? 0)
    child.kill('SIGKILL')
    await ended
    await eventually('workers are gone', () => !workers.some(isAlive))
    const waiting = Array.from({ length: 10 }, () => new KeptConnection(listener.port, 'i.test'))
    await Promise.all(waiting.map((one) => one.connected()))
    const answers = waiting.map((one) => one.get('/'))
    await start()
    for (const answer of await Promise.all(answers)) expect(answer.body).toBe('here')
    for (const one of waiting) one.close()
  })

  it('end with the process that gave them', async () => {
    const workers = childrenOf(child.pid ?? 0)
    child.disconnect()
    await ended
    await eventually('workers are gone', () => !workers.some(isAlive))
  })
})
