import type { LogLine } from '$lib/api/types'

export type TailState = 'off' | 'connecting' | 'live' | 'lost' | 'refused'

/** New lines are shown together, not one by one. */
const GATHER_MS = 200

const isLine = (value: unknown): value is LogLine =>
  typeof value === 'object' && value !== null && 'raw' in value && 'id' in value

/** Follows a log. What comes is handed over in bunches. */
export class LogTail {
  state = $state<TailState>('off')
  /** Whether lines were left out since the start. */
  skipped = $state(false)
  #source: EventSource | null = null
  #gathered: LogLine[] = []
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #take: (lines: LogLine[]) => void

  constructor(take: (lines: LogLine[]) => void) {
    this.#take = take
  }

  /** Opens the stream at `path`, instead of the one before. */
  start(path: string): void {
    this.stop()
    this.state = 'connecting'
    this.skipped = false
    const source = new EventSource(path)
    this.#source = source
    source.addEventListener('begin', () => (this.state = 'live'))
    source.addEventListener('skipped', () => (this.skipped = true))
    source.addEventListener('line', ({ data }) => {
      const line: unknown = JSON.parse(String(data))
      if (!isLine(line)) return
      this.#gathered.push(line)
      this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS)
    })
    source.addEventListener('error', () => {
      this.state = source.readyState === EventSource.CLOSED ? 'refused' : 'lost'
    })
  }

  stop(): void {
    this.#source?.close()
    this.#source = null
    this.#flush()
    this.state = 'off'
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const lines = this.#gathered
    this.#gathered = []
    if (lines.length > 0) this.#take(lines)
  }
}
