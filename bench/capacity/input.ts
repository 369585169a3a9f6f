/** One measured input of the formulae in `docs/capacity.md`. */
export interface Input {
  /** As in the formulae, e.g. `Mw`. */
  symbol: string
  what: string
  value: number
  /** Of the value, e.g. `MB`; megabytes are 1,000,000 bytes. */
  unit: string
}

/** How much is measured. */
export interface Extent {
  quick: boolean
}

/** Inputs that are measured together. */
export interface Part {
  name: string
  measure(extent: Extent): Promise<Input[]>
}

export const MB = 1e6

/** The middle one of several values, of an even number the greater of the two. */
export const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
