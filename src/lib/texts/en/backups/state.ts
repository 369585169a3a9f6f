/** Texts of the first line of the Backups section: whether all is well. */
export const backupState = {
  wrong: (count: number) =>
    count === 1 ? 'One account needs a backup' : `${count} accounts need a backup`,
  wrongOwn: 'Your backup did not come',
  failed: (when: string) => `The scheduled backup failed ${when}.`,
  overdue: 'A backup should have been there by now.',
  lastGood: (when: string) => `The last good one was made ${when}.`,
  noneYet: 'There is none yet.',
  now: 'Back up now',
  nowOf: (account: string) => `Back up now: ${account}`,
  made: (account: string) => `${account} is backed up`,
  more: (count: number) => `And ${count} more.`,
  schedule: 'To the schedule',
  well: 'Backups are made as planned.',
  last: (when: string) => `Last ${when}`,
  next: (when: string) => `next ${when}`,
  running: (count: number) =>
    count === 1 ? 'one is being made now' : `${count} are being made now`,
  unscheduled: (count: number) =>
    count === 1
      ? 'Of one account no backups are made by themselves.'
      : `Of ${count} accounts no backups are made by themselves.`,
  none: 'No backups are made by themselves.',
}
