import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLEAN_ENV } from '#adapters/node/process/clean-env.ts'

const STOP_TIMEOUT_MS = 15_000

const open = new Set<Stage>()

/** Takes down whatever stands, e.g. when the run is interrupted. */
export const closeStages = async (): Promise<void> => {
  for (const stage of open) await stage.close()
}

/** A private directory and what was started in it; `close` ends and removes everything, latest first. */
export class Stage {
  readonly directory: string
  private readonly endings: (() => Promise<void> | void)[] = []

  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), 'bb-'))
    // Servers that run as other users must enter it.
    chmodSync(this.directory, 0o755)
    open.add(this)
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  /** What `close` does besides. */
  later(ending: () => Promise<void> | void): void {
    this.endings.push(ending)
  }

  /** Starts a program that runs until the stage closes; its output goes to `<name>.out`. */
  start(name: string, argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const [program = '', ...args] = argv
    const child = spawn(program, args, {
      cwd: this.directory,
      env: { ...CLEAN_ENV, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = createWriteStream(this.path(`${name}.out`))
    child.stdout?.pipe(output, { end: false })
    child.stderr?.pipe(output, { end: false })
    const ended = new Promise<void>((resolve) => {
      child.on('exit', () => resolve())
      child.on('error', () => resolve())
    })
    this.later(async () => {
      const killer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(killer)
      output.end()
    })
    return child
  }

  async close(): Promise<void> {
    open.delete(this)
    for (const ending of this.endings.splice(0).toReversed()) await ending()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** Runs `work` on a stage and takes the stage down whatever happens. */
export const onStage = async <T>(work: (stage: Stage) => Promise<T>): Promise<T> => {
  const stage = new Stage()
  try {
    return await work(stage)
  } finally {
    await stage.close()
  }
}
