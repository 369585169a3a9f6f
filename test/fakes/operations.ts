import { AppError } from '#handlers/errors.ts'

/** Remembers outcomes by operation id, method and subject, as the host does. */
export interface FakeOperations {
  run<T>(id: string, method: string, subject: string, work: () => T): T
  state(id: string): { state: 'open' | 'done' | 'undone' } | null
}

export const createFakeOperations = (): FakeOperations => {
  const outcomes = new Map<string, { ok: true; value: unknown } | { ok: false; error: unknown }>()
  return {
    run<T>(id: string, method: string, subject: string, work: () => T): T {
      const key = `${id}|${method}|${subject}`
      const known = outcomes.get(key)
      if (known?.ok === true) return known.value as T
      if (known?.ok === false) throw known.error
      try {
        const value = work()
        outcomes.set(key, { ok: true, value })
        return value
      } catch (error) {
        if (error instanceof AppError) outcomes.set(key, { ok: false, error })
        throw error
      }
    },
    state(id) {
      const own = [...outcomes].filter(([key]) => key.startsWith(`${id}|`))
      if (own.length === 0) return null
      return { state: own.some(([, outcome]) => outcome.ok) ? 'done' : 'undone' }
    },
  }
}
