import type { Finding } from './row.ts'

/** Whether a finding is at its bar, by its median. What has no bar has no verdict. */
export const verdict = ({ bar, values }: Finding): 'reached' | 'short' | '' => {
  if (bar === null) return ''
  const above = bar.atLeast === undefined || values.median >= bar.atLeast
  const below = bar.atMost === undefined || values.median <= bar.atMost
  return above && below ? 'reached' : 'short'
}
