import type { hostingPlans as englishPlans, limits as englishLimits } from '../en/plans.ts'

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** German texts of plans and of what they allow. */
export const limits: typeof englishLimits = {
  title: 'Grenzen des Tarifs',
  of: (used, limit) => `${used} von ${limit}`,
  domains: 'Domains',
  databases: 'Datenbanken',
  tokens: 'API-Token',
  backups: 'Sicherungen und Schnappschüsse',
  cronJobs: 'Cron-Jobs',
  sshKeys: 'SSH-Schlüssel',
  processes: 'Prozesse',
  memory: 'Arbeitsspeicher eines Prozesses',
  used: {
    domains: (used, limit) => `${used} von ${plural(limit, 'Domain', 'Domains')}`,
    databases: (used, limit) => `${used} von ${plural(limit, 'Datenbank', 'Datenbanken')}`,
    database_users: (used, limit) =>
      `${used} von ${plural(limit, 'Datenbankbenutzer', 'Datenbankbenutzern')}`,
    tokens: (used, limit) => `${used} von ${plural(limit, 'API-Token', 'API-Token')}`,
    backups: (used, limit) => `${used} von ${plural(limit, 'Sicherung', 'Sicherungen')}`,
    cron_jobs: (used, limit) => `${used} von ${plural(limit, 'Cron-Job', 'Cron-Jobs')}`,
    ssh_keys: (used, limit) => `${used} von ${plural(limit, 'SSH-Schlüssel', 'SSH-Schlüsseln')}`,
  },
  full: 'Kein Platz mehr: Löschen Sie etwas, oder bitten Sie um einen größeren Tarif.',
  fullAdmin: 'Für das Konto selbst ist kein Platz mehr. Administratoren dürfen mehr anlegen.',
  choice: (domains, databases, memory) =>
    `${plural(domains, 'Domain', 'Domains')} · ${plural(databases, 'Datenbank', 'Datenbanken')} · ${memory} Speicher`,
}

/** German texts of the plans among the settings. */
export const hostingPlans: typeof englishPlans = {
  tab: 'Tarife',
  create: 'Neuer Tarif',
  filter: 'Tarife filtern',
  one: 'Tarif',
  many: 'Tarife',
  none: 'Keine Tarife.',
  builtIn: (name) => `Vorgegeben, ${name}`,
  columns: {
    name: 'Tarif',
    disk: 'Speicherplatz',
    traffic: 'Datenverkehr im Monat',
    domains: 'Domains',
    databases: 'Datenbanken',
    databaseUsers: 'Datenbankbenutzer',
    tokens: 'Token',
    backups: 'Sicherungen',
    cronJobs: 'Cron-Jobs',
    sshKeys: 'SSH-Schlüssel',
    processes: 'Prozesse',
    memory: 'Arbeitsspeicher',
    accounts: 'Konten',
  },
  edit: 'Bearbeiten',
  form: {
    title: 'Neuer Tarif',
    change: (name) => `${name} bearbeiten`,
    lead: 'Anzahlen binden das Konto selbst. Administratoren dürfen sie überschreiten.',
    changeLead: (accounts) =>
      `Gilt sofort für ${plural(accounts, 'Konto', 'Konten')}. Was darüber liegt, bleibt bestehen.`,
    name: 'Kurzname',
    nameHelp: '2-32 Zeichen aus a-z, 0-9, - und _, z. B. agentur',
    nameBad: 'Beginnen Sie mit einem Buchstaben; 2-32 Zeichen aus a-z, 0-9, - und _.',
    disk: 'Speicherplatz, MB',
    diskHelp: 'Konten mit eigenem Kontingent behalten es',
    traffic: 'Datenverkehr im Monat, MB',
    domains: 'Domains',
    domainsHelp: 'Jeder Art, auch die Hauptdomain',
    databases: 'Datenbanken',
    databaseUsers: 'Datenbankbenutzer',
    databaseUsersHelp: 'Neben dem einer jeden Datenbank',
    tokens: 'API-Token',
    backups: 'Sicherungen und Schnappschüsse',
    cronJobs: 'Cron-Jobs',
    sshKeys: 'SSH-Schlüssel',
    processes: 'Prozesse und Threads',
    processesHelp: 'Mindestens 25, damit PHP startet',
    memory: 'Arbeitsspeicher eines Prozesses, MB',
    memoryHelp: 'Mindestens 128',
    bad: (least, most) => `Geben Sie eine ganze Zahl von ${least} bis ${most} ein.`,
    submit: 'Tarif anlegen',
    save: 'Tarif speichern',
    created: (name) => `Tarif ${name} angelegt`,
    saved: (name) => `Tarif ${name} gespeichert`,
  },
  remove: {
    title: (name) => `Tarif ${name} löschen?`,
    lead: 'Das lässt sich nicht rückgängig machen:',
    effect: 'Kein Konto kann diesen Tarif mehr erhalten',
    confirm: (name) => `Geben Sie zur Bestätigung ${name} ein`,
    submit: 'Tarif löschen',
    done: (name) => `Tarif ${name} gelöscht`,
  },
}
