import type { HooksPort } from '#handlers/ports/host/hooks.ts'

export interface FakeHooks extends HooksPort {
  /** What hooks were told, in order. */
  told: { event: string; message: string }[]
  /** Names of programs by event; those that begin with `bad` fail. */
  programs: Map<string, string[]>
}

/** Hooks that only remember. */
export const createFakeHooks = (): FakeHooks => {
  const told: FakeHooks['told'] = []
  const programs: FakeHooks['programs'] = new Map()
  return {
    told,
    programs,
    run: (input) => {
      told.push(input)
      const names = programs.get(input.event) ?? []
      return Promise.resolve({
        ran: names.length,
        failed: names.filter((name) => name.startsWith('bad')),
      })
    },
  }
}
