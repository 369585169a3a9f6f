import type { z } from 'zod'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { ABOUT_WHAT_WAS_ASKED } from './about-what-was-asked.ts'
import type { MethodKind } from './answers/answer-shapes.ts'
import { HOST_ANSWERS } from './answers/host-answers.ts'
import { HOST_ARGUMENTS } from './arguments/host-arguments.ts'

/** A method of the host, as client and handler know it. */
export interface HostMethod {
  input: z.ZodType
  output: z.ZodType
  /** Whether it changes something on the host. */
  kind: MethodKind
  /** Seconds until the caller stops waiting and answers 503. */
  limitSecs: number
  /** Whether the answer is a secret, which nobody may write down; absent: no. */
  isSecret?: boolean
  /** Whether an answer of the right shape is about what was asked for; absent: it names nothing. */
  isAbout?: (answer: unknown, input: unknown) => boolean
}

type Table<Method> = Readonly<Record<keyof HostPorts, Readonly<Record<string, Method>>>>

const combined = (): Table<HostMethod> => {
  // Both tables are proved complete by their types; only here are they walked by name.
  const answers = HOST_ANSWERS as unknown as Table<Omit<HostMethod, 'input' | 'isAbout'>>
  const about = ABOUT_WHAT_WAS_ASKED as unknown as Partial<Table<HostMethod['isAbout']>>
  const table: Record<string, Record<string, HostMethod>> = {}
  for (const [port, methods] of Object.entries(HOST_ARGUMENTS)) {
    const made: Record<string, HostMethod> = {}
    for (const [method, input] of Object.entries(methods)) {
      const answer = answers[port as keyof HostPorts][method]
      if (answer === undefined) throw new Error(`no answer is known of ${port}/${method}`)
      const isAbout = about[port as keyof HostPorts]?.[method]
      made[method] = { input, ...answer, ...(isAbout && { isAbout }) }
    }
    table[port] = made
  }
  return table as Table<HostMethod>
}

/** Every method of the host. The one table that client and handler are made of. */
export const HOST_METHODS: Table<HostMethod> = combined()
