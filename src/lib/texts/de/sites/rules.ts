import type { rules as english } from '../../en/sites/rules.ts'

/** German texts of the rewrite rules of a site and their test. */
export const rules: typeof english = {
  title: (name) => `Rewrite-Regeln von ${name}`,
  lead: 'Die .htaccess des Wurzelverzeichnisses, und was sie aus einer Adresse macht. Ein Test nimmt den Text, wie er hier steht, gespeichert oder nicht; nichts von der Website läuft dabei.',
  file: 'Regeln des Wurzelverzeichnisses',
  saved: (name) => `Regeln von ${name} gespeichert`,
  fault: (reason) =>
    `Nicht gespeichert, denn damit wäre die Website mit 500 geschlossen: ${reason}`,
  test: 'Eine Adresse testen',
  url: 'Adresse',
  urlHelp: 'Ein Pfad wie /alt/seite?a=1 oder eine ganze Adresse der Website',
  more: 'Methode, Browser und Cookies',
  method: 'Methode',
  agent: 'Kennung des Browsers (User-Agent)',
  cookie: 'Cookies der Anfrage',
  cookieHelp: 'Etwa theme=dark; seen=1',
  run: 'Testen',
  result: 'Was geschieht',
  goTo: (line) => `Zu Zeile ${line}`,
  sees: (text) => `Sieht „${text}“`,
  is: (text) => `(ist „${text}“)`,
  notAsked: 'nicht gefragt',
  sets: {
    variable: (text) => `Setzt die Variable ${text}`,
    cookie: (text) => `Setzt das Cookie ${text}`,
  },
  outcomes: {
    script: (file, query) =>
      `Das Skript ${file} antwortet${query === null ? '' : `, mit ${query}`}`,
    application: (address) => `Die Anwendung beantwortet ${address}`,
    file: (status, file) => `${status}: die Datei ${file}`,
    listing: '200: die Namen im Ordner',
    redirect: (status, location) => `${status}: führt zu ${location}`,
    status: (status, file) =>
      `Antwortet mit ${status}${file === null ? '' : `, mit der Seite ${file}`}`,
  },
  steps: {
    entrance: (status, location) =>
      `Vor der Website: ${status}${location === null ? '' : `, führt zu ${location}`}`,
    held: 'Eine Weile nicht beantwortet, weil es andere Websites aufhielt',
    guard: (name, status, location) =>
      `Eine Einstellung der Website antwortet (${name}): ${status}${location === null ? '' : `, führt zu ${location}`}`,
    guards: {
      deny: 'abgewiesene Adressen',
      allow: 'nur für manche Adressen',
      www: 'Name mit www.',
      maintenance: 'Wartung',
      'rate-limit': 'Anfragen einer Adresse',
      redirect: 'Weiterleitungen',
      password: 'Passwörter',
      hotlink: 'Bilder auf fremden Seiten',
    },
    own: 'Regeln der Konfiguration des Servers',
    address: (address, sources) =>
      sources === ''
        ? `${address}: dafür gibt es keine Regeln`
        : `${address}: Regeln von ${sources}`,
    unreadable: (source, reason) => `${source} schließt alles darunter: ${reason}`,
    unknown: (source, names) => `${source}: ausgelassen, weil unbekannt: ${names}`,
    holds: 'trifft zu',
    holdsNot: 'trifft nicht zu',
    applied: (address) => `Passt; die Adresse ist ${address}.`,
    passed: {
      pattern: 'Übergangen: das Muster passt nicht',
      conditions: 'Übergangen: die Bedingungen treffen nicht zu',
      chain: 'Nicht gefragt: eine Regel davor in der Kette passte nicht',
      skip: 'Nicht gefragt: übersprungen',
      inner: 'Nicht gefragt: nicht für Anfragen innerhalb des Servers',
    },
    ends: {
      last: 'Die letzte Regel dieser Runde.',
      end: 'Sie beendet alles Umschreiben.',
      redirect: 'Sie leitet weiter.',
      status: 'Sie antwortet mit ihrem Status.',
      forbidden: 'Sie antwortet mit 403.',
      proxy: 'Sie gäbe an einen anderen Server weiter, was Websites nicht dürfen: 403.',
      pass: 'Sie gibt an eine Anwendung der Website weiter.',
      gone: 'Sie antwortet mit 410.',
      refused: 'Die Adresse enthält, was sie nicht darf: 403.',
      next: 'Sie beginnt von vorn mit der ersten Regel.',
      skip: 'Sie überspringt die nächsten Regeln.',
    },
    off: 'RewriteEngine ist aus: keine Regel wird gefragt',
    over: 'Eine Regel hat alles Umschreiben beendet: keine weitere wird gefragt',
    redirect: (status, location) =>
      `Gilt für diesen Pfad: ${status}${location === null ? '' : `, führt zu ${location}`}`,
    shutOut: (status) => `Wer fragt, ist ausgeschlossen: ${status}`,
    onward: {
      rules: (address) => `Weiter mit ${address}`,
      index: (address) => `Die Indexdatei des Ordners: ${address}`,
      'stand-in': (address) => `Dort ist nichts; an seiner Stelle: ${address}`,
    },
    ended: {
      hidden: 'Eine verborgene Datei, die niemand sieht: 404',
      'too-deep': 'Ein Pfad mit zu vielen Teilen: 404',
      'bad-address': 'Die Regeln machten eine Adresse, die die Website verlässt: 400',
      rounds: 'Die Regeln führen mehr als zehnmal weiter: 500',
      steps: 'Die Regeln brauchen zu viele Schritte für eine Anfrage: 500',
      rules: 'Es wurden mehr Regeln angesehen, als eine Liste haben darf: 500',
    },
    cut: 'Mehr, als hier gezeigt werden kann',
  },
}
