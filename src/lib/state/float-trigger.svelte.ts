import { tick } from 'svelte'
import type { HTMLButtonAttributes } from 'svelte/elements'
import { Lazy } from './lazy.svelte'

/** What the button of a menu or popover carries. */
export type TriggerProps = HTMLButtonAttributes & Record<string | symbol, unknown>

/**
 * The button of something that floats. The library that opens, places and closes
 * it is fetched at the first use; it then takes the same button over, so that the
 * focus stays where it is and comes back there.
 */
export class FloatTrigger<Content> extends Lazy<Content> {
  readonly #kind: 'menu' | 'dialog'
  /** What the library wants the button to carry, once it is there. */
  #adopted = $state.raw<TriggerProps | null>(null)
  #asked = false
  open = $state(false)
  /** Whether the keyboard opened it first: the first entry gets the focus then. */
  byKeyboard = $state(false)

  constructor(kind: 'menu' | 'dialog', load: () => Promise<{ default: Content }>) {
    super(load)
    this.#kind = kind
  }

  readonly adopt = (props: TriggerProps): void => {
    this.#adopted = props
  }

  async #first(byKeyboard: boolean): Promise<void> {
    if (this.#asked) return
    this.#asked = true
    this.byKeyboard = byKeyboard
    const here = await this.fetch()
    await tick()
    this.#asked = here
    this.open = here
  }

  /** To be spread over the button. */
  get props(): TriggerProps {
    return this.#adopted ?? this.#own()
  }

  #own(): TriggerProps {
    return {
      type: 'button',
      'aria-haspopup': this.#kind,
      'aria-expanded': 'false',
      'data-state': 'closed',
      onpointerenter: () => this.expect(),
      onfocus: () => this.expect(),
      onclick: ({ detail }: MouseEvent) => void this.#first(detail === 0),
      // As the library does it: a mouse opens menus when it is pressed, a finger when it leaves.
      ...(this.#kind === 'dialog'
        ? {}
        : {
            onpointerdown: (event: PointerEvent) => {
              if (event.pointerType !== 'touch' && event.button === 0 && !event.ctrlKey)
                void this.#first(false)
            },
            onpointerup: ({ pointerType }: PointerEvent) => {
              if (pointerType === 'touch') void this.#first(false)
            },
            onkeydown: (event: KeyboardEvent) => {
              if (!['Enter', ' ', 'ArrowDown'].includes(event.key)) return
              event.preventDefault()
              void this.#first(true)
            },
          }),
    }
  }
}
