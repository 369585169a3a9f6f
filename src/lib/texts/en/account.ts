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
    diskAt: 'Disk usage is counted anew when the page is read.',
    trafficUntil: (day: string) => `Counted from the first of the month (UTC), anew on ${day}`,
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
