import type { z } from 'zod'
import type { HostPorts } from '#handlers/ports/host/host.ts'

/** Argument of a port method; `undefined` for methods without one. */
export type InputOf<F> = F extends (...args: infer A) => unknown
  ? A extends [infer I]
    ? I
    : undefined
  : never

/** The shape of the argument of every method, by port and method. */
export type ArgumentTable = {
  readonly [P in keyof HostPorts]: {
    readonly [M in keyof HostPorts[P]]: z.ZodType<InputOf<HostPorts[P][M]>>
  }
}
