import type { backupState as englishBackupState } from '../../en/backups/state.ts'

/** German texts of the first line of the Backups section. */
export const backupState: typeof englishBackupState = {
  wrong: (count) =>
    count === 1 ? 'Ein Konto braucht eine Sicherung' : `${count} Konten brauchen eine Sicherung`,
  wrongOwn: 'Ihre Sicherung blieb aus',
  failed: (when) => `Die geplante Sicherung schlug ${when} fehl.`,
  overdue: 'Eine Sicherung sollte längst da sein.',
  lastGood: (when) => `Die letzte gute entstand ${when}.`,
  noneYet: 'Es gibt noch keine.',
  now: 'Jetzt sichern',
  nowOf: (account) => `Jetzt sichern: ${account}`,
  made: (account) => `${account} ist gesichert`,
  more: (count) => `Und ${count} weitere.`,
  schedule: 'Zum Zeitplan',
  well: 'Sicherungen entstehen wie geplant.',
  last: (when) => `Letzte ${when}`,
  next: (when) => `nächste ${when}`,
  running: (count) =>
    count === 1 ? 'eine wird gerade erstellt' : `${count} werden gerade erstellt`,
  unscheduled: (count) =>
    count === 1
      ? 'Von einem Konto entstehen keine Sicherungen von selbst.'
      : `Von ${count} Konten entstehen keine Sicherungen von selbst.`,
  none: 'Es entstehen keine Sicherungen von selbst.',
}
