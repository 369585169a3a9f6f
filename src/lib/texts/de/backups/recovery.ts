import type { recovery as englishRecovery } from '../../en/backups/recovery.ts'

/** German texts about bringing the panel back, should its machine be lost. */
export const recovery: typeof englishRecovery = {
  title: 'Notfallvorsorge',
  lead: 'Was dieses Panel auf einer leeren Maschine zurückbringt, falls diese verloren geht. Alles davon tut root auf der Maschine selbst.',
  kit: 'Notfallblatt',
  kitNone: 'Nie erstellt',
  kitNoneHelp: 'Geht diese Maschine verloren, gehen ihre Daten und Schlüssel mit ihr.',
  kitUnverified: 'Nie geprüft',
  kitUnverifiedHelp: 'Niemand hat bewiesen, dass die anderswo verwahrte Kopie da ist und stimmt.',
  kitVerified: (when) => `Geprüft ${when}`,
  kitMade: (when) => `Erstellt ${when}.`,
  export: 'Export des Panels',
  exportNone: 'Hier nie erstellt',
  exportNoneHelp:
    'Das Notfallblatt öffnet Exporte; ohne einen gibt es nichts zu öffnen. Erstellen Sie immer wieder welche, und verwahren Sie sie anderswo.',
  exportOld: (when) => `Erstellt ${when}`,
  exportOldHelp: 'Was sich seitdem geändert hat, steht nicht darin.',
  exportHelp: 'Verwahren Sie ihn nicht auf dieser Maschine und getrennt vom Notfallblatt.',
  accounts: 'Konten des Imports',
  accountsWaiting: (count) => `${count} ${count === 1 ? 'Konto ist' : 'Konten sind'} noch leer`,
  accountsHelp: 'Home-Verzeichnisse und Datenbanken kommen aus ihren Sicherungen zurück.',
  confirm: 'Wartet auf Bestätigung',
  off: 'Ausgeschaltet',
  hooks: (count) => `${count} ${count === 1 ? 'Hook-Programm' : 'Hook-Programme'}`,
  hosts: (count) =>
    `${count} ${count === 1 ? 'von Hand geschriebener virtueller Host' : 'von Hand geschriebene virtuelle Hosts'}`,
  confirmHelp:
    'Sie kamen mit dem Import und führen Programme als root aus; darum sind sie aus, bis jemand sie angesehen hat.',
  machine: 'Diese Maschine',
  live: 'Im Dienst',
  liveHelp: 'Erneuerungen, geplante Sicherungen und Cron-Aufgaben laufen hier.',
  held: 'Zurückgehalten',
  command: 'Als root',
  ready: 'Notfallblatt geprüft',
  banner: {
    title: 'Diese Maschine wurde zurückgebracht und ist noch nicht im Dienst',
    lead: 'Die alte läuft vielleicht noch, darum wartet hier:',
    waits: [
      'Zertifikate werden nicht erneuert',
      'der Zeitplan erstellt keine Sicherungen und entfernt keine alten',
      'Cron-Aufgaben der Konten laufen nicht',
      'Hooks, Webhooks und deren E-Mails erfahren nichts',
    ],
    when: 'Ist die alte Maschine aus und führen die Namen der Sites hierher, sagen Sie es:',
  },
  line: {
    none: 'Ein Notfallblatt wurde nie erstellt: Geht dieser Server verloren, sind das Panel und seine Schlüssel verloren.',
    unverified:
      'Das Notfallblatt wurde erstellt, aber nie geprüft; niemand weiß, ob es verwahrt ist.',
    noExport:
      'Das Panel wurde nie exportiert: Sicherungen enthalten die Konten, der Export das Panel.',
    open: 'Zur Notfallvorsorge',
  },
}
