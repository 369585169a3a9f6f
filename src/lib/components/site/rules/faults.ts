import type { SiteTest } from '$lib/api/types'

/** What is wrong with the rules of the document root, as a test found; null: nothing. */
export const faultOf = ({ steps }: SiteTest): { line: number | null; reason: string } | null => {
  for (const step of steps)
    if (step.kind === 'unreadable' && step.source === '/.htaccess') return step
  return null
}
