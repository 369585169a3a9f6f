import type { lists as english } from '../en/lists.ts'

/** German texts of all lists. */
export const lists: typeof english = {
  columns: 'Spalten',
  allColumns: 'Alle zeigen',
  refresh: 'Liste neu laden',
  perPage: 'Zeilen je Seite',
  range: (first, last, total, noun) =>
    total <= last && first === 1
      ? `${total} von ${total} ${noun}`
      : `${first}–${last} von ${total} ${noun}`,
  page: (page, pages) => `Seite ${page} von ${pages}`,
  previous: 'Vorherige Seite',
  next: 'Nächste Seite',
  loading: 'Zeilen werden geladen',
  selectAll: 'Alle Zeilen dieser Seite auswählen',
  select: (name) => `${name} auswählen`,
  selected: (count) => `${count} ausgewählt`,
  clear: 'Auswahl aufheben',
  bulk: {
    title: 'Aktionen für mehrere Zeilen',
    lead: 'Das lässt sich nicht rückgängig machen. Endgültig gelöscht:',
    confirm: (count) => `Geben Sie zur Bestätigung ${count} ein`,
    running: (done, count) => `${done} von ${count} erledigt`,
    ended: (done, count) => `${done} von ${count} erledigt`,
    failed: (count) => `${count} fehlgeschlagen`,
    stopped: 'Angehalten',
    stop: 'Nach dieser Zeile anhalten',
    retry: 'Erneut versuchen',
    retryAll: 'Fehlgeschlagene erneut versuchen',
    retryOne: (name) => `${name} erneut versuchen`,
    dismiss: 'Bericht schließen',
    states: { waiting: 'Wartet', running: 'Läuft', done: 'Erledigt', failed: 'Fehlgeschlagen' },
    leftOut: (count, why) => `${count} ausgelassen: ${why}`,
  },
  accounts: {
    suspend: (count) => `${count} ${count === 1 ? 'Konto' : 'Konten'} sperren`,
    unsuspend: (count) => `${count} ${count === 1 ? 'Konto' : 'Konten'} entsperren`,
    remove: (count) => `${count} ${count === 1 ? 'Konto' : 'Konten'} löschen`,
    plan: (count) => `Tarif von ${count} ${count === 1 ? 'Konto' : 'Konten'} ändern`,
    changePlan: 'Tarif ändern',
    planLead:
      'Kontingente, die denen des alten Tarifs entsprachen, folgen dem neuen; andere bleiben.',
    notActive: 'sie sind nicht aktiv',
    notSuspended: 'sie sind nicht gesperrt',
    users: (count) => `${count} Systembenutzer mit allen Prozessen`,
    files: (count, size) =>
      `${count} Home-${count === 1 ? 'Verzeichnis' : 'Verzeichnisse'} mit ${size} an Dateien`,
    certificates: (count) => `${count} ${count === 1 ? 'Zertifikat' : 'Zertifikate'}`,
    backups: (count) =>
      count === 0
        ? 'Es gibt keine Sicherungen'
        : `${count} ${count === 1 ? 'Sicherung bleibt' : 'Sicherungen bleiben'} erhalten`,
  },
  domains: {
    remove: (count) => `${count} ${count === 1 ? 'Domain' : 'Domains'} löschen`,
    cacheOn: (count) => `Seiten-Cache für ${count} ${count === 1 ? 'Domain' : 'Domains'} ein`,
    cacheOff: (count) => `Seiten-Cache für ${count} ${count === 1 ? 'Domain' : 'Domains'} aus`,
    on: 'Cache ein',
    off: 'Cache aus',
    hosts: (count) =>
      count === 1
        ? '1 Website antwortet nicht mehr unter ihrem Namen'
        : `${count} Websites antworten nicht mehr unter ihren Namen`,
    certificates: (count) => `${count} ${count === 1 ? 'Zertifikat' : 'Zertifikate'}`,
    files: 'Die Dateien in den Dokumentverzeichnissen bleiben',
    primary: 'Hauptdomains verschwinden nur mit ihrem Konto',
    alias: 'Aliasse haben die Einstellungen ihrer Site',
    cache: { column: 'Seiten-Cache', on: 'Ein', off: 'Aus' },
  },
  databases: {
    remove: (count) => `${count} ${count === 1 ? 'Datenbank' : 'Datenbanken'} löschen`,
    contents: (count, tables, size) =>
      `${count} ${count === 1 ? 'Datenbank' : 'Datenbanken'}${tables === null ? ' mit allen Tabellen' : ` mit ${tables} ${tables === 1 ? 'Tabelle' : 'Tabellen'}`}${size === null ? '' : `, ${size}`}`,
    users: (count) => `${count} Datenbankbenutzer`,
  },
  backups: {
    remove: (count) => `${count} ${count === 1 ? 'Sicherung' : 'Sicherungen'} löschen`,
    copies: (count, size) => `${count} ${count === 1 ? 'Kopie' : 'Kopien'}, zusammen ${size}`,
    others: 'Kopien davon an anderen Orten bleiben',
    details: 'Einzelheiten',
    checksum: 'SHA-256',
    skipped: 'Nicht enthalten',
    nothingSkipped: 'Nichts wurde ausgelassen',
    skippedCount: (count) =>
      `${count} ${count === 1 ? 'Eintrag' : 'Einträge'} des Home-Verzeichnisses`,
  },
  certificates: {
    renew: (count) => `${count} ${count === 1 ? 'Zertifikat' : 'Zertifikate'} erneuern`,
    action: 'Erneuern',
    uploaded: 'hochgeladene werden nicht erneuert',
  },
}
