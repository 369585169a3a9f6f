import type { backups as englishBackups, jobs as englishJobs } from './en-backups.ts'

/** German texts of the Backups screen. */
export const backups: typeof englishBackups = {
  lead: 'Home-Verzeichnis und Datenbanken eines Kontos in einem Archiv, das zur Prüfung zurückgelesen wird.',
  account: 'Konto',
  create: 'Sicherung erstellen',
  cleanup: 'Aufräumen',
  filter: 'Sicherungen filtern',
  one: 'Sicherung',
  many: 'Sicherungen',
  noAccounts: 'Sicherungen gehören zu einem Konto. Legen Sie zuerst eines an.',
  empty: (account) => `${account} hat noch keine Sicherungen.`,
  columns: {
    created: 'Erstellt',
    size: 'Größe',
    databases: 'Datenbanken',
    location: 'Ort',
    state: 'Zustand',
  },
  local: 'Dieser Host',
  verified: 'Geprüft',
  verifiedHelp: 'Das Archiv und jeder Dump wurden zurückgelesen',
  none: 'keine',
  actions: { restore: 'Wiederherstellen', download: 'Herunterladen' },
  form: {
    title: (account) => `${account} sichern`,
    lead: 'Das Home-Verzeichnis und Dumps aller Datenbanken. Sie können währenddessen weiterarbeiten.',
    target: 'Kopie nach',
    targetHelp: 'Das Archiv bleibt auch auf diesem Host',
    noTarget: 'Nur dieser Host',
    usual: (name) => `${name} (Standard)`,
    submit: 'Sicherung erstellen',
  },
  created: (name) => `Sicherung ${name} erstellt`,
  restore: {
    title: (account) => `${account} wiederherstellen?`,
    lead: (filename) =>
      `Aus ${filename}. Schlägt etwas fehl, wird der jetzige Stand zurückgebracht.`,
    what: 'Was wiederhergestellt wird',
    choices: {
      all: { label: 'Alles', note: 'Dateien und Datenbanken' },
      files: { label: 'Dateien', note: 'Das Home-Verzeichnis' },
      databases: { label: 'Datenbanken', note: 'Deren Inhalt' },
    },
    files: 'Alle Dateien im Home-Verzeichnis werden ersetzt; neuere gehen verloren',
    databases: (count) =>
      `${count} ${count === 1 ? 'Datenbank wird' : 'Datenbanken werden'} durch den Stand der Sicherung ersetzt`,
    noDatabases: 'Diese Sicherung enthält keine Datenbanken',
    confirm: (account) => `Zur Bestätigung ${account} eingeben`,
    submit: 'Wiederherstellen',
    done: (account) => `${account} ist wiederhergestellt`,
  },
  remove: {
    title: 'Diese Sicherung löschen?',
    lead: 'Das lässt sich nicht rückgängig machen. Endgültig gelöscht wird:',
    copy: (filename, place, size) => `${filename} auf ${place}, ${size}`,
    others: 'Kopien an anderen Orten bleiben',
    confirm: (name) => `Zur Bestätigung ${name} eingeben`,
    submit: 'Sicherung löschen',
    done: (name) => `Sicherung ${name} gelöscht`,
  },
  clean: {
    title: 'Sicherungen aufräumen',
    lead: 'Die aller Konten, auf diesem Host und an entfernten Zielen. Die neueste Sicherung jedes Kontos an jedem Ort bleibt.',
    days: 'Sicherungen löschen, die älter sind als',
    daysHelp: 'Tage, 1 bis 3650',
    bad: 'Verwenden Sie eine ganze Zahl von 1 bis 3650 Tagen.',
    submit: 'Alte Sicherungen löschen',
    done: (count) => `${count} ${count === 1 ? 'Sicherung' : 'Sicherungen'} gelöscht`,
    failed: (count, why) => `${count} ließen sich nicht löschen: ${why}`,
  },
  targets: {
    title: 'Entfernte Ziele',
    empty:
      'Keine eingerichtet. Mit einem [[remote_target]] in berth.toml liegen Kopien auch woanders.',
    usual: 'Standard',
    types: { s3: 'Objektspeicher', sftp: 'SFTP' },
  },
}

/** German texts of the job centre. */
export const jobs: typeof englishJobs = {
  title: 'Aufträge',
  open: 'Auftragsübersicht öffnen',
  running: (count) => `${count} ${count === 1 ? 'Auftrag läuft' : 'Aufträge laufen'}`,
  none: 'Noch ist nichts gelaufen. Sicherungen, Wiederherstellungen und Archive erscheinen hier.',
  recent: 'Die letzten Arbeiten aus 30 Tagen',
  kinds: {
    'account.create': 'Konto anlegen',
    'account.delete': 'Konto löschen',
    'backup.create': 'Sicherung',
    'backup.restore': 'Wiederherstellung',
    'cache.warm': 'Seiten vorwärmen',
    'files.archive': 'Archiv packen',
    'files.copy': 'Dateien kopieren',
    'files.extract': 'Archiv entpacken',
  },
  state: { queued: 'Wartet', running: 'Läuft', done: 'Fertig', failed: 'Fehlgeschlagen' },
  progress: (name) => `Fortschritt: ${name}`,
}
