import type { databaseUsers as english } from '../../en/databases/database-users.ts'

/** Texte der weiteren Benutzer von Datenbanken. */
export const databaseUsers: typeof english = {
  title: 'Weitere Benutzer',
  lead: 'Neben dem Benutzer, mit dem jede Datenbank angelegt wurde, z. B. um Zahlen zu lesen, ohne welche zu ändern.',
  add: 'Neuer Benutzer',
  none: 'Keine weiteren Benutzer.',
  rights: { none: 'Nichts', read: 'Lesen', write: 'Lesen und schreiben', all: 'Alles' },
  edit: (name) => `${name} bearbeiten`,
  delete: (name) => `${name} löschen`,
  form: {
    title: 'Neuer Datenbankbenutzer',
    change: (name) => `${name} bearbeiten`,
    name: 'Benutzername',
    nameHelp: (full) => `Wird zu ${full}`,
    password: 'Passwort',
    passwordHelp: 'Mindestens 8 Zeichen',
    newPassword: 'Neues Passwort',
    newPasswordHelp: 'Leer: Es bleibt, wie es ist',
    engine: 'Datenbankserver',
    rightsOf: (database) => `In ${database}`,
    rightsHelp:
      '„Lesen und schreiben“ ändert keine Tabellen selbst. „Alles“ legt auch Tabellen an und entfernt sie.',
    nothing: 'Wählen Sie mindestens in einer Datenbank ein Recht.',
    submit: 'Benutzer anlegen',
    save: 'Benutzer speichern',
    created: (name) => `Datenbankbenutzer ${name} angelegt`,
    saved: (name) => `Datenbankbenutzer ${name} gespeichert`,
  },
  rename: {
    action: 'Benutzer umbenennen',
    title: 'Benutzer umbenennen',
    lead: (user) => `Der Datenbankbenutzer ${user}`,
    name: 'Neuer Name',
    help: (full) =>
      `Wird zu ${full}. Anwendungen, die sich anmelden, müssen den neuen Namen kennen.`,
    submit: 'Benutzer umbenennen',
    done: (user) => `Der Benutzer heißt jetzt ${user}`,
  },
  remove: {
    title: (name) => `${name} löschen?`,
    lead: 'Das lässt sich nicht rückgängig machen:',
    login: (name) => `Niemand kann sich mehr als ${name} anmelden`,
    open: 'Offene Verbindungen enden',
    stays: 'Die Datenbanken bleiben, wie sie sind.',
    confirm: (name) => `Geben Sie zur Bestätigung ${name} ein`,
    submit: 'Benutzer löschen',
    several: (count) => `${count} Benutzer löschen`,
    done: (name) => `Datenbankbenutzer ${name} gelöscht`,
  },
}
