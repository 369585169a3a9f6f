import { texts } from '$lib/texts'
import { toasts } from './live/toasts.svelte'

/** Something that stays on the server until it is needed, e.g. what is in a dialog. */
export class Lazy<T> {
  readonly #load: () => Promise<{ default: T }>
  /** Null until it is here. */
  value = $state.raw<T | null>(null)

  /** `load`: a dynamic import. */
  constructor(load: () => Promise<{ default: T }>) {
    this.#load = load
  }

  /** Fetches it; false: that failed, and the user was told. */
  async fetch(): Promise<boolean> {
    try {
      this.value ??= (await this.#load()).default
      return true
    } catch {
      toasts.bad(texts.errors.unreachable)
      return false
    }
  }

  /** Fetches it ahead, when it will probably be wanted; a failure shows when it is. */
  expect(): void {
    void this.#load().catch(() => undefined)
  }
}
