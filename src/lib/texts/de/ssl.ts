import type { ssl as english } from '../en/ssl.ts'

const names = (count: number): string => `${count} ${count === 1 ? 'Zertifikat' : 'Zertifikate'}`

/** German texts of the SSL screen. */
export const ssl: typeof english = {
  lead: 'Zertifikate der Zertifizierungsstelle werden 30 Tage vor Ablauf selbsttätig erneuert.',
  provision: 'Zertifikat ausstellen',
  upload: 'Hochladen',
  renewAll: 'Alle fälligen erneuern',
  filter: 'Zertifikate filtern',
  all: 'alle',
  one: 'Zertifikat',
  many: 'Zertifikate',
  columns: {
    domain: 'Domain',
    issuer: 'Aussteller',
    issued: 'Ausgestellt',
    expires: 'Läuft ab',
    status: 'Status',
  },
  status: {
    valid: 'Gültig',
    expiring_soon: 'Läuft bald ab',
    expired: 'Abgelaufen',
    self_signed: 'Selbstsigniert',
  },
  empty:
    'Noch keine Zertifikate. Bis eine Website eines hat, antwortet sie über https mit einem selbstsignierten, vor dem Browser warnen.',
  more: (count) => `und ${count} ${count === 1 ? 'weiterer Name' : 'weitere Namen'}`,
  uploaded: 'Hochgeladen',
  left: (days) => {
    if (days < 0) return `vor ${-days} ${days === -1 ? 'Tag' : 'Tagen'}`
    return days === 0 ? 'heute' : `noch ${days} ${days === 1 ? 'Tag' : 'Tage'}`
  },
  lastError: 'Letzter Versuch fehlgeschlagen',
  actions: {
    details: 'Einzelheiten',
    renew: 'Erneuern',
    renewUploaded: 'Hochgeladen: durch ein neues ersetzen',
    replace: 'Anderes hochladen',
    remove: 'Entfernen',
  },
  form: {
    title: 'Zertifikat ausstellen',
    lead: 'Von der Zertifizierungsstelle, für die Website und alle ihre Namen, die hierher führen',
    domain: 'Domain',
    domainHelp: 'Eine Website auf diesem Host; Port 80 muss aus dem Internet erreichbar sein',
    redirect: 'http auf https umleiten',
    redirectHelp: 'Besucher von http:// werden zu https:// geleitet',
    webroot: 'Webroot',
    webrootHelp:
      'Verzeichnis, das die Prüfdateien zusätzlich bekommt, z. B. hinter einem anderen Server',
    force: 'Ohne vorherige Prüfung bestellen',
    forceHelp: 'Sieht nicht nach, ob die Namen zu diesem Server führen',
    submit: 'Ausstellen',
  },
  work: {
    running: {
      provision: (name) => `Zertifikat für ${name}`,
      renew: (name) => `${name} wird erneuert`,
      'renew-all': () => 'Fällige werden erneuert',
    },
    lead: 'Es geht weiter, wenn Sie dies schließen.',
    starting: 'Wartet, bis es an der Reihe ist',
    steps: {
      check: 'Prüfen, ob die Namen hierher führen',
      order: 'Bestellen und die Domain nachweisen',
      activate: 'Im Webserver einrichten',
    },
    state: { done: 'fertig', running: 'läuft', failed: 'fehlgeschlagen', waiting: 'wartet' },
    failed: 'Es gibt kein neues Zertifikat',
    failedHelp: 'Was vorher da war, ist unverändert.',
    background: 'Im Hintergrund fortsetzen',
    back: 'Ändern und erneut versuchen',
    again: 'Erneut versuchen',
    leftOut: 'Für diese Namen gilt es nicht:',
    issued: {
      provision: (name) => `Zertifikat für ${name} wird ausgeliefert`,
      renew: (name) => `Zertifikat für ${name} erneuert`,
    },
    renewed: (count) => `${names(count)} erneuert`,
    skipped: (count) => `${names(count)} noch nicht fällig oder hochgeladen`,
    errors: (count) => `${names(count)} nicht erneuert, weil etwas fehlschlug`,
    nothingDue: 'Kein Zertifikat ist fällig.',
    renewedCount: (count, failures) =>
      `${names(count)} erneuert${failures > 0 ? `, ${failures} fehlgeschlagen` : ''}`,
  },
  own: {
    title: 'Zertifikat hochladen',
    lead: 'Ersetzt das bisherige der Website. Es wird nicht selbsttätig erneuert.',
    domain: 'Domain',
    domainHelp: 'Die Website, für die es gilt',
    certificate: 'Zertifikat',
    certificateHelp: 'PEM; das Zertifikat der Website zuerst',
    key: 'Privater Schlüssel',
    keyHelp: 'PEM, ohne Passphrase',
    chain: 'Kette',
    chainHelp: 'PEM der Zwischenzertifikate, wenn sie oben fehlen',
    submit: 'Zertifikat hochladen',
    done: (name) => `Zertifikat für ${name} hochgeladen`,
  },
  details: {
    lead: { acme: 'Von der Zertifizierungsstelle', uploaded: 'Hochgeladen' },
    names: 'Namen',
    subject: 'Inhaber',
    issuer: 'Aussteller',
    serial: 'Seriennummer',
    issued: 'Ausgestellt',
    expires: 'Läuft ab',
    renewal: 'Erneuerung',
    renewalState: {
      uploaded: 'Nie selbsttätig, da es hochgeladen wurde',
      due: 'Fällig: mit dem nächsten täglichen Lauf',
      later: 'Selbsttätig, 30 Tage vor Ablauf',
    },
    files: { certificate: 'Zertifikatsdatei', key: 'Schlüsseldatei', chain: 'Kettendatei' },
  },
  remove: {
    title: (name) => `Zertifikat von ${name} entfernen?`,
    lead: 'Von jetzt an:',
    https: (list) => `https endet bei ${list}`,
    redirect: 'Die Umleitung von http auf https und HSTS enden dort',
    files: 'Zertifikat und Schlüssel werden von diesem Server gelöscht',
    confirm: (name) => `Zur Bestätigung ${name} eingeben`,
    submit: 'Zertifikat entfernen',
    done: (name) => `Zertifikat von ${name} entfernt`,
  },
}
