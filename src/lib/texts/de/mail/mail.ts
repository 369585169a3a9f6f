import type { mail as english } from '../../en/mail/mail.ts'

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** Texte der Seite für ausgehende E-Mail. */
export const mail: typeof english = {
  lead: 'Was Websites und Programme verschickt haben, und was daraus wurde.',
  filter: 'Nachrichten filtern',
  account: 'Konto',
  allAccounts: 'Alle Konten',
  panel: 'Das Panel',
  one: 'Nachricht',
  many: 'Nachrichten',
  noSubject: '(ohne Betreff)',
  columns: { subject: 'Betreff', to: 'An', account: 'Konto', time: 'Zeit', state: 'Zustand' },
  states: {
    queued: 'Wartet',
    kept: 'Aufbewahrt',
    sent: 'Verschickt',
    failed: 'Fehlgeschlagen',
    refused: 'Abgewiesen',
  },
  empty:
    'Keine Nachrichten. Was PHP mit mail() und Programme mit sendmail verschicken, steht hier mit dem, was daraus wurde.',
  noAccounts: 'Nachrichten verschicken Konten. Legen Sie zuerst eines an.',
  actions: { show: 'Anzeigen', retry: 'Jetzt erneut versuchen' },
  retried: 'Die Nachricht wird erneut versucht',
  noRetry: 'Sie wurde verschickt, oder ihr Text ist nicht mehr da.',
  allowance: {
    hour: (used, most) => `${used} von ${most} E-Mails in der letzten Stunde`,
    day: (used, most) => `${used} von ${most} E-Mails in 24 Stunden`,
    kept: (days) =>
      `Dieser Server hat noch kein Mail-Relay: Nachrichten werden ${plural(days, 'Tag', 'Tage')} lang aufbewahrt und gehen hinaus, sobald es eines gibt.`,
  },
  relay: {
    none: 'Es gibt kein Relay: Nachrichten werden aufbewahrt und verlassen diesen Server nicht.',
    set: (days) =>
      `Sie werden ${plural(days, 'Tag', 'Tage')} lang aufbewahrt. In der Konfiguration steht, wohin sie gehen:`,
    goes: 'Nachrichten gehen hinaus über',
    trouble: (since) => `Es ist nicht benutzbar seit ${since}:`,
    waiting: (count, since) =>
      `${plural(count, 'Nachricht wartet', 'Nachrichten warten')}, die älteste seit ${since}.`,
  },
  detail: {
    from: 'Von',
    replaced: 'Steht anstelle von',
    unreadable: 'etwas Unlesbarem',
    sender: 'Absender des Umschlags',
    taken: 'Angenommen',
    ended: 'Beendet',
    next: 'Nächster Versuch',
    attempts: 'Versuche',
    size: 'Größe',
    id: 'Kennung',
    recipients: 'Empfänger',
    of: { waiting: 'wartet', sent: 'verschickt', failed: 'fehlgeschlagen' },
    means: {
      queued: 'Sie wartet, bis sie an der Reihe ist, oder auf den nächsten Versuch.',
      kept: 'Sie geht hinaus, sobald dieser Server ein Relay hat.',
      sent: 'Das Relay hat sie angenommen. Was dort mit ihr geschieht, ist hier nicht bekannt.',
      failed:
        'Sie wurde aufgegeben. Ist der Grund behoben, kann sie noch einmal verschickt werden.',
      refused: 'Sie wurde nicht angenommen; das Programm, das sie schickte, hat es erfahren.',
    },
    source: 'Nachricht',
    read: 'Nachricht anzeigen',
    truncated: 'Nur der Anfang wird gezeigt.',
    gone: 'Der Text der Nachricht ist nicht mehr da.',
  },
  test: {
    open: 'Testnachricht senden',
    title: 'Eine Testnachricht senden',
    lead: 'Um zu sehen, ob das Relay funktioniert.',
    to: 'An',
    toHelp: 'Eine Adresse, deren Postfach Sie ansehen können.',
    toBad: 'Geben Sie eine E-Mail-Adresse ein.',
    submit: 'Senden',
    queued: 'Die Testnachricht ist unterwegs; was aus ihr wird, steht in der Liste',
    kept: 'Die Testnachricht wird aufbewahrt: Es gibt kein Relay',
  },
  remove: {
    title: (name) => `${name} entfernen?`,
    lead: 'Das lässt sich nicht rückgängig machen.',
    typed: 'entfernen',
    confirm: (name) => `Zur Bestätigung ${name} eingeben`,
    submit: 'Nachricht entfernen',
    done: (name) => `${name} wurde entfernt`,
    several: (count) => `${plural(count, 'Nachricht', 'Nachrichten')} entfernen`,
    list: 'Sie verschwindet aus der Liste.',
    queue: 'Wartet sie noch, wird sie nicht mehr verschickt.',
  },
}
