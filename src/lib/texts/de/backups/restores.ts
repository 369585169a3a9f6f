import type { restores as englishRestores } from '../../en/backups/restores.ts'

/** German texts of parts of a backup, and of undoing restores. */
export const restores: typeof englishRestores = {
  chosen: { label: 'Auswahl', note: 'Einzelne Dateien, Ordner, Datenbanken' },
  settings: {
    label: 'Einstellungen',
    note: 'Domains, PHP, Cronjobs, Cache, Zeitplan',
    action: 'Einstellungen wiederherstellen',
    before: 'Einstellungen, wie sie vorher waren',
    left: 'Von den Einstellungen nicht übernommen',
  },
  settingsEffects: [
    'Vorhandene Domains erhalten ihre damaligen Einstellungen; keine kommt hinzu oder fällt weg',
    'PHP, Cronjobs, Seitencache und Zeitplan der Sicherungen werden wie damals',
    'Dateien, Datenbanken, Passwörter, Tarif und Kontingente bleiben, wie sie sind',
  ],
  home: 'Home',
  browse: 'Was in der Sicherung ist',
  loading: 'Die Sicherung wird gelesen. Das erste Mal dauert es etwas.',
  again: 'Erneut versuchen',
  choose: (name) => `${name} auswählen`,
  more: 'Mehr anzeigen',
  databases: 'Datenbanken',
  emptyFolder: 'Dieser Ordner ist leer',
  nothing: 'Noch nichts ausgewählt',
  paths: (count) =>
    count === 1
      ? '1 Datei oder Ordner wird durch den Stand der Sicherung ersetzt'
      : `${count} Dateien und Ordner werden durch den Stand der Sicherung ersetzt`,
  kept: 'Der jetzige Stand wird einen Tag aufbewahrt, damit sich das zurücknehmen lässt',
  note: (when, from) => `${when} wiederhergestellt aus ${from}`,
  undoNote: (when) => `${when} wurde eine Wiederherstellung zurückgenommen`,
  until: (when) => `Bis ${when} zurücknehmbar`,
  lost: {
    quota: 'Nicht zurücknehmbar: Das Kontingent ließ zu wenig Platz für den vorigen Stand',
    disk: 'Nicht zurücknehmbar: Die Platte ließ zu wenig Platz für den vorigen Stand',
    removed: 'Nicht zurücknehmbar: Der Ordner mit dem vorigen Stand wurde entfernt',
  },
  undo: 'Zurücknehmen',
  title: 'Diese Wiederherstellung zurücknehmen?',
  lead: 'Bringt zurück, was vorher da war:',
  files: 'Dateien, wie sie vorher waren',
  parts: (count) => (count === 1 ? '1 Datei oder Ordner' : `${count} Dateien und Ordner`),
  contents: 'Datenbanken, wie sie vorher waren',
  swapped: 'Der jetzige Stand wird seinerseits einen Tag aufbewahrt',
  confirm: (account) => `Zur Bestätigung ${account} eingeben`,
  submit: 'Zurücknehmen',
  done: (account) => `${account} ist wie vor der Wiederherstellung`,
}
