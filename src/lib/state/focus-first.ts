/** Puts the cursor into the field where work begins, unless the user already is somewhere. */
export const focusFirst = (id: string): void => {
  if (document.activeElement === document.body) document.getElementById(id)?.focus()
}
