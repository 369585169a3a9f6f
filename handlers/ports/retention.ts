/**
 * Which backups are kept: the newest `last`, and of each of so many hours, days, ISO weeks
 * and months that have one, the newest. What any rule keeps stays. UTC.
 */
export interface Retention {
  last: number
  hourly: number
  daily: number
  weekly: number
  monthly: number
}
