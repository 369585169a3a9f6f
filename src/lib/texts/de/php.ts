import type { php as english } from '../en/php.ts'

/** German texts of the PHP screen. */
export const php: typeof english = {
  lead: 'Jedes Konto hat sein eigenes PHP, das unter seinem eigenen Benutzer läuft.',
  versions: 'Installierte Versionen',
  noVersions:
    'Auf diesem Host ist kein PHP installiert. Installieren Sie ein Paket php-fpm oder php-cgi.',
  isDefault: 'Standard',
  accounts: 'Konten',
  accountsHelp: 'Eine neue Version bedient schon die nächste Anfrage; Sitzungen bleiben.',
  noAccounts: 'PHP wird je Konto gewählt. Legen Sie zuerst eines an.',
  filter: 'Konten filtern',
  one: 'Konto',
  many: 'Konten',
  columns: {
    version: 'Version',
    binary: 'Programm',
    sapis: 'Betriebsarten',
    account: 'Konto',
    runs: 'Läuft mit',
    choose: 'Version',
    mode: 'Betriebsart',
  },
  modes: { fpm: 'FPM', cgi: 'CGI', lsapi: 'LSAPI' },
  versionOf: (name) => `PHP-Version von ${name}`,
  modeOf: (name) => `PHP-Betriebsart von ${name}`,
  label: (version) => `PHP ${version}`,
  none: 'Kein PHP',
  lsapiLicense: 'LSAPI (Pro oder Business)',
  notInstalled: (mode) => `${mode} (nicht installiert)`,
  lsapiReason: 'LSAPI braucht eine Lizenz Pro oder Business.',
  ofMany: {
    action: 'PHP ändern',
    title: (count) => `PHP von ${count} ${count === 1 ? 'Konto' : 'Konten'} ändern`,
    lead: 'Eines nach dem anderen. Websites mit eigener Version behalten sie; der Modus bleibt.',
  },
  inactive: 'Nicht, solange es gesperrt ist',
  apply: 'Anwenden',
  applyTo: (name) => `Auf ${name} anwenden`,
  applied: (name, version, mode) => `${name} läuft mit PHP ${version} als ${mode}`,
}
