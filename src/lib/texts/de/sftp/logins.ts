import type { sftpLogins as english } from '../../en/sftp/logins.ts'

/** Texte der Liste der Anmeldungen über SFTP und SSH. */
export const sftpLogins: typeof english = {
  title: 'SFTP-Anmeldungen',
  lead: 'Wer über SFTP hereinkam, von wo und mit welchem Schlüssel. Die neuesten 200 jedes Kontos, 90 Tage lang.',
  last: 'Letzte Anmeldungen',
  all: 'Alle Anmeldungen',
  none: 'Noch hat sich niemand angemeldet.',
  filter: 'Anmeldungen filtern',
  one: 'Anmeldung',
  many: 'Anmeldungen',
  columns: {
    login: 'Benutzer',
    account: 'Konto',
    address: 'Adresse',
    way: 'Womit',
    began: 'Wann',
    lasted: 'Dauer',
    work: 'Getan',
  },
  ways: { key: 'Schlüssel', password: 'Passwort' },
  key: (name) => `Schlüssel ${name}`,
  keyGone: 'Ein gelöschter Schlüssel',
  account: 'Konto öffnen',
  sameAddress: 'Anmeldungen von dieser Adresse',
  noAddress: 'unbekannt',
  now: 'noch da',
  nothing: 'nichts geändert',
  changes: (count) => `${count} ${count === 1 ? 'Änderung' : 'Änderungen'}`,
  up: (size) => `${size} hochgeladen`,
  down: (size) => `${size} heruntergeladen`,
}
