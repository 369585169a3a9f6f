import { MEGABYTE } from '../text/megabyte.ts'
import { timestamp } from '../text/timestamp.ts'

/** The calendar month (UTC) that traffic is counted in, as `2026-11`. */
export const trafficMonth = (nowMs: number): string => timestamp(nowMs).slice(0, 7)

/** What is recorded of an account. */
interface Traffic {
  bandwidth_month: string
  bandwidth_used_bytes: number
}

/** Bytes sent in `month`; what is recorded of another month is over. */
const usedBytes = (account: Traffic, month: string): number =>
  account.bandwidth_month === month ? account.bandwidth_used_bytes : 0

/** Whole megabytes sent in `month`. */
export const bandwidthUsedMb = (account: Traffic, month: string): number =>
  Math.floor(usedBytes(account, month) / MEGABYTE)

/** Whether the quota of the month is used up; a quota of 0 or less is no limit. */
export const isOverBandwidth = (
  account: Traffic & { bandwidth_quota_mb: number },
  month: string,
): boolean =>
  account.bandwidth_quota_mb > 0 &&
  usedBytes(account, month) >= account.bandwidth_quota_mb * MEGABYTE
