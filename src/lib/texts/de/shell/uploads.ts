import type { uploads as english } from '../../en/shell/uploads.ts'

/** Texts of uploads, which go on while other pages are shown. */
export const uploads: typeof english = {
  action: 'Hochladen',
  title: 'Uploads',
  state: {
    waiting: 'Wartet',
    running: (percent) => `${percent} %`,
    done: 'Fertig',
    cancelled: 'Abgebrochen',
  },
  cancel: (name) => `Upload von ${name} abbrechen`,
  into: (account, folder) => `${account}: ${folder}`,
  clear: 'Liste der Uploads schließen',
  sum: (done, all) => `${done} von ${all} hochgeladen`,
  broken:
    'Die Verbindung ist abgebrochen. Nichts wurde geändert; laden Sie die Datei noch einmal hoch.',
  replaceTitle: (count) => (count === 1 ? 'Eine Datei ersetzen?' : `${count} Dateien ersetzen?`),
  replaceLead: 'Dateien mit diesen Namen gibt es in dem Ordner schon:',
  replace: 'Ersetzen',
}
