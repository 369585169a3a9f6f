import type { wordpressCopies as english } from '../../en/sites/wordpress-copies.ts'

/** German texts about copies of WordPress. */
export const wordpressCopies: typeof english = {
  badge: 'Testkopie',
  badgeOf: (path) => `Kopie von ${path}`,
  domain: 'Domain der Kopie',
  domainHelp: 'Eine Website des Kontos; gibt es sie nicht, wird sie angelegt.',
  directory: 'Ordner',
  directoryHelp: 'Leer: die Website selbst',
  database: 'Datenbank',
  databaseHelp: 'Leer: ein freier Name',
  wildcard: 'Eine Wildcard-Domain',
  wildcardHelp: 'Für ein Netzwerk, dessen Websites eigene Namen haben, statt einer Domain für jede',
  done: (address) => `Die Kopie liegt unter ${address}`,
  staging: {
    action: 'Testkopie anlegen',
    title: 'Testkopie anlegen',
    lead: 'Dateien und Tabellen werden kopiert, die Adresse wird ersetzt. Suchmaschinen werden ferngehalten, und die Kopie verschickt keine Mail.',
    submit: 'Kopie anlegen',
  },
  push: {
    action: 'In die Website zurückspielen',
    title: 'In die Website zurückspielen',
    lead: (path) =>
      `Was zurückgeht, ersetzt nach einer Sicherung, was die Website in ${path} hat. Funktioniert die Website danach nicht, wird alles zurückgenommen.`,
    files: 'Dateien',
    filesHelp: 'Einstellungen und spätere Uploads der Website bleiben.',
    tables: 'Datenbank',
    tablesHelp: 'Was Besucher seit dem Kopieren auf der Website getan haben, geht damit verloren.',
    chosen: 'Nur einige Tabellen',
    which: 'Tabellen',
    rows: (count) => (count === 1 ? '1 Zeile' : `${count} Zeilen`),
    bound: (tables) => `Geht mit ${tables}, da Fremdschlüssel sie verbinden`,
    nothing: 'Wählen Sie Dateien, die Datenbank oder beides.',
    noTable: 'Wählen Sie eine Tabelle.',
    submit: 'Zurückspielen',
    done: (address) => `${address} hat den Stand der Kopie`,
    withoutDomain: (names) => `Websites, für deren Namen es hier noch keine Domain gibt: ${names}`,
  },
  clone: {
    action: 'In ein anderes Konto klonen',
    title: 'In ein anderes Konto klonen',
    lead: 'Die Dateien werden die des anderen Kontos, mit eigener Datenbank und eigenen Schlüsseln.',
    account: 'Konto',
    submit: 'Klonen',
  },
}
