import { callApi } from '$lib/api/call-api'
import type { ApiResult, Job } from '$lib/api/types'

const SHOWN = 20
const ASK_AGAIN_MS = 5000

const isOver = ({ finished_at }: Job): boolean => finished_at !== null

const isJob = (value: unknown): value is Job =>
  typeof value === 'object' && value !== null && 'kind' in value && 'finished_at' in value

const outcomeOf = <T>({ state, result, error, status }: Job): ApiResult<T> =>
  state === 'done'
    ? { ok: true, data: result as T }
    : { ok: false, error: error ?? '', status: status ?? 0, field: null }

/**
 * The latest jobs of the caller. While one is under way a stream of events is
 * open; it ends with the last, because a user has few streams.
 */
class Jobs {
  list = $state<Job[]>([])
  #source: EventSource | null = null
  #waiting = new Map<string, (job: Job) => void>()

  /** The jobs under way, newest first. */
  get active(): Job[] {
    return this.list.filter((job) => !isOver(job))
  }

  /** Asks for the latest jobs and follows those that run. */
  async refresh(): Promise<void> {
    const path = `/api/jobs?per_page=${SHOWN}&sort=created_at&order=desc`
    const result = await callApi<Job[]>('GET', path)
    if (!result.ok) return
    for (const job of [...result.data].reverse()) this.#take(job)
    this.#follow()
  }

  /** Closes the stream, e.g. when the user logs out. */
  stop(): void {
    this.#source?.close()
    this.#source = null
    this.list = []
  }

  /**
   * Starts work and answers at once: a refusal, or the id of the job with a
   * promise of what the plain answer would have been.
   */
  async start<T>(
    path: string,
    body?: unknown,
    method: 'GET' | 'POST' = 'POST',
  ): Promise<ApiResult<{ id: string; outcome: Promise<ApiResult<T>> }>> {
    const result = await callApi<{ job_id: string }>(method, path, body, 'respond-async')
    if (!result.ok) return result
    const id = result.data.job_id
    const outcome = new Promise<ApiResult<T>>((resolve) => {
      this.#waiting.set(id, (ended) => resolve(outcomeOf<T>(ended)))
    })
    const job = await callApi<Job>('GET', `/api/jobs/${id}`)
    if (job.ok) this.#take(job.data)
    this.#follow()
    return { ok: true, data: { id, outcome } }
  }

  #take(job: Job): void {
    const known = this.list.find(({ id }) => id === job.id)
    // A response that was asked for earlier must not undo a later event.
    const latest = known !== undefined && isOver(known) ? known : job
    this.list = known
      ? this.list.map((one) => (one.id === job.id ? latest : one))
      : [job, ...this.list].slice(0, SHOWN)
    // The event of its end may come before the response to its start, and nobody waited then.
    if (!isOver(latest)) return
    this.#waiting.get(job.id)?.(latest)
    this.#waiting.delete(job.id)
  }

  #follow(): void {
    if (this.active.length === 0) {
      this.#source?.close()
      this.#source = null
    } else if (this.#source === null) {
      const source = new EventSource('/api/jobs/events')
      this.#source = source
      source.addEventListener('job', ({ data }) => {
        const job: unknown = JSON.parse(String(data))
        if (isJob(job)) this.#take(job)
        this.#follow()
      })
      // The stream tells changes from its opening on; what came before is asked for.
      source.addEventListener('open', () => void this.refresh())
      source.addEventListener('error', () => {
        if (source.readyState !== EventSource.CLOSED) return
        this.#source = null
        setTimeout(() => void this.refresh(), ASK_AGAIN_MS)
      })
    }
  }
}

export const jobs = new Jobs()
