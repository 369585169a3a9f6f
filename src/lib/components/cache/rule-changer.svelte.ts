import { callApi } from '$lib/api/call-api'
import type { ApiResult, CacheRules } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'

/** Changes single rules of a site by one click; one change at a time. */
export class RuleChanger {
  /** Names what is being changed; null: nothing. */
  busy = $state<string | null>(null)
  /** Why the latest change was refused. */
  problem = $state<string | null>(null)
  readonly #domain: () => string
  readonly #ondone: () => Promise<unknown>

  constructor(domain: () => string, ondone: () => Promise<unknown>) {
    this.#domain = domain
    this.#ondone = ondone
  }

  /** `done`: what is said when it worked. */
  change(what: string, rules: Partial<CacheRules>, done: string): Promise<void> {
    return this.#send(what, done, (site) => callApi('PATCH', site, rules))
  }

  /** Has the site forget a cookie that it was seen to set, or with null all of them. */
  forget(name: string | null, done: string): Promise<void> {
    const one = name === null ? '' : `/${encodeURIComponent(name)}`
    return this.#send(name ?? '', done, (site) => callApi('DELETE', `${site}/cookies${one}`))
  }

  async #send(
    what: string,
    done: string,
    call: (site: string) => Promise<ApiResult<unknown>>,
  ): Promise<void> {
    if (this.busy !== null) return
    this.busy = what
    this.problem = null
    const result = await call(`/api/cache/${this.#domain()}`)
    if (result.ok) {
      toasts.ok(done)
      await this.#ondone()
    } else this.problem = result.error
    this.busy = null
  }
}
