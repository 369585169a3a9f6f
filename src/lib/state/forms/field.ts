import type { HTMLInputAttributes } from 'svelte/elements'

/** What a form holds, by the names that the API gives it where it knows them. */
export type Values = Record<string, string | boolean | string[]>

interface Common<Name extends string> {
  name: Name
  label: string
  /** Said under the control while nothing is wrong with it. */
  help?: string | undefined
  /** End of the control's id, where it is not the name. */
  id?: string
  /** What is needed rarely: it stands under "More". */
  more?: boolean
}

/** A control for a text. */
interface Text<Name extends string> extends Common<Name> {
  /** What is wrong with a value, or null; the API checks again and knows more. */
  check?: (value: string) => string | null
}

interface Line<Name extends string>
  extends
    Text<Name>,
    Pick<
      HTMLInputAttributes,
      'type' | 'inputmode' | 'autocomplete' | 'maxlength' | 'placeholder' | 'required'
    > {
  /** Default: it is this. */
  kind?: 'line'
  /** For names, paths and identifiers. */
  mono?: boolean
  /** What may be chosen instead of typing. */
  suggestions?: readonly string[]
}

interface Password<Name extends string> extends Text<Name> {
  kind: 'password'
  /** Default: a new one, which is offered, and whose strength is shown. */
  current?: boolean
}

interface Lines<Name extends string> extends Text<Name> {
  kind: 'lines'
  rows?: number
  placeholder?: string
  /** Offers to take the text from a file of these kinds, e.g. `.pem,.crt`. */
  accept?: string
}

interface Choice<Name extends string, Value> extends Common<Name> {
  kind: 'choice'
  options: { value: Value; label: string; disabled?: boolean }[]
}

interface Switch<Name extends string> extends Common<Name> {
  kind: 'switch'
  disabled?: boolean
}

/** Names of the values of this type. */
type Named<V, T> = { [Name in keyof V & string]: V[Name] extends T ? Name : never }[keyof V &
  string]

/** A control of a form, by declaration. */
export type Field<V> =
  | Line<Named<V, string>>
  | Password<Named<V, string>>
  | Lines<Named<V, string>>
  | Switch<Named<V, boolean>>
  | { [Name in Named<V, string>]: Choice<Name, V[Name]> }[Named<V, string>]

/** The same, whatever form it is of. */
export type AnyField =
  Line<string> | Password<string> | Lines<string> | Switch<string> | Choice<string, string>
