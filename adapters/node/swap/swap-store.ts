import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../process/take-lock.ts'
import { SwapError } from './swap-error.ts'
import { PHASES, type Phase, type SwapState } from './swap-types.ts'
import { writeWhole } from './write-whole.ts'

const isState = (value: unknown): value is SwapState =>
  typeof value === 'object' &&
  value !== null &&
  'version' in value &&
  value.version === 1 &&
  'phase' in value &&
  PHASES.some((phase) => phase === value.phase) &&
  'old' in value

/** `<state_dir>/swap`: what was done, the configuration before, and the lock. Root's alone. */
export class SwapStore {
  private readonly directory: string

  constructor(stateDir: string) {
    this.directory = join(stateDir, 'swap')
  }

  /** Null: nothing was ever done. */
  read(): SwapState | null {
    const file = join(this.directory, 'state.json')
    if (!existsSync(file)) return null
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isState(value)) return value
    throw new SwapError(`${file} was written by another version of Berth. Use that one to go back.`)
  }

  write(state: SwapState): void {
    writeWhole(join(this.directory, 'state.json'), `${JSON.stringify(state, null, 2)}\n`, 0o600)
  }

  /** Notes that a step begins. */
  enter(state: SwapState, phase: Phase): void {
    state.phase = phase
    this.write(state)
  }

  keepConfig(bytes: Buffer): void {
    writeWhole(join(this.directory, 'berth.toml.before'), bytes, 0o600)
  }

  keptConfig(): Buffer {
    return readFileSync(join(this.directory, 'berth.toml.before'))
  }

  /** Only one swap or revert at once. Answers how to give the lock back; one that was killed is no hindrance. */
  lock(): () => void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 })
    return takeLock(
      join(this.directory, 'lock'),
      (pid) =>
        new SwapError(`Another berth swap is at work (process ${pid}). Wait until it has ended.`),
    )
  }
}
