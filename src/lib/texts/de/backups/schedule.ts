import type { schedule as englishSchedule } from '../../en/backups/schedule.ts'

/** Texts of the page of schedules of backups. */
export const schedule: typeof englishSchedule = {
  lead: 'Wann von selbst gesichert wird, wohin, und welche Sicherungen bleiben. Stunden sind UTC.',
  general: 'Vorgabe und Tarife',
  accounts: 'Konten',
  default: 'Vorgabe',
  defaultHelp: 'Aus [backups] in berth.toml, für alle ohne Zeitplan im Panel.',
  one: 'Zeitplan',
  many: 'Zeitpläne',
  filter: 'Tarif suchen',
  account: {
    one: 'Konto',
    many: 'Konten',
    filter: 'Konto suchen',
    empty: 'Es gibt noch keine Konten.',
  },
  columns: {
    whose: 'Für',
    schedule: 'Zeitplan',
    source: 'Von',
    next: 'Nächste',
    last: 'Letzte',
  },
  source: { account: 'Eigener', plan: 'Tarif', default: 'Vorgabe' },
  outcome: {
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Fehlgeschlagen',
    interrupted: 'Abgebrochen',
  },
  never: 'Nie',
  due: 'Jetzt fällig',
  ofPlan: 'Wie die Vorgabe',
  edit: 'Zeitplan ändern',
  reset: 'Zeitplan entfernen',
  resetOf: (name) => `${name} hat keinen eigenen Zeitplan mehr`,
  none: 'Es wird nichts von selbst gesichert.',
  every: (hours) =>
    hours === 168
      ? 'Einmal in der Woche'
      : hours === 24
        ? 'Jeden Tag'
        : hours === 1
          ? 'Jede Stunde'
          : `Alle ${hours} Stunden`,
  between: (from, to) => ` zwischen ${from} und ${to}`,
  keeps: (what) => `, behält ${what}`,
  kept: {
    last: (count) => (count === 1 ? 'die letzte' : `die letzten ${count}`),
    hourly: (count) => (count === 1 ? '1 Stunde' : `${count} Stunden`),
    daily: (count) => (count === 1 ? '1 Tag' : `${count} Tage`),
    weekly: (count) => (count === 1 ? '1 Woche' : `${count} Wochen`),
    monthly: (count) => (count === 1 ? '1 Monat' : `${count} Monate`),
  },
  what: { archive: 'Archiv', snapshot: 'Snapshot', none: 'Keine' },
  local: 'dieser Server',
  form: {
    title: (name) => `Zeitplan: ${name}`,
    lead: 'Eine verpasste Sicherung wird in den angegebenen Stunden nachgeholt, oder sofort, wenn sie einen Tag zu spät ist.',
    what: 'Was gemacht wird',
    archive: 'Archive: vollständig, je eine Datei',
    snapshot: 'Snapshots: inkrementell, verschlüsselt',
    nothing: 'Nichts',
    every: 'Wie oft',
    from: 'Nicht vor',
    to: 'Nicht nach',
    anyTime: 'Jederzeit',
    sameHour: 'Wähle eine andere Stunde als die erste.',
    local: 'Auf diesem Server behalten',
    target: 'Kopie an ein Ziel',
    noTarget: 'Keine',
    noPlace: 'Behalte sie auf diesem Server oder wähle ein Ziel.',
    keep: 'Wie viele bleiben, an jedem Ort',
    last: 'Die letzten',
    hourly: 'Stunden',
    daily: 'Tage',
    weekly: 'Wochen',
    monthly: 'Monate',
    badCount: 'Gib eine Zahl von 0 bis 1000 ein.',
    keepNone: 'Behalte etwas: mindestens eine Zahl darf nicht 0 sein.',
    save: 'Zeitplan speichern',
    saved: (name) => `Zeitplan gespeichert: ${name}`,
  },
}
