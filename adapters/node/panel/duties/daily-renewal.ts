import type { RenewalReport } from '#handlers/services/certificates/certificates.ts'
import type { Log } from '#handlers/ports/log.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Some time after a start, so that a restart at the same hour everywhere is no rush to the authority. */
const FIRST_MS = [5 * MINUTE_MS, 60 * MINUTE_MS] as const
/** A day more or less an hour: over the weeks every hour of the day has its share. */
const NEXT_MS = [DAY_MS - 60 * MINUTE_MS, DAY_MS + 60 * MINUTE_MS] as const

const between = ([from, to]: readonly [number, number]): number =>
  from + Math.random() * (to - from)

/** Renews what is due, once a day at a random time. */
export const startDailyRenewal = (
  renew: () => Promise<RenewalReport>,
  log: Log,
): { stop(): void } => {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const plan = (range: readonly [number, number]): void => {
    timer = setTimeout(() => void turn(), between(range))
    timer.unref()
  }
  const turn = async (): Promise<void> => {
    try {
      const { renewed, errors } = await renew()
      if (renewed.length + errors.length > 0)
        log.info('certificates renewed', { renewed, failed: errors.map(({ domain }) => domain) })
    } catch (error) {
      log.error('the daily renewal failed', { error: String(error) })
    }
    if (!stopped) plan(NEXT_MS)
  }
  plan(FIRST_MS)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
