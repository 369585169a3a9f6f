import type { ApiResult } from '$lib/api/types'
import { focusFirstInvalid } from './focus-first-invalid'

/** What is wrong, by the names that the API gives the fields. */
export type Problems<Field extends string = string> = Partial<Record<Field, string | null>>

/**
 * What a form knows of being sent: whether it is under way, and what was
 * refused, at its field or for the whole.
 */
export class Submission<Field extends string> {
  errors = $state<Problems<Field>>({})
  /** A refusal that belongs to no field of the form. */
  general = $state<string | null>(null)
  busy = $state(false)
  readonly #names: readonly Field[]

  /** `names`: of the fields, as the API gives them in `X-Error-Field`. */
  constructor(names: readonly Field[] = []) {
    this.#names = names
  }

  protected names(): readonly Field[] {
    return this.#names
  }

  reset(): void {
    this.errors = {}
    this.general = null
  }

  /** Puts a refusal where it belongs, and the cursor there. */
  refuse({ error, field }: { error: string; field: string | null }): void {
    // An entry of a list is named with its place: `paths.0`.
    const names = this.names()
    const own =
      names.find((candidate) => candidate === field) ??
      names.find((candidate) => candidate === field?.split('.')[0])
    if (own) this.errors[own] = error
    else this.general = error
    void focusFirstInvalid()
  }

  /** Notes what was found wrong; whether it is nothing. */
  protected passes(found: Problems<Field>): boolean {
    this.general = null
    this.errors = found
    const passed = !this.names().some((field) => found[field])
    if (!passed) void focusFirstInvalid()
    return passed
  }

  /** The data of the response, or null after a refusal, which is shown then. */
  protected async response<T>(call: Promise<ApiResult<T>>): Promise<{ data: T } | null> {
    this.busy = true
    const result = await call
    this.busy = false
    if (result.ok) return { data: result.data }
    this.refuse(result)
    return null
  }

  /** Notes what `check` finds wrong; if that is nothing, calls. */
  async send<T>(
    check: () => Problems<Field>,
    call: () => Promise<ApiResult<T>>,
  ): Promise<{ data: T } | null> {
    return this.busy || !this.passes(check()) ? null : this.response(call())
  }
}
