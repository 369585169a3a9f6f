import { DEEDS } from './deeds.ts'
import type { audit as english } from '../../en/shell/audit.ts'

/** Texts of what was done, as the audit log and the cards of activity tell it. */
export const audit: typeof english = {
  title: 'Protokoll',
  filter: 'Protokoll filtern',
  one: 'Eintrag',
  many: 'Einträgen',
  none: 'Noch ist nichts geschehen.',
  columns: {
    at: 'Wann',
    who: 'Wer',
    what: 'Was',
    address: 'Von',
    result: 'Ergebnis',
  },
  results: { done: 'Ausgeführt', denied: 'Abgewiesen', failed: 'Fehlgeschlagen' },
  nobody: 'niemand Bekanntes',
  deed: (summary) => DEEDS.get(summary) ?? summary,
  via: (via) => `über ${via}`,
  all: 'alle',
  newest: (count) => `die neuesten ${count}`,
}
