import { spawn, type ChildProcess } from 'node:child_process'
import { join, resolve } from 'node:path'
import { asUser } from '#adapters/node/process/as-user.ts'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'
import { installCopy } from '#adapters/node/installed-copy/install-copy.ts'
import type { InstanceDirectory } from './instance-directory.ts'

/** The first start copies the product; later ones take a second. */
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 45_000

/** The supervisor of a test instance as a child of the test. */
export class SupervisorProcess {
  private readonly place: InstanceDirectory
  private process: ChildProcess | null = null
  private exited: Promise<void> = Promise.resolve()
  private text = ''
  /** Stands before its command line. */
  under: readonly string[] = []

  constructor(place: InstanceDirectory) {
    this.place = place
  }

  /** All it printed since the last start. */
  output(): string {
    return this.text
  }

  /** Resolves once it says that everything serves; rejects with its output when it ends first. */
  async start(): Promise<void> {
    const { place } = this
    const checkout = resolve(import.meta.dirname, '../..')
    // A normal user may not be able to enter the checkout.
    const product =
      place.asUid === null
        ? { appDir: checkout, node: process.execPath }
        : installCopy(checkout, place.installDir)
    const runAs =
      place.asUid === null ? null : { uid: place.asUid, gid: place.asUid, groups: 'none' as const }
    const script = join(product.appDir, 'adapters/node/bin/supervisor.ts')
    const { program, args } = asUser(runAs, product.node, [script, '--config', place.configFile])
    const [first = program, ...rest] = [...this.under, program, ...args]
    const child = spawn(first, rest, {
      cwd: '/',
      // As the unit of the service says.
      env: { ...CLEAN_ENV, NODE_COMPILE_CACHE: join(place.dir, 'state/compile-cache/supervisor') },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.process = child
    this.text = ''
    child.stdout?.on('data', (chunk: Buffer) => (this.text += chunk.toString('utf8')))
    child.stderr?.on('data', (chunk: Buffer) => (this.text += chunk.toString('utf8')))
    const killHard = (): void => void child.kill('SIGKILL')
    process.on('exit', killHard) // its children end by themselves when it is gone
    this.exited = new Promise((done) => {
      child.on('exit', () => {
        process.off('exit', killHard)
        done()
      })
    })
    await new Promise<void>((done, failed) => {
      const timer = setTimeout(
        () => failed(new Error(`not ready after ${START_TIMEOUT_MS} ms:\n${this.text}`)),
        START_TIMEOUT_MS,
      )
      child.on('message', () => {
        clearTimeout(timer)
        done()
      })
      void this.exited.then(() => {
        clearTimeout(timer)
        failed(new Error(`the supervisor ended:\n${this.text}`))
      })
    })
  }

  /** Resolves when the present one is gone. */
  ended(): Promise<void> {
    return this.exited
  }

  /** A graceful stop; killed when it takes too long. */
  async stop(): Promise<void> {
    const child = this.process
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await this.exited
    clearTimeout(timer)
  }
}
