import { callApi } from '$lib/api/call-api'
import type { CacheRules } from '$lib/api/types'
import { toasts } from '$lib/state/toasts.svelte'

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
  async change(what: string, rules: Partial<CacheRules>, done: string): Promise<void> {
    if (this.busy !== null) return
    this.busy = what
    this.problem = null
    const result = await callApi('PATCH', `/api/cache/${this.#domain()}`, rules)
    if (result.ok) {
      toasts.ok(done)
      await this.#ondone()
    } else this.problem = result.error
    this.busy = null
  }
}
