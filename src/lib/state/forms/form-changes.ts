type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** What the controls of a form hold, by id (or name and value), without files. */
const readControls = (form: HTMLElement): Map<string, string> =>
  new Map(
    [...form.querySelectorAll<Control>('input:not([type=file]), select, textarea')].map(
      (control) => {
        const chosen =
          control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)
        const key = control.id || `${control.name}=${chosen ? control.value : ''}`
        return [key, chosen ? String(control.checked) : control.value]
      },
    ),
  )

/**
 * Whether somebody has changed what a form held. Values that the program fills
 * in before the first touch are not the user's; fields that come or go with
 * another field count by that other one.
 */
export class FormChanges {
  #form: HTMLElement | null = null
  #before = new Map<string, string>()
  #touched = false

  /** From now on this form is looked at. */
  watch(form: HTMLElement): void {
    this.#form = form
    this.#touched = false
    this.#before = readControls(form)
  }

  /** To be called before a key, a click or an input takes effect. */
  touch(): void {
    if (this.#touched || !this.#form) return
    this.#touched = true
    this.#before = readControls(this.#form)
  }

  /** To be called once an input has taken effect: from then on it was touched, however it came. */
  typed(): void {
    this.#touched = true
  }

  get any(): boolean {
    if (!this.#form?.isConnected || !this.#touched) return false
    return [...readControls(this.#form)].some(
      ([key, value]) => this.#before.has(key) && this.#before.get(key) !== value,
    )
  }
}
