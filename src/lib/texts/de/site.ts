import type { site as english } from '../en/site.ts'

/** German texts of what a site does before its own rules. */
export const site: typeof english = {
  action: 'Besucher und Weiterleitungen',
  title: (name) => `Besucher und Weiterleitungen von ${name}`,
  www: 'Name mit www.',
  wwws: {
    both: 'Antwortet unter beiden',
    with: 'Führt zu dem mit www.',
    without: 'Führt zu dem ohne www.',
  },
  redirects: 'Weiterleitungen',
  redirectsHelp:
    'Eine pro Zeile: Status, von, nach. Z. B. 301 /alt /neu; /blog/* meint alles darunter',
  redirectsBad: (line) =>
    `„${line}“ ist keine Weiterleitung. Schreiben Sie einen Status (301, 302, 307, 308), einen Pfad und sein Ziel, z. B. 301 /alt /neu.`,
  maintenance: 'Wartung',
  maintenanceHelp: 'Besucher bekommen „503 Not available“, bis dies ausgeschaltet wird',
  maintenanceAllow: 'Sehen die Website währenddessen',
  addresses: 'Eine Adresse oder ein Block pro Zeile, z. B. 192.0.2.7 oder 10.0.0.0/8',
  deny: 'Abgewiesene Adressen',
  allow: 'Nur für diese Adressen',
  allowHelp: 'Eine Adresse oder ein Block pro Zeile; leer: für alle',
  hotlink: 'Bilder vor anderen Websites schützen',
  hotlinkHelp: 'Bilder und Filme erscheinen nur auf Seiten dieser Website',
  hotlinkAllow: 'Websites, die sie zeigen dürfen',
  hotlinkAllowHelp: 'Eine pro Zeile, z. B. example.com oder *.example.com',
  headers: 'Header jeder Antwort',
  headersHelp: 'Einer pro Zeile, z. B. X-Frame-Options: SAMEORIGIN',
  headersBad: (line) => `„${line}“ ist kein Header. Schreiben Sie ihn als Name: Wert.`,
  errorPages: 'Fehlerseiten',
  errorPagesHelp: 'Eine pro Zeile: Status und eine Datei im Stammverzeichnis, z. B. 404 /404.html',
  errorPagesBad: (line) =>
    `„${line}“ ist keine Fehlerseite. Schreiben Sie einen Status und einen Pfad, z. B. 404 /404.html.`,
  index: 'Index-Dateien',
  indexHelp: 'Eine pro Zeile, die erste vorhandene gilt; leer: wie für den Server eingestellt',
  submit: 'Speichern',
  done: (name) => `Besucher und Weiterleitungen von ${name} gespeichert`,
}
