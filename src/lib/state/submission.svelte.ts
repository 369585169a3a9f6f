import type { ApiResult } from '$lib/api/types'
import { focusFirstInvalid } from './focus-first-invalid'

/**
 * What a form knows of being sent: whether it is under way, and what was
 * refused, at its field or for the whole.
 */
export class Submission<Field extends string> {
  errors = $state<Partial<Record<Field, string | null>>>({})
  /** A refusal that belongs to no field of the form. */
  general = $state<string | null>(null)
  busy = $state(false)
  readonly #fields: readonly Field[]

  /** `fields`: names as the API gives them in `X-Error-Field`. */
  constructor(fields: readonly Field[]) {
    this.#fields = fields
  }

  reset(): void {
    this.errors = {}
    this.general = null
  }

  /** Puts a refusal where it belongs, and the cursor there. */
  refuse({ error, field }: { error: string; field: string | null }): void {
    // An entry of a list is named with its place: `paths.0`.
    const own = this.#fields.find((candidate) => candidate === field?.split('.')[0])
    if (own) this.errors[own] = error
    else this.general = error
    void focusFirstInvalid()
  }

  /**
   * Notes what `check` finds wrong; if that is nothing, calls. The response's
   * data, or null after a refusal, which is shown then.
   */
  async send<T>(
    check: () => Partial<Record<Field, string | null>>,
    call: () => Promise<ApiResult<T>>,
  ): Promise<{ data: T } | null> {
    if (this.busy) return null
    this.general = null
    this.errors = check()
    if (this.#fields.some((field) => this.errors[field])) {
      void focusFirstInvalid()
      return null
    }
    this.busy = true
    const result = await call()
    this.busy = false
    if (result.ok) return { data: result.data }
    this.refuse(result)
    return null
  }
}
