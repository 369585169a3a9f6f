import type { backupTabs as englishBackupTabs } from '../../en/backups/tabs.ts'

/** German names of the pages that make up the Backups section. */
export const backupTabs: typeof englishBackupTabs = {
  label: 'Teile der Sicherungen',
  archives: 'Archive',
  snapshots: 'Schnappschüsse',
  schedule: 'Zeitplan',
  targets: 'Ziele',
  imports: 'Übernahme',
}
