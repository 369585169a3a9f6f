import type { own as english } from '../en/own.ts'

/** German texts of the dashboard of an account. */
export const own: typeof english = {
  lead: (name, plan) => `Hosting-Konto ${name} · ${plan}`,
  disk: 'Speicherplatz',
  traffic: 'Datenverkehr im Monat',
  trafficUsed: (percent, day) => `zu ${percent} % verbraucht, neu am ${day}`,
  noLimit: 'Keine Grenze',
  hitRate: (rate) => `${rate} aus dem Cache beantwortet`,
  noHits: 'Noch keine Anfragen',
  backup: 'Letzte Sicherung',
  noBackup: 'Noch keine',
  nextBackup: (when) => `Die nächste ${when}`,
  noNextBackup: 'Von selbst werden keine gemacht',
  attention: {
    title: 'Zu tun',
    none: 'Nichts. Alles ist in Ordnung.',
    disk: (percent) =>
      percent < 100
        ? `Der Speicherplatz ist zu ${percent} % belegt. Ist er voll, lässt sich nichts mehr speichern oder hochladen.`
        : 'Der Speicherplatz ist voll: Es lässt sich nichts speichern oder hochladen.',
    traffic: (percent) =>
      percent < 100
        ? `Der Datenverkehr dieses Monats ist zu ${percent} % verbraucht. Bei 100 % ruhen die Websites bis zum Monatsende.`
        : 'Der Datenverkehr dieses Monats ist verbraucht: Die Websites ruhen bis zum Monatsende.',
    stopped: 'Der Webserver antwortet nicht. Sein Administrator muss danach sehen.',
    expired: (name) => `Das Zertifikat von ${name} ist abgelaufen: Browser warnen die Besucher.`,
    expires: (name, days) =>
      days === 0
        ? `Das Zertifikat von ${name} läuft heute ab.`
        : `Das Zertifikat von ${name} läuft in ${days} ${days === 1 ? 'Tag' : 'Tagen'} ab.`,
    bare: (name) => `${name} hat kein Zertifikat: Browser nennen die Website unsicher.`,
    bareSites: (count) => `${count} Websites haben kein Zertifikat: Browser nennen sie unsicher.`,
    cron: (name, count) =>
      count === 1
        ? `Der Cronjob ${name} ist fehlgeschlagen.`
        : `Der Cronjob ${name} ist ${count}-mal fehlgeschlagen.`,
    files: 'Dateien öffnen',
    certificates: 'Zertifikate',
    backups: 'Sicherungen',
    runs: 'Cronjobs',
  },
  sites: {
    title: 'Websites',
    requests: (grouped, count) => `${grouped} ${count === 1 ? 'Anfrage' : 'Anfragen'}`,
    hits: (rate) => `${rate} aus dem Cache`,
    secure: 'Sicher',
    insecure: 'Kein Zertifikat',
    visitors: (grouped, count) => (count === 1 ? '1 Besucher' : `${grouped} Besucher`),
    since: 'Besucher der letzten 30 Tage. Anfragen seit dem Start des Webservers.',
  },
  visitors: {
    title: 'Besucher nach Tagen',
    sum: (visitors, requests) => `Letzte 30 Tage: ${visitors} Besucher, ${requests} Anfragen`,
  },
  quick: {
    title: 'Schnell erreicht',
    files: 'Dateien öffnen',
    domain: 'Domain hinzufügen',
    database: 'Neue Datenbank',
    backup: 'Sicherungen',
    cron: 'Neuer Cronjob',
    logs: 'Protokolle lesen',
  },
}
