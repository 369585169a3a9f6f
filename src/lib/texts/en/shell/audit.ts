/** Texts of what was done, as the audit log and the cards of activity tell it. */
export const audit = {
  title: 'Audit log',
  filter: 'Filter the audit log',
  one: 'entry',
  many: 'entries',
  none: 'Nothing has been done yet.',
  columns: {
    at: 'When',
    who: 'Who',
    what: 'What',
    address: 'From',
    result: 'Result',
  },
  results: { done: 'Done', denied: 'Denied', failed: 'Failed' },
  nobody: 'nobody known',
  /** What was done, in the words of the API document. */
  deed: (summary: string) => summary,
  via: (via: string) => `through ${via}`,
  all: 'all',
  newest: (count: number) => `the newest ${count}`,
}
