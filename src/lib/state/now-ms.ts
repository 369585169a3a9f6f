import { createSubscriber } from 'svelte/reactivity'

const EVERY_MS = 10_000

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, EVERY_MS)
  return () => clearInterval(timer)
})

/**
 * The time as `Date.now()` gives it. What a component shows of it goes on with the
 * time, every ten seconds, for as long as it is shown.
 */
export const nowMs = (): number => {
  subscribe()
  return Date.now()
}
