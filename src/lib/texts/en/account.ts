/** Texts of the page of one account, and of working as it. */
export const account = {
  own: 'My account',

  suspended: 'This account is suspended.',
  suspendedBecause: (reason: string) => `This account is suspended: ${reason}`,
  usage: {
    title: 'Usage',
    disk: 'Disk',
    traffic: (month: string) => `Traffic in ${month}`,
    of: (used: string, total: string) => `${used} of ${total}`,
    unlimited: (used: string) => `${used}, no limit`,
    created: 'Created',
    updated: 'Last changed',
    plan: 'Plan',
    diskHeld:
      'Held by the kernel: nothing can be written beyond it. The figure is up to a minute old.',
    diskCounted:
      'Counted by Berth, up to a minute old: what the panel writes stops there, PHP does not.',
    diskAt: 'Disk usage is counted anew when the page is read.',
    trafficUntil: (day: string) => `Counted from the first of the month (UTC), anew on ${day}`,
  },
  programs: {
    title: 'Programs',
    lead: 'Of PHP, cron jobs, sessions and what the panel runs for the account, within a day.',
    cpu: 'Processor, of one',
    memory: 'Memory',
    tasks: 'Processes and threads',
    average: 'On average',
    most: 'Most at once',
    none: 'Nothing was counted yet since Berth was started.',
    ended: (count: number, at: string) =>
      `The memory of the account was used up: the kernel ended ${count === 1 ? 'a program' : `${count} programs`}, last around ${at}.`,
  },
  all: (count: number) => `All ${count}`,
  domains: { none: 'No domains.', open: 'Open domains' },
  databases: { none: 'No databases yet.', open: 'Open databases' },
  backups: { none: 'No backups yet.', open: 'Open backups' },
  php: {
    title: 'PHP',
    version: 'Version',
    mode: 'Mode',
    none: 'No PHP on this host',
    open: 'PHP settings',
  },
  audit: {
    title: 'Recent activity',
    none: 'Nothing has happened in the last 90 days.',
    open: 'Audit log',
  },
  connect: {
    title: 'Connection details',
    username: 'Username',
    email: 'Email',
    home: 'Home directory',
    root: 'Document root',
    site: 'Website',
    files: 'Open files',
  },
  visit: {
    banner: (name: string) => `You work as ${name}.`,
    action: 'Return to administrator',
    failed: 'The administrator session is over. Log in again.',
  },
}
