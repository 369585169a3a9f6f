import type { PlannedRenewal, RenewalWindow } from '../../ports/host/certificates.ts'
import { timestamp, timestampMs } from '../text/timestamp.ts'

/**
 * A time in the window that no other certificate has, so that not all of them are renewed at
 * once. `before` keeps its time as long as the authority says the same. `random`: from 0 to 1.
 */
export const planRenewal = (
  window: RenewalWindow,
  before: PlannedRenewal | null,
  random: number,
): PlannedRenewal => {
  const isSame = before?.from === window.from && before.until === window.until
  if (isSame) return { ...window, at: before.at }
  const [from, until] = [timestampMs(window.from), timestampMs(window.until)]
  return { ...window, at: timestamp(from + Math.floor(random * (until - from))) }
}
