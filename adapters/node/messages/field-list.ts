import type { Field } from './quick-headers.ts'

/** With more fields than this they are found by an index: a hostile head can have thousands. */
const FEW = 24

/** Gathers the fields of a message in the form that `QuickHeaders` takes. */
export class FieldList {
  readonly fields: Field[] = []
  #places: Map<string, number> | null = null

  /** `name` is a token in lower case, `value` judged and without blanks around it. Two of a name become one value. */
  add(name: string, value: string): void {
    const at = name === 'set-cookie' ? -1 : this.#placeOf(name)
    if (at !== -1) {
      const [, before] = this.fields[at] as Field
      this.fields[at] = [name, `${before}${name === 'cookie' ? '; ' : ', '}${value}`]
      return
    }
    this.#places?.set(name, this.fields.length)
    this.fields.push([name, value])
  }

  #placeOf(name: string): number {
    const { fields } = this
    if (this.#places === null && fields.length > FEW)
      this.#places = new Map(fields.map((field, at) => [field[0], at]))
    if (this.#places !== null) return this.#places.get(name) ?? -1
    for (let at = 0; at < fields.length; at++) if ((fields[at] as Field)[0] === name) return at
    return -1
  }
}
