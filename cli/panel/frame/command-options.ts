import { CliError } from '../../cli-error.ts'

/** The options of one command as commander read them, asked for by their camel-cased names. */
export class CommandOptions {
  private readonly values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values
  }

  /** Undefined when it was not given. */
  text(name: string): string | undefined {
    const value = this.values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** `--name` is true, `--no-name` false, neither undefined. */
  flag(name: string): boolean | undefined {
    const value = this.values[name]
    return typeof value === 'boolean' ? value : undefined
  }

  isOn(name: string): boolean {
    return this.flag(name) === true
  }

  list(name: string): string[] | undefined {
    const value = this.values[name]
    return Array.isArray(value) ? value.map(String) : undefined
  }

  /** Several by their names, which are also those of the query. */
  texts(...names: readonly string[]): Record<string, string | undefined> {
    return Object.fromEntries(names.map((name) => [name, this.text(name)]))
  }

  /** A whole number from `least` to `most`; exit code 2 otherwise. */
  number(name: string, [least, most]: readonly [least: number, most?: number]): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const isNumber = /^\d{1,12}$/.test(text)
    if (isNumber && Number(text) >= least && Number(text) <= (most ?? Infinity)) return Number(text)
    const bound = isNumber && Number(text) > least ? `most ${most}` : `least ${least}`
    throw new CliError(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} must be a whole number of at ${bound}, but is "${text}".`,
      2,
    )
  }

  /** Null where `word` stands in the number's place, which leaves it to the server or the plan. */
  numberOr(word: string, name: string, bounds: readonly [number, number?]) {
    return this.text(name) === word ? null : this.number(name, bounds)
  }
}

/** An object without the fields that are undefined. */
export const given = <T>(fields: Record<string, T>): Record<string, Exclude<T, undefined>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<
    string,
    Exclude<T, undefined>
  >

/** As `given`; exit code 2 when nothing is left, naming the options there are. */
export const givenSome = (
  fields: Record<string, unknown>,
  options: string,
): Record<string, unknown> => {
  const some: Record<string, unknown> = given(fields)
  if (Object.keys(some).length === 0)
    throw new CliError(`Say what to change, at least one of: ${options}.`, 2)
  return some
}
