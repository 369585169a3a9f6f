import { callApi } from '$lib/api/call-api'
import type { Application, ApiResult, Deployment } from '$lib/api/types'
import { jobs } from '$lib/state/live/jobs.svelte'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { applicationPath } from './application-path'

/** Deploys, starts and stops applications, and says what became of it. */
export class ApplicationWork {
  /** Whether something was asked for that has not begun. */
  busy = $state(false)
  readonly #onchanged: () => Promise<unknown>

  /** `onchanged`: something began or ended. */
  constructor(onchanged: () => Promise<unknown>) {
    this.#onchanged = onchanged
  }

  deploy(application: Application): Promise<void> {
    return this.#job<Deployment>(application, 'deploy', ({ state }) =>
      state === 'superseded'
        ? texts.applications.superseded
        : application.start_command === null
          ? texts.applications.live(application.name)
          : texts.applications.deployed(application.name),
    )
  }

  start(application: Application): Promise<void> {
    return this.#job<Application>(application, 'start', ({ name }) =>
      texts.applications.started(name),
    )
  }

  /** Makes the release of an earlier deployment live again. */
  restore(application: Application, deployment: string): Promise<void> {
    return this.#job<Deployment>(
      application,
      `deployments/${deployment}/restore`,
      () => texts.applications.deployments.restored,
    )
  }

  async stop(application: Application): Promise<void> {
    await this.#asked(callApi<Application>('POST', `${applicationPath(application)}/stop`), () =>
      toasts.ok(texts.applications.stopped(application.name)),
    )
    await this.#onchanged()
  }

  async #job<T>(application: Application, what: string, said: (data: T) => string): Promise<void> {
    await this.#asked(jobs.start<T>(`${applicationPath(application)}/${what}`), ({ outcome }) => {
      void this.#end(outcome, said)
    })
    await this.#onchanged()
  }

  async #end<T>(outcome: Promise<ApiResult<T>>, said: (data: T) => string): Promise<void> {
    const result = await outcome
    if (result.ok) toasts.ok(said(result.data))
    // What it wrote is shown where it was begun.
    else toasts.bad(result.error.split('\n')[0] ?? result.error)
    await this.#onchanged()
  }

  async #asked<T>(asked: Promise<ApiResult<T>>, then: (data: T) => void): Promise<void> {
    if (this.busy) return
    this.busy = true
    const result = await asked
    this.busy = false
    if (result.ok) then(result.data)
    else toasts.bad(result.error)
  }
}
