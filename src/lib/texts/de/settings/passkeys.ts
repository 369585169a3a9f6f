import type { passkeys as english } from '../../en/settings/passkeys.ts'

/** German texts of passkeys. */
export const passkeys: typeof english = {
  title: 'Passkeys',
  help: 'Ein Passkey lässt Sie mit Fingerabdruck, Gesicht oder PIN eines Geräts herein, anstelle von Passwort und Code.',
  create: 'Passkey hinzufügen',
  notHere:
    'Browser kennen Passkeys nur, wo das Panel mit seinem Namen über HTTPS geöffnet ist, etwa https://panel.example.com:7070.',
  used: (ago) => `Zuletzt benutzt ${ago}`,
  unused: 'Noch nicht benutzt',
  remove: 'Entfernen',
  removeOne: (name) => `${name} entfernen`,
  removed: (name) => `Passkey ${name} entfernt`,
  add: {
    title: 'Passkey hinzufügen',
    lead: 'Zeigen Sie zuerst, dass Sie es sind; dann fragt Ihr Browser, wo er ihn aufbewahren soll.',
    name: 'Name',
    nameHelp: 'Wie Sie das Gerät nennen, z. B. Telefon',
    submit: 'Weiter',
    done: 'Passkey hinzugefügt',
  },
  login: 'Mit einem Passkey anmelden',
  known: 'Dieses Gerät hat hier schon einen Passkey für Sie.',
  broken:
    'Der Browser gab keinen Passkey: abgebrochen, zu lange gewartet, oder es gibt keinen für dieses Panel.',
}
