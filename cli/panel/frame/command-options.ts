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

  /** A whole number of at least `min`; exit code 2 otherwise. */
  number(name: string, min = 0): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (/^\d{1,12}$/.test(text) && Number(text) >= min) return Number(text)
    throw new CliError(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} must be a whole number of at least ${min}, but is "${text}".`,
      2,
    )
  }
}

/** An object without the fields that are undefined. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** As `given`; exit code 2 when nothing is left, naming the options there are. */
export const givenSome = (
  fields: Record<string, unknown>,
  options: string,
): Record<string, unknown> => {
  const some = given(fields)
  if (Object.keys(some).length === 0)
    throw new CliError(`Say what to change, at least one of: ${options}.`, 2)
  return some
}
