import type { RenewalReport } from '#handlers/services/certificates/certificates.ts'
import type { Log } from '#handlers/ports/log.ts'

const MINUTE_MS = 60_000

/** Looks every minute whether orders that wait for records can go on; the next look waits for the one before. */
export const startWaitingOrders = (
  goOn: () => Promise<Pick<RenewalReport, 'renewed' | 'errors'>>,
  log: Log,
): { stop(): void } => {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const plan = (): void => {
    timer = setTimeout(() => void turn(), MINUTE_MS)
    timer.unref()
  }
  const turn = async (): Promise<void> => {
    try {
      const { renewed } = await goOn()
      if (renewed.length > 0) log.info('certificates proved by hand are served', { renewed })
    } catch (error) {
      log.error('orders that wait were not looked at', { error: String(error) })
    }
    if (!stopped) plan()
  }
  plan()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
