import { loadAnew } from '../load-anew'
import type { ApiResult } from '$lib/api/types'

/** One row of an action on many. */
export interface BulkItem {
  key: string
  label: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  error: string | null
}

/** An action on many rows, and how far it is. */
export interface BulkRun {
  id: number
  title: string
  items: BulkItem[]
  /** Nothing further is begun. */
  stopped: boolean
}

/** What is done to one row. */
export interface BulkTask {
  key: string
  label: string
  run: () => Promise<ApiResult<unknown>>
}

const isOver = ({ items, stopped }: BulkRun): boolean =>
  items.every(({ state }) => state !== 'running' && (state !== 'waiting' || stopped))

/**
 * Actions on many rows, one row after the other, since each of them may reload
 * the web server. They go on while the user looks at other pages of the panel.
 */
class BulkRuns {
  list = $state<BulkRun[]>([])
  #nextId = 1
  #work = new Map<number, { tasks: Map<string, BulkTask>; topics: readonly string[] }>()

  get busy(): boolean {
    return this.list.some((run) => !isOver(run))
  }

  isOver(run: BulkRun): boolean {
    return isOver(run)
  }

  /** `topics`: what pages depend on that must be read again afterwards. */
  start(title: string, tasks: readonly BulkTask[], topics: readonly string[]): void {
    const id = this.#nextId++
    const items = tasks.map(({ key, label }): BulkItem => ({
      key,
      label,
      state: 'waiting',
      error: null,
    }))
    this.#work.set(id, { tasks: new Map(tasks.map((task) => [task.key, task])), topics })
    this.list.push({ id, title, items, stopped: false })
    void this.#go(id)
  }

  /** Tries what failed once more. */
  retry(id: number, key?: string): void {
    const run = this.#find(id)
    if (!run || !isOver(run)) return
    run.stopped = false
    for (const item of run.items) {
      if (item.state !== 'failed' || (key !== undefined && item.key !== key)) continue
      item.state = 'waiting'
      item.error = null
    }
    void this.#go(id)
  }

  /** Lets the row under way end and begins no further one. */
  stop(id: number): void {
    const run = this.#find(id)
    if (run) run.stopped = true
  }

  dismiss(id: number): void {
    this.list = this.list.filter((run) => run.id !== id)
    this.#work.delete(id)
  }

  #find(id: number): BulkRun | undefined {
    return this.list.find((run) => run.id === id)
  }

  async #go(id: number): Promise<void> {
    const work = this.#work.get(id)
    for (;;) {
      const run = this.#find(id)
      const item = run?.stopped === true ? undefined : run?.items.find(isWaiting)
      if (!work || !item) break
      item.state = 'running'
      const result = await work.tasks.get(item.key)?.run()
      item.state = result?.ok === true ? 'done' : 'failed'
      item.error = result?.ok === false ? result.error : null
    }
    for (const topic of work?.topics ?? []) await loadAnew(topic)
  }
}

const isWaiting = ({ state }: BulkItem): boolean => state === 'waiting'

export const bulkRuns = new BulkRuns()
