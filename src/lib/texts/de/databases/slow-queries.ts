import type { slowQueries as english } from '../../en/databases/slow-queries.ts'

/** Texte der langsamen Abfragen einer Datenbank. */
export const slowQueries: typeof english = {
  title: 'Langsame Abfragen',
  lead: 'Anweisungen, die länger als zwei Sekunden dauerten, mit ? anstelle von Werten. Berth sieht alle zwei Sekunden nach, kurze können also fehlen.',
  none: 'Keine seit dem letzten Start des Hosts.',
  times: (count) => (count === 1 ? 'einmal' : `${count}-mal`),
  longest: (seconds) => `längste ${seconds}`,
  last: (when) => `zuletzt ${when} UTC`,
}
