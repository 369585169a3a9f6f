/** One shape of a configuration, in any size. */
export interface HostileShape {
  name: string
  /** `size`: how many of whatever makes it large. */
  make(size: number): { text: string; more?: Record<string, string> }
  /** As large as it is made; default: `USUAL_SIZE`. */
  size?: number
  /** Why it is not read at all; default: it is converted. */
  says?: RegExp
  /** Why something of it is lost; default: nothing is asserted of it. */
  lost?: RegExp
}

/** Large enough that what takes a step for each pair of things takes minutes, and for each three hours. */
export const USUAL_SIZE = 10_000

export const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

export const nested = (
  depth: number,
  open: (at: number) => string,
  close: string,
  core: string,
): string => `${lines(depth, open)}\n${core}\n${lines(depth, () => close)}`
