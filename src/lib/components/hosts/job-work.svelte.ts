import type { ApiResult, Job } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'

/** What became of it: not begun, under way, failed, done. */
type Phase = 'form' | 'running' | 'failed' | 'done'

/**
 * A job that a drawer begins and shows. It goes on when the drawer is closed; what became of it is
 * told by a toast then.
 */
export class JobWork<Result> {
  phase = $state<Phase>('form')
  error = $state<string | null>(null)
  result = $state.raw<Result | null>(null)
  #jobId = $state<string | null>(null)
  /** Tells which run the answers belong to. */
  #run = 0

  /** As it is at present; null until it has begun. */
  get job(): Job | null {
    return jobs.list.find(({ id }) => id === this.#jobId) ?? null
  }

  /** For another drawer; what runs goes on, and is told by a toast. */
  forget(): void {
    this.#run += 1
    this.phase = 'form'
    this.error = null
    this.result = null
    this.#jobId = null
  }

  /** Begins it; `said`: the toast of its end. Answers a refusal, which belongs into the form. */
  async begin(
    path: string,
    body: unknown,
    said: (result: Result) => string,
    ondone: () => Promise<unknown>,
  ): Promise<ApiResult<unknown>> {
    const run = this.#run
    const shown = () => run === this.#run
    const started = await jobs.start<Result>(path, body)
    if (!started.ok) return started
    if (shown()) {
      this.phase = 'running'
      this.#jobId = started.data.id
    }
    void started.data.outcome.then(async (outcome) => {
      await ondone()
      if (!shown()) {
        if (outcome.ok) toasts.ok(said(outcome.data))
        else toasts.bad(outcome.error)
        return
      }
      this.phase = outcome.ok ? 'done' : 'failed'
      if (outcome.ok) this.result = outcome.data
      else this.error = outcome.error
    })
    return started
  }
}
