import { tick } from 'svelte'

/** Puts the cursor into the first field of the open dialog that has an error. */
export const focusFirstInvalid = async (): Promise<void> => {
  await tick()
  document
    .querySelector<HTMLElement>(
      '[role="dialog"] [aria-invalid="true"], [role="dialog"] [role="alert"]',
    )
    ?.focus()
}
