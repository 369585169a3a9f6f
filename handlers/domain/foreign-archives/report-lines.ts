import type { ReportLine } from './foreign-account.ts'

/** Collects the lines of a report in the order in which things were met. */
export const createReportLines = () => {
  const lines: ReportLine[] = []
  const add = (what: ReportLine['what'], subject: string, reason = ''): void => {
    lines.push({ what, subject, reason })
  }
  return {
    lines,
    taken: (subject: string): void => add('taken', subject),
    changed: (subject: string, reason: string): void => add('changed', subject, reason),
    left: (subject: string, reason: string): void => add('left', subject, reason),
  }
}

/** What `createReportLines` answers. */
export type ReportLines = ReturnType<typeof createReportLines>
