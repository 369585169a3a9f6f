/** Texts about bringing the panel back, should its machine be lost. */
export const recovery = {
  title: 'Recovery',
  lead: 'What brings this panel back on an empty machine, should this one be lost. All of it is done by root on the machine itself.',
  kit: 'Recovery kit',
  kitNone: 'Never made',
  kitNoneHelp: 'Should this machine be lost, its records and keys are lost with it.',
  kitUnverified: 'Never verified',
  kitUnverifiedHelp: 'Nobody has proved that the copy kept elsewhere is there and right.',
  kitVerified: (when: string) => `Verified ${when}`,
  kitMade: (when: string) => `Made ${when}.`,
  export: 'Export of the panel',
  exportNone: 'Never made here',
  exportNoneHelp:
    'The kit opens exports; without one there is nothing to open. Make them again and again, and keep them elsewhere.',
  exportOld: (when: string) => `Made ${when}`,
  exportOldHelp: 'Whatever has changed since then is not in it.',
  exportHelp: 'Keep it away from this machine, and apart from the kit.',
  accounts: 'Accounts of the import',
  accountsWaiting: (count: number) =>
    `${count} ${count === 1 ? 'account is' : 'accounts are'} still empty`,
  accountsHelp: 'Their homes and databases come back from their backups.',
  confirm: 'Waiting to be confirmed',
  off: 'Switched off',
  hooks: (count: number) => `${count} ${count === 1 ? 'hook' : 'hooks'}`,
  hosts: (count: number) =>
    `${count} ${count === 1 ? 'virtual host' : 'virtual hosts'} written by hand`,
  confirmHelp:
    'They came with the import and run programs as root, so they are off until somebody has looked at them.',
  machine: 'This machine',
  live: 'Live',
  liveHelp: 'Renewals, scheduled backups and cron jobs run here.',
  held: 'Held',
  command: 'As root',
  ready: 'Kit verified',
  banner: {
    title: 'This machine was brought back and is not the live one yet',
    lead: 'The old machine may still run, so these wait here:',
    waits: [
      'certificates are not renewed',
      'no backup is made by the schedule, and no old one removed',
      'cron jobs of the accounts do not run',
      'hooks, webhooks and the mail they send are told nothing',
    ],
    when: 'Once the old machine is off and the names of the sites lead here, say so:',
  },
  line: {
    none: 'No recovery kit was ever made: if this server is lost, the panel and its keys are lost with it.',
    unverified: 'The recovery kit was made but never verified, so nobody knows that it is kept.',
    noExport:
      'The panel was never exported: backups hold the accounts, the export holds the panel.',
    open: 'To Recovery',
  },
}
