import type { Component } from 'svelte'

/** An entry of a menu. */
export interface MenuItem {
  label: string
  icon?: Component<{ size?: number; strokeWidth?: number }>
  danger?: boolean
  /** Why it cannot be done; the item is shown and cannot be chosen. */
  blocked?: string | undefined
  /** Given for choices: whether it is the one, or one of those, that are chosen. */
  chosen?: boolean
  /** Language of the label, where it is not the page's. */
  lang?: string
  run: () => unknown
}
