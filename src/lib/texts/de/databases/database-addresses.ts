import type { databaseAddresses as english } from '../../en/databases/database-addresses.ts'

/** Texte dazu, was Datenbanken von anderen Rechnern aus erreicht. */
export const databaseAddresses: typeof english = {
  title: 'Fernzugriff',
  lead: 'Adressen, von denen sich alle Benutzer dieser Datenbanken anmelden dürfen, mit ihren Passwörtern und Rechten und nur über TLS.',
  off: 'Die Datenbanken sind nur von diesem Rechner aus erreichbar. Was hier erlaubt ist, gilt, sobald ein Administrator den Fernzugriff einschaltet.',
  offAdmin:
    'Die Datenbanken sind nur von diesem Rechner aus erreichbar. Zum Einschalten setzen Sie mariadb_remote oder postgresql_remote im Abschnitt [databases] der berth.toml auf true und starten Berth neu.',
  problem: (engine, why) => `${engine} ist nicht von außen erreichbar: ${why}.`,
  suspended: 'Das Konto ist gesperrt: Bis zur Freigabe kommt niemand herein.',
  add: 'Adresse erlauben',
  none: 'Kein anderer Rechner hat Zugriff.',
  delete: (address) => `${address} entfernen`,
  form: {
    title: 'Adresse erlauben',
    lead: 'Von dort dürfen sich alle Benutzer der Datenbanken anmelden.',
    address: 'Adresse',
    addressHelp: 'Eine Adresse oder ein Block: 203.0.113.0/24, 2001:db8:1:2::/64',
    bad: 'Geben Sie eine Adresse wie 203.0.113.7 oder einen Block wie 203.0.113.0/24 ein.',
    note: 'Notiz',
    noteHelp: 'Was es ist, z. B. Büro',
    noteBad: 'Höchstens 100 Zeichen in einer Zeile.',
    submit: 'Erlauben',
    done: (address) => `${address} darf die Datenbanken erreichen`,
  },
  remove: {
    title: (address) => `${address} entfernen?`,
    lead: 'Sofort gilt:',
    login: (address) => `Niemand kann sich mehr von ${address} anmelden`,
    open: 'Offene Verbindungen von dort enden',
    stays: 'Sie lässt sich jederzeit wieder erlauben.',
    confirm: (address) => `Geben Sie zur Bestätigung ${address} ein`,
    submit: 'Adresse entfernen',
    several: (count) => `${count} Adressen entfernen`,
    done: (address) => `${address} erreicht die Datenbanken nicht mehr`,
  },
  connect: {
    title: 'Von einem anderen Rechner',
    lead: 'Von den erlaubten Adressen, über TLS:',
    host: 'Server',
    port: 'Port',
    mysql: 'mariadb oder mysql',
    psql: 'psql',
    newPsql: 'psql ab Version 16',
    url: 'DBeaver',
    fingerprint: 'Fingerabdruck des Zertifikats (SHA-256)',
    own: 'Das Zertifikat ist ein eigenes von Berth: Geben Sie Programmen seine Datei, damit sie ihm vertrauen.',
    named: (name) => `Das Zertifikat gilt für ${name}; Programme prüfen es von selbst.`,
    download: 'Zertifikat herunterladen',
    makers:
      'Views, Routinen, Trigger und Events entstehen nur auf diesem Rechner, z. B. mit dem Datenbankwerkzeug.',
  },
}
