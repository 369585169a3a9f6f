import { invalidate } from '$app/navigation'
import { navigating } from '$app/state'

/**
 * Loads anew what depends on `topic`, for work that ends whenever it ends. Kit gives up
 * a navigation that is under way for it, so the way of the user comes first.
 */
export const loadAnew = async (topic: string): Promise<void> => {
  let seen: Promise<void> | null = null
  // One that was given up stays named here until the next.
  while (navigating.complete !== null && navigating.complete !== seen) {
    seen = navigating.complete
    await seen.catch(() => undefined)
  }
  await invalidate(topic)
}
