/** Names of the pages that make up the Backups section. */
export const backupTabs = {
  label: 'Parts of Backups',
  archives: 'Archives',
  snapshots: 'Snapshots',
  schedule: 'Schedule',
  targets: 'Targets',
  imports: 'Import',
}
