import { account } from './account.ts'
import { audit } from './shell/audit.ts'
import { jobs } from './shell/jobs.ts'
import { machines } from './shell/machines.ts'
import { lists } from './lists.ts'
import { membership } from './settings/membership.ts'
import { notifications } from './notifications/notifications.ts'
import { passkeys } from './settings/passkeys.ts'
import { system } from './system.ts'
import { uploads } from './shell/uploads.ts'
import type { frame as english } from '../en/frame.ts'

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** German texts (formal address) of the shell, the entrance and what all screens share. */
export const frame: typeof english = {
  locale: 'de',
  units: { day: 'T', hour: 'Std.', minute: 'Min.', second: 's' },
  product: 'Berth',
  title: (page) => `${page} · Berth`,
  tiers: { community: 'Community', pro: 'Pro', business: 'Business' },
  roles: { admin: 'Administrator', reseller: 'Reseller', account: 'Konto' },
  visitedBy: (admin) => `Besuch von ${admin}`,
  plans: { basic: 'Basic', standard: 'Standard', premium: 'Premium', enterprise: 'Enterprise' },
  plural,
  nav: {
    label: 'Bereiche',
    dashboard: 'Übersicht',
    accounts: 'Konten',
    domains: 'Domains',
    ssl: 'SSL',
    php: 'PHP',
    files: 'Dateien',
    databases: 'Datenbanken',
    wordpress: 'WordPress',
    system: 'System',
    operate: 'Betrieb',
    backups: 'Sicherungen',
    applications: 'Anwendungen',
    cron: 'Cron-Jobs',
    mail: 'E-Mail',
    cache: 'Cache',
    logs: 'Protokolle',
    settings: 'Einstellungen',
    open: 'Navigation öffnen',
    close: 'Navigation schließen',
    skip: 'Zum Inhalt springen',
    logout: 'Abmelden',
    home: 'Berth, zur Übersicht',
  },
  theme: {
    label: 'Farbschema',
    system: 'Wie das System',
    light: 'Hell',
    dark: 'Dunkel',
  },
  language: {
    label: 'Sprache',
    card: 'Sprache und Zeit',
    panel: 'Sprache des Panels',
    help: 'Gilt in diesem Browser. Einzelheiten mancher Fehler sind auf Englisch.',
    zone: 'Zeitzone',
    zoneHelp:
      'In ihr zeigt das Panel Zeiten. Tage von Zahlen, Stunden von Zeitplänen und Logdateien sind UTC.',
    names: { en: 'English', de: 'Deutsch' },
  },
  palette: {
    open: 'Suchen oder Befehl ausführen',
    keys: 'Strg K',
    title: 'Suche und Befehle',
    placeholder: 'Seite, Konto, Domain oder Befehl',
    none: (query) => `Nichts passt zu „${query}“.`,
    pages: 'Seiten',
    commands: 'Befehle',
    accounts: 'Konten',
    domains: 'Domains',
    databases: 'Datenbanken',
    restart: 'Webserver neu starten',
    reload: 'Webserver neu laden',
    theme: (name) => `Farbschema: ${name}`,
    language: (name) => `Sprache: ${name}`,
    files: (account) => `Dateien von ${account}`,
    results: (count) => `${count} Treffer`,
  },
  unsaved: {
    title: 'Änderungen verwerfen?',
    lead: 'Ihre Eingaben sind nicht gespeichert.',
    keep: 'Weiter bearbeiten',
    discard: 'Änderungen verwerfen',
  },
  actions: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    refresh: 'Aktualisieren',
    retry: 'Erneut versuchen',
    copy: 'Kopieren',
    copied: 'Kopiert',
    delete: 'Löschen',
    moreFields: 'Mehr',
    chooseFile: 'Datei wählen',
    more: (name) => `Aktionen für ${name}`,
    dismiss: 'Ausblenden',
  },
  table: {
    count: (shown, total, one, many) => `${shown} von ${plural(total, one, many)}`,
    sortBy: (column) => `Nach ${column} sortieren`,
    noMatch: 'Nichts passt zum Filter.',
    clearFilter: 'Filter aufheben',
  },
  password: {
    show: 'Passwort anzeigen',
    hide: 'Passwort verbergen',
    generate: 'Erzeugen',
    strength: {
      weak: 'Schwaches Passwort',
      fair: 'Mittleres Passwort',
      strong: 'Starkes Passwort',
    },
    tooShort: 'Verwenden Sie mindestens 8 Zeichen.',
    mismatch: 'Die beiden Passwörter sind verschieden. Geben Sie zweimal dasselbe ein.',
  },
  errors: {
    unreachable:
      'Das Panel ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
    unreadable: (status) =>
      `Die Antwort des Panels ist nicht lesbar (HTTP ${status}). Versuchen Sie es erneut.`,
    failed: (what) => `Laden fehlgeschlagen: ${what}`,
    pageTitle: 'Diese Seite wurde nicht geladen',
    forbidden: 'Diese Seite ist für Administratoren',
    forbiddenHelp:
      'Fragen Sie einen Administrator dieses Servers nach dem, was Sie davon brauchen.',
    notFound: 'Diese Seite gibt es nicht',
    notFoundHelp:
      'Vielleicht ist die Adresse falsch geschrieben, oder das Gesuchte ist nicht mehr da.',
    serverHelp: 'Die Ursache steht im Protokoll des Panels. Versuchen Sie es gleich noch einmal.',
    toDashboard: 'Zur Übersicht',
    required: 'Füllen Sie dieses Feld aus.',
    fileTooLarge: 'Diese Datei ist zu groß. Wählen Sie die mit dem verlangten Text.',
  },
  setup: {
    title: 'Willkommen bei Berth',
    lead: 'Legen Sie den ersten Administrator an. Diese Seite erscheint nur einmal.',
    username: 'Benutzername',
    usernameHelp: 'Mindestens 3 Zeichen',
    usernameShort: 'Verwenden Sie mindestens 3 Zeichen.',
    password: 'Passwort',
    passwordHelp: 'Mindestens 8 Zeichen',
    confirm: 'Passwort wiederholen',
    token: 'Einrichtungstoken',
    tokenHelp: 'Aus der Datei, die setup_token_file auf dem Server nennt',
    submit: 'Administratorkonto anlegen',
  },
  login: {
    title: 'Bei Berth anmelden',
    lead: 'Für Administratoren und Hosting-Konten gleichermaßen.',
    username: 'Benutzername',
    password: 'Passwort',
    code: 'Code',
    codeHelp: 'Aus der App Ihres zweiten Faktors, oder ein Wiederherstellungscode',
    submit: 'Anmelden',
  },
  create: {
    account: 'Neues Konto',
    domain: 'Domain hinzufügen',
    database: 'Neue Datenbank',
    application: 'Neue Anwendung',
    cron: 'Neuer Cron-Job',
  },
  account,
  membership,
  passkeys,
  lists,
  audit,
  jobs,
  machines,
  uploads,
  notifications,
  ...system,
}
