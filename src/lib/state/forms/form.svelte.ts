import type { ApiResult } from '$lib/api/types'
import { toasts } from '../live/toasts.svelte'
import type { AnyField, Field, Values } from './field'
import { Submission, type Problems } from './submission.svelte'
import { goToNewRow, rowsBefore } from '../lists/new-row'

interface FormOptions<V extends Values, Data> {
  /** Beginning of the ids of its controls. */
  id: string
  /** What it holds when it is opened. */
  begin?: () => V
  /** Its controls in their order; false: not now. */
  fields?: (values: V) => readonly (Field<V> | false)[]
  /** What is wrong beyond single fields. */
  check?: (values: V) => Problems
  /** Calls the API; null, as without it: there is nothing to do. */
  send?: (values: V) => Promise<ApiResult<Data>> | null
  /** Whether it goes on with another step instead of closing. */
  stays?: (data: Data) => boolean
  /** Said when it is done. */
  said?: (data: Data) => string
  /** After it was done, when the form has closed. */
  done?: (data: Data) => unknown
  /** Values whose refusals are shown though they have no field of their own. */
  further?: readonly string[]
}

/** A form by declaration: what it holds, what it checks, what it sends, what comes after that. */
export class Form<V extends Values = Values, Data = unknown> extends Submission<string> {
  readonly id: string
  readonly #options: FormOptions<V, Data>
  values = $state({} as V)

  constructor(options: FormOptions<V, Data>) {
    super()
    this.id = options.id
    this.#options = options
    this.reset()
  }

  protected override names(): readonly string[] {
    return [...this.fields.map(({ name }) => name), ...(this.#options.further ?? [])]
  }

  /** The controls that are there now. */
  get fields(): readonly AnyField[] {
    const fields = this.#options.fields?.(this.values) ?? []
    return fields.filter((field) => field !== false) as AnyField[]
  }

  /** As it is opened; so that nothing is kept longer than it is needed, also when it is closed. */
  override reset(): void {
    super.reset()
    this.values = this.#options.begin?.() ?? ({} as V)
  }

  #problems(): Problems {
    const own = this.fields.map((field) => {
      const value = this.values[field.name]
      const checked = 'check' in field && typeof value === 'string'
      return [field.name, checked ? (field.check?.(value) ?? null) : null]
    })
    return { ...Object.fromEntries(own), ...this.#options.check?.(this.values) }
  }

  /** What the user changes; an error goes as soon as it is mended. */
  set(name: keyof V & string, value: Values[string]): void {
    Object.assign(this.values, { [name]: value })
    if (this.errors[name]) this.left(name)
  }

  /** The cursor has left a field: untouched it says nothing yet. */
  left(name: keyof V & string): void {
    if (this.errors[name] || this.values[name] !== '')
      this.errors[name] = this.#problems()[name] ?? null
  }

  /** Whether it may be sent; what is wrong is shown. */
  accepted(): boolean {
    return !this.busy && this.passes(this.#problems())
  }

  /** Checks and sends; `close` is called once that is done. */
  async submit(close: () => void): Promise<void> {
    if (!this.accepted()) return
    const { send, stays, said, done } = this.#options
    const before = rowsBefore()
    const call = send?.(this.values) ?? null
    const response = call && (await this.response(call))
    if (call && !response) return
    // What it is said about may be gone once the form is closed.
    const text = response && said?.(response.data)
    if (!response || !stays?.(response.data)) close()
    if (!response) return
    await done?.(response.data)
    void goToNewRow(before)
    if (text) toasts.ok(text)
  }
}
