/** Texts of passkeys, in the settings and at the login. */
export const passkeys = {
  title: 'Passkeys',
  help: 'A passkey lets you in with fingerprint, face or PIN of a device, in place of password and code.',
  create: 'Add a passkey',
  notHere:
    'Browsers know passkeys only where the panel is opened by its host name over HTTPS, as https://panel.example.com:7070.',
  used: (ago: string) => `Last used ${ago}`,
  unused: 'Not used yet',
  remove: 'Remove',
  removeOne: (name: string) => `Remove ${name}`,
  removed: (name: string) => `Passkey ${name} removed`,
  add: {
    title: 'Add a passkey',
    lead: 'First show that it is you; then your browser asks where to keep it.',
    name: 'Name',
    nameHelp: 'What you call the device, e.g. Phone',
    submit: 'Continue',
    done: 'Passkey added',
  },
  login: 'Log in with a passkey',
  known: 'This device has a passkey for you here already.',
  broken:
    'The browser gave no passkey: it was cancelled, took too long, or there is none for this panel.',
}
