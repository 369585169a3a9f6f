import { callApi } from '$lib/api/call-api'
import type { ApiResult, CronRun, ListedCronJob } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'
import { cronPath } from './cron-path'

const ASK_AGAIN_MS = 1000

/** Whether a run has begun, or waits for its turn. */
export const isUnderWay = ({ outcome }: Pick<CronRun, 'outcome'>): boolean =>
  outcome === 'queued' || outcome === 'running'

/** The runs of one job while they are looked at; asked for again and again while one is under way. */
export class CronRuns {
  /** Whose they are; null: nobody looks. */
  job = $state.raw<ListedCronJob | null>(null)
  /** Null until they are known. */
  result = $state.raw<ApiResult<CronRun[]> | null>(null)
  busy = $state(false)
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Tells which look the responses belong to. */
  #look = 0
  #followed = false
  readonly #onchanged: () => Promise<unknown>

  /** `onchanged`: a run has begun or ended. */
  constructor(onchanged: () => Promise<unknown>) {
    this.#onchanged = onchanged
  }

  show(job: ListedCronJob): Promise<void> {
    this.#look += 1
    this.#followed = false
    this.job = job
    this.result = null
    return this.refresh()
  }

  close(): void {
    this.#look += 1
    clearTimeout(this.#timer)
    this.job = null
  }

  readonly refresh = async (): Promise<void> => {
    if (this.job === null) return
    const look = this.#look
    clearTimeout(this.#timer)
    const result = await callApi<CronRun[]>('GET', `${cronPath(this.job)}/runs`)
    if (look !== this.#look) return
    // Once known they stay where a later question fails, which is asked again.
    if (result.ok || this.result?.ok !== true) this.result = result
    const underWay = this.result.ok && this.result.data.some(isUnderWay)
    if (underWay) this.#timer = setTimeout(() => void this.refresh(), ASK_AGAIN_MS)
    else if (this.#followed) void this.#onchanged()
    this.#followed = underWay
  }

  /** Begins a run of the job that is looked at, and follows it. */
  run(): Promise<void> {
    return this.#change((path) => callApi('POST', `${path}/run`))
  }

  stop({ id }: CronRun): Promise<void> {
    return this.#change((path) => callApi('POST', `${path}/runs/${id}/stop`))
  }

  async #change(call: (path: string) => Promise<ApiResult<unknown>>): Promise<void> {
    if (this.job === null || this.busy) return
    this.busy = true
    const result = await call(cronPath(this.job))
    this.busy = false
    if (!result.ok) toasts.bad(result.error)
    else void this.#onchanged()
    await this.refresh()
  }
}
