/** Texts of the dashboard of an account. */
export const own = {
  lead: (name: string, plan: string) => `Hosting account ${name} · ${plan}`,
  disk: 'Disk',
  traffic: 'Traffic this month',
  trafficUsed: (percent: number, day: string) => `${percent} % used, anew on ${day}`,
  noLimit: 'No limit',
  hitRate: (rate: string) => `${rate} answered from the cache`,
  noHits: 'No requests yet',
  backup: 'Last backup',
  noBackup: 'None yet',
  nextBackup: (when: string) => `The next one ${when}`,
  noNextBackup: 'None are made by themselves',
  attention: {
    title: 'Needs attention',
    none: 'Nothing. Everything is in order.',
    disk: (percent: number) =>
      percent < 100
        ? `${percent} % of the disk space is used. When it is full, nothing can be saved or uploaded.`
        : 'The disk space is used up: nothing can be saved or uploaded.',
    traffic: (percent: number) =>
      percent < 100
        ? `${percent} % of this month’s traffic is used. At 100 % the websites stop until the month ends.`
        : 'This month’s traffic is used up: the websites are stopped until the month ends.',
    stopped: 'The web server does not answer. Its administrator has to look after it.',
    expired: (name: string) =>
      `The certificate of ${name} has expired: browsers warn its visitors.`,
    expires: (name: string, days: number) =>
      days === 0
        ? `The certificate of ${name} expires today.`
        : `The certificate of ${name} expires in ${days} ${days === 1 ? 'day' : 'days'}.`,
    bare: (name: string) => `${name} has no certificate: browsers call it not secure.`,
    bareSites: (count: number) =>
      `${count} websites have no certificate: browsers call them not secure.`,
    cron: (name: string, count: number) =>
      count === 1 ? `The cron job ${name} failed.` : `The cron job ${name} failed ${count} times.`,
    files: 'Open files',
    certificates: 'Certificates',
    backups: 'Backups',
    runs: 'Cron jobs',
  },
  sites: {
    title: 'Websites',
    requests: (grouped: string, count: number) =>
      `${grouped} ${count === 1 ? 'request' : 'requests'}`,
    hits: (rate: string) => `${rate} from the cache`,
    secure: 'Secure',
    insecure: 'No certificate',
    visitors: (grouped: string, count: number) =>
      `${grouped} ${count === 1 ? 'visitor' : 'visitors'}`,
    since: 'Visitors of the last 30 days. Requests since the web server was started.',
  },
  visitors: {
    title: 'Visitors by day',
    sum: (visitors: string, requests: string) =>
      `Last 30 days: ${visitors} visitors, ${requests} requests`,
  },
  quick: {
    title: 'Quick actions',
    files: 'Open files',
    domain: 'Add domain',
    database: 'New database',
    backup: 'Backups',
    cron: 'New cron job',
    logs: 'Read logs',
  },
}
