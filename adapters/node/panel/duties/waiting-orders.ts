import type { RenewalReport } from '#handlers/services/certificates/certificates.ts'
import type { Log } from '#handlers/ports/log.ts'
import { repeatAfter } from './repeat-after.ts'

const MINUTE_MS = 60_000

/** Looks every minute whether orders that wait for records can go on; the next look waits for the one before. */
export const startWaitingOrders = (
  goOn: () => Promise<Pick<RenewalReport, 'renewed' | 'errors'>>,
  log: Log,
): { stop(): void } =>
  repeatAfter(
    MINUTE_MS,
    async () => {
      const { renewed } = await goOn()
      if (renewed.length > 0) log.info('certificates proved by hand are served', { renewed })
    },
    (error) => log.error('orders that wait were not looked at', { error: String(error) }),
  )
