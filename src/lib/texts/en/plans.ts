const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** Texts of plans and of what they allow. */
export const limits = {
  title: 'Limits of the plan',
  of: (used: number, limit: number) => `${used} of ${limit}`,
  domains: 'Domains',
  databases: 'Databases',
  tokens: 'API tokens',
  backups: 'Backups and snapshots',
  cronJobs: 'Cron jobs',
  sshKeys: 'SSH keys',
  processes: 'Processes',
  memory: 'Memory of a process',
  used: {
    domains: (used: number, limit: number) => `${used} of ${plural(limit, 'domain', 'domains')}`,
    databases: (used: number, limit: number) =>
      `${used} of ${plural(limit, 'database', 'databases')}`,
    database_users: (used: number, limit: number) =>
      `${used} of ${plural(limit, 'database user', 'database users')}`,
    tokens: (used: number, limit: number) =>
      `${used} of ${plural(limit, 'API token', 'API tokens')}`,
    backups: (used: number, limit: number) => `${used} of ${plural(limit, 'backup', 'backups')}`,
    cron_jobs: (used: number, limit: number) =>
      `${used} of ${plural(limit, 'cron job', 'cron jobs')}`,
    ssh_keys: (used: number, limit: number) => `${used} of ${plural(limit, 'SSH key', 'SSH keys')}`,
  },
  full: 'No room left: delete one, or ask for a larger plan.',
  fullAdmin: 'No room left for the account itself. Administrators may add more.',
  choice: (domains: number, databases: number, memory: string) =>
    `${plural(domains, 'domain', 'domains')} · ${plural(databases, 'database', 'databases')} · ${memory} memory`,
}

/** Texts of the plans among the settings. */
export const hostingPlans = {
  tab: 'Plans',
  create: 'New plan',
  filter: 'Filter plans',
  one: 'plan',
  many: 'plans',
  none: 'No plans.',
  builtIn: (name: string) => `Built in, ${name}`,
  columns: {
    name: 'Plan',
    disk: 'Disk',
    traffic: 'Traffic a month',
    domains: 'Domains',
    databases: 'Databases',
    databaseUsers: 'Database users',
    tokens: 'Tokens',
    backups: 'Backups',
    cronJobs: 'Cron jobs',
    sshKeys: 'SSH keys',
    mails: 'Mails an hour',
    processes: 'Processes',
    memory: 'Memory',
    accounts: 'Accounts',
  },
  edit: 'Edit',
  form: {
    title: 'New plan',
    change: (name: string) => `Edit ${name}`,
    lead: 'Counts bind the account’s own user. Administrators may exceed them.',
    changeLead: (accounts: number) =>
      `Holds for ${plural(accounts, 'account', 'accounts')} at once. What they have above it stays.`,
    name: 'Name',
    nameHelp: '2-32 of a-z, 0-9, - and _, e.g. agency',
    nameBad: 'Begin with a letter; use 2-32 of a-z, 0-9, - and _.',
    disk: 'Disk, MB',
    diskHelp: 'Accounts with a quota of their own keep it',
    traffic: 'Traffic a month, MB',
    domains: 'Domains',
    domainsHelp: 'Of every type, the primary one too',
    databases: 'Databases',
    databaseUsers: 'Database users',
    databaseUsersHelp: 'Beside the one of each database',
    tokens: 'API tokens',
    backups: 'Backups and snapshots',
    cronJobs: 'Cron jobs',
    sshKeys: 'SSH keys',
    mails: 'Mails an hour',
    mailsHelp: 'Counted by recipients; ten times as many in 24 hours',
    processes: 'Processes and threads',
    processesHelp: 'At least 25, so that PHP starts',
    memory: 'Memory of a process, MB',
    memoryHelp: 'At least 128',
    bad: (least: number, most: number) => `Enter a whole number from ${least} to ${most}.`,
    submit: 'Create plan',
    save: 'Save plan',
    created: (name: string) => `Plan ${name} created`,
    saved: (name: string) => `Plan ${name} saved`,
  },
  remove: {
    title: (name: string) => `Delete plan ${name}?`,
    lead: 'This cannot be undone:',
    effect: 'Accounts cannot be given this plan any more',
    confirm: (name: string) => `Type ${name} to confirm`,
    submit: 'Delete plan',
    done: (name: string) => `Plan ${name} deleted`,
  },
}
