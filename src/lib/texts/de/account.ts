import type { account as english } from '../en/account.ts'

/** German texts of the page of one account, and of working as it. */
export const account: typeof english = {
  own: 'Mein Konto',

  suspended: 'Dieses Konto ist gesperrt.',
  suspendedBecause: (reason) => `Dieses Konto ist gesperrt: ${reason}`,
  usage: {
    title: 'Nutzung',
    disk: 'Speicher',
    traffic: (month) => `Datenverkehr im ${month}`,
    of: (used, total) => `${used} von ${total}`,
    unlimited: (used) => `${used}, unbegrenzt`,
    created: 'Angelegt',
    updated: 'Zuletzt geändert',
    plan: 'Tarif',
    diskHeld:
      'Vom Kernel gehalten: Darüber lässt sich nichts schreiben. Die Zahl ist bis zu eine Minute alt.',
    diskCounted:
      'Von Berth gezählt, bis zu eine Minute alt: Was das Panel schreibt, endet dort, PHP nicht.',
    diskAt: 'Der belegte Speicher wird beim Aufruf der Seite neu gezählt.',
    trafficUntil: (day) => `Gezählt ab dem Monatsersten (UTC), neu ab ${day}`,
  },
  programs: {
    title: 'Programme',
    lead: 'Von PHP, Cronjobs, Sitzungen und dem, was das Panel für das Konto ausführt, binnen eines Tages.',
    cpu: 'Prozessor, von einem',
    memory: 'Arbeitsspeicher',
    tasks: 'Prozesse und Threads',
    average: 'Im Mittel',
    most: 'Höchstens zugleich',
    none: 'Seit dem Start von Berth wurde noch nichts gezählt.',
    ended: (count, at) =>
      `Der Arbeitsspeicher des Kontos war aufgebraucht: Der Kernel hat ${count === 1 ? 'ein Programm' : `${count} Programme`} beendet, zuletzt gegen ${at}.`,
  },
  all: (count) => `Alle ${count}`,
  domains: { none: 'Keine Domains.', open: 'Domains öffnen' },
  databases: { none: 'Noch keine Datenbanken.', open: 'Datenbanken öffnen' },
  backups: { none: 'Noch keine Sicherungen.', open: 'Sicherungen öffnen' },
  php: {
    title: 'PHP',
    version: 'Version',
    mode: 'Modus',
    none: 'Kein PHP auf diesem Server',
    open: 'PHP-Einstellungen',
  },
  audit: {
    title: 'Letzte Aktivitäten',
    none: 'In den letzten 90 Tagen ist nichts geschehen.',
    open: 'Protokoll',
  },
  connect: {
    title: 'Verbindungsdaten',
    username: 'Benutzername',
    email: 'E-Mail',
    home: 'Home-Verzeichnis',
    root: 'Dokumentverzeichnis',
    site: 'Website',
    files: 'Dateien öffnen',
  },
  visit: {
    banner: (name) => `Sie arbeiten als ${name}.`,
    action: 'Zurück zum Administrator',
    failed: 'Die Administrator-Sitzung ist beendet. Melden Sie sich erneut an.',
  },
}
