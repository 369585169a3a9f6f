import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { LauncherSettings } from './launcher-settings.ts'

/** What is heard of a program; after `end` nothing follows. */
export interface CgiEvents {
  /** Answers whether more may follow; if not, `resume` says when. */
  stdout(piece: Buffer): boolean
  stderr(piece: Buffer): boolean
  /** The process is gone and its output read. `signal`: it did not end by itself. */
  end(outcome: { signal: NodeJS.Signals | null }): void
  /** The body can be taken again. */
  drained(): void
}

/** A running php-cgi. */
export interface CgiRun {
  /** Passes a piece of the body; false: wait for `drained`. */
  write(piece: Buffer): boolean
  endBody(): void
  resume(): void
  /** Nobody listens any more: its output has no reader, as if a visitor's browser had closed. */
  abandon(): void
  kill(): void
}

/** A process that the script started may hold the pipes; this long after the exit nothing more is awaited. */
const LINGER_MS = 250

/**
 * Starts php-cgi with exactly this environment. Throws the system's error when
 * it cannot be started, also later through `failed`.
 */
export const runPhpCgi = (
  settings: LauncherSettings,
  env: Record<string, string>,
  events: CgiEvents,
  failed: (error: Error) => void,
): CgiRun => {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    settings.program,
    settings.args,
    { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let exited: { signal: NodeJS.Signals | null } | null = null
  let over = false
  let open = 2
  let paused = false
  let linger: NodeJS.Timeout | null = null

  const finish = (): void => {
    if (over || exited === null) return
    over = true
    if (linger) clearTimeout(linger)
    clearTimeout(limit)
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    events.end(exited)
  }
  const closed = (): void => {
    open -= 1
    if (open === 0) finish()
  }
  const limit = setTimeout(() => {
    events.stderr(Buffer.from(`php-cgi took longer than ${settings.timeoutMs} ms and was ended.\n`))
    child.kill('SIGKILL')
  }, settings.timeoutMs)

  child.stdin.on('error', () => undefined)
  child.stdin.on('drain', () => events.drained())
  // Whoever waits to pass a body on must not wait for a program that does not want it.
  child.stdin.on('close', () => events.drained())
  const outputs = [
    [child.stdout, events.stdout],
    [child.stderr, events.stderr],
  ] as const
  for (const [stream, take] of outputs) {
    stream.on('data', (piece: Buffer) => {
      linger?.refresh()
      if (over || take(piece)) return
      paused = true
      for (const [each] of outputs) each.pause()
    })
    stream.on('error', () => undefined)
    stream.on('close', closed)
  }
  child.on('error', (error) => {
    if (over) return
    over = true
    clearTimeout(limit)
    failed(error)
  })
  child.on('exit', (_code, signal) => {
    exited = { signal }
    clearTimeout(limit)
    if (open === 0) return finish()
    linger = setTimeout(() => (paused ? linger?.refresh() : finish()), LINGER_MS)
  })

  return {
    write: (piece) => child.stdin.destroyed || child.stdin.write(piece),
    endBody: () => child.stdin.end(),
    resume() {
      if (!paused) return
      paused = false
      linger?.refresh()
      for (const [each] of outputs) each.resume()
    },
    abandon() {
      child.stdin.destroy()
      child.stdout.destroy()
      this.resume()
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
