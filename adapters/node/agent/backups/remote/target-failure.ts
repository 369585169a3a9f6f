import type { AppError } from '#handlers/errors.ts'
import { unavailable } from '#handlers/errors.ts'
import { failureAdvice } from './failure-advice.ts'
import { withoutPlaces } from './without-places.ts'

const MAX_SAID = 300

/**
 * A failure of a target in words for people: what failed, why, and what to do. Accounts read
 * these, so where the target is stands in the agent's log alone, i.e. in the cause; only where
 * `tellsAll` is set, since nobody but administrators asks, it is told.
 */
export const targetFailure = (
  name: string,
  error: unknown,
  { tellsAll = false }: { tellsAll?: boolean | undefined } = {},
): AppError => {
  const said = (error instanceof Error ? error.message : String(error)).slice(0, MAX_SAID)
  const told = tellsAll ? said : withoutPlaces(said)
  return unavailable(
    `The backup target "${name}" failed: ${told}. ${failureAdvice(said)}`.trimEnd(),
    error,
  )
}
