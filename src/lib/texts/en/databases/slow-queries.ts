/** Texts of the slow queries of a database. */
export const slowQueries = {
  title: 'Slow queries',
  lead: 'Statements that took longer than two seconds, with ? in place of values. Berth looks every two seconds, so short ones may be missing.',
  none: 'None since the host was started last.',
  times: (count: number) => (count === 1 ? 'once' : `${count} times`),
  longest: (seconds: string) => `longest ${seconds}`,
  last: (when: string) => `last ${when} UTC`,
}
