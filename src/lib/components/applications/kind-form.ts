import type { Application } from '$lib/api/types'
import type { Values } from '$lib/state/forms/field'
import { Form } from '$lib/state/forms/form.svelte'
import { withKind, type ApplicationForm, type Kind } from './application-form'

/** The form of an application: with another kind come the lines that are usual for it. */
export class KindForm extends Form<ApplicationForm, Application> {
  override set(name: keyof ApplicationForm & string, value: Values[string]): void {
    if (name === 'kind') {
      const to = value as Kind
      Object.assign(this.values, withKind(this.values, this.values.kind, to))
    }
    super.set(name, value)
  }
}
