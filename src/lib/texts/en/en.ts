import { accounts } from './accounts.ts'
import { backups, jobs } from './backups/backups.ts'
import { imports } from './backups/imports.ts'
import { recovery } from './backups/recovery.ts'
import { backupState } from './backups/state.ts'
import { restores } from './backups/restores.ts'
import { snapshots } from './backups/snapshots.ts'
import { schedule } from './backups/schedule.ts'
import { backupTabs } from './backups/tabs.ts'
import { targets } from './backups/targets.ts'
import { cache } from './cache.ts'
import { cron } from './cron.ts'
import { databaseSizes } from './databases/database-sizes.ts'
import { databaseUsers } from './databases/database-users.ts'
import { slowQueries } from './databases/slow-queries.ts'
import { doctor } from './doctor.ts'
import { figures } from './sites/figures.ts'
import { files } from './files.ts'
import { hosting } from './hosting.ts'
import { lists } from './lists.ts'
import { account } from './account.ts'
import { logs } from './logs.ts'
import { mail } from './mail/mail.ts'
import { notifications } from './notifications/notifications.ts'
import { php } from './php.ts'
import { passkeys } from './settings/passkeys.ts'
import { people } from './settings/people.ts'
import { hostingPlans, limits } from './plans.ts'
import { sftpLogins } from './sftp/logins.ts'
import { resellers } from './settings/resellers.ts'
import { sftpUsers } from './sftp/users.ts'
import { sftp } from './sftp/sftp.ts'
import { ssl } from './ssl.ts'
import { settings } from './settings/settings.ts'
import { site } from './sites/site.ts'
import { system } from './system.ts'

const plural = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** English texts of the shell, the entrance and what all screens share. */
export const en = {
  /** BCP 47 tag of the numbers and dates. */
  locale: 'en',
  units: { day: 'd', hour: 'h', minute: 'min', second: 's' },
  product: 'Berth',
  title: (page: string) => `${page} · Berth`,
  tiers: { community: 'Community', pro: 'Pro', business: 'Business' } as Record<string, string>,
  roles: { admin: 'Administrator', reseller: 'Reseller', account: 'Account' },
  visitedBy: (admin: string) => `Visited by ${admin}`,
  plans: { basic: 'Basic', standard: 'Standard', premium: 'Premium', enterprise: 'Enterprise' },
  plural,
  nav: {
    label: 'Sections',
    dashboard: 'Dashboard',
    accounts: 'Accounts',
    domains: 'Domains',
    ssl: 'SSL',
    php: 'PHP',
    files: 'Files',
    databases: 'Databases',
    system: 'System',
    operate: 'Operate',
    backups: 'Backups',
    cron: 'Cron jobs',
    mail: 'Mail',
    cache: 'Cache',
    logs: 'Logs',
    settings: 'Settings',
    open: 'Open navigation',
    close: 'Close navigation',
    skip: 'Skip to content',
    logout: 'Log out',
    home: 'Berth, to the dashboard',
  },
  theme: {
    label: 'Theme',
    system: 'Like the system',
    light: 'Light',
    dark: 'Dark',
  },
  language: {
    label: 'Language',
    card: 'Language and time',
    panel: 'Language of the panel',
    help: 'Kept in this browser. Details of some errors are in English.',
    zone: 'Time zone',
    zoneHelp:
      'In it the panel shows times. Days of figures, hours of schedules and files of logs are UTC.',
    names: { en: 'English', de: 'Deutsch' },
  },
  palette: {
    open: 'Search or run a command',
    keys: 'Ctrl K',
    title: 'Search and commands',
    placeholder: 'Go to a page, an account, a domain, or run a command',
    none: (query: string) => `Nothing matches “${query}”.`,
    pages: 'Pages',
    commands: 'Commands',
    accounts: 'Accounts',
    domains: 'Domains',
    databases: 'Databases',
    restart: 'Restart web server',
    reload: 'Reload web server',
    theme: (name: string) => `Theme: ${name}`,
    language: (name: string) => `Language: ${name}`,
    files: (account: string) => `Files of ${account}`,
    results: (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`,
  },
  unsaved: {
    title: 'Discard your changes?',
    lead: 'What you have entered is not saved.',
    keep: 'Keep editing',
    discard: 'Discard changes',
  },
  actions: {
    cancel: 'Cancel',
    close: 'Close',
    refresh: 'Refresh',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    delete: 'Delete',
    moreFields: 'More',
    chooseFile: 'Choose file',
    more: (name: string) => `Actions for ${name}`,
    dismiss: 'Dismiss',
  },
  table: {
    count: (shown: number, total: number, one: string, many: string) =>
      `${shown} of ${plural(total, one, many)}`,
    sortBy: (column: string) => `Sort by ${column}`,
    noMatch: 'Nothing matches the filter.',
    clearFilter: 'Clear filter',
  },
  password: {
    show: 'Show password',
    hide: 'Hide password',
    generate: 'Generate',
    strength: { weak: 'Weak password', fair: 'Fair password', strong: 'Strong password' },
    tooShort: 'Use at least 8 characters.',
    mismatch: 'The two passwords differ. Type the same one twice.',
  },
  errors: {
    unreachable: 'The panel cannot be reached. Check the connection and try again.',
    unreadable: (status: number) =>
      `The panel gave an answer that cannot be read (HTTP ${status}). Try again.`,
    failed: (what: string) => `${what} could not be loaded`,
    pageTitle: 'This page did not load',
    forbidden: 'This page is for administrators',
    forbiddenHelp: 'Ask an administrator of this server for what you need of it.',
    notFound: 'There is no such page',
    notFoundHelp: 'The address may be mistyped, or what it showed is gone.',
    serverHelp: 'The cause is in the panel log. Try again in a moment.',
    toDashboard: 'To the dashboard',
    required: 'Fill in this field.',
    fileTooLarge: 'This file is too large. Choose the one with the text asked for.',
  },
  setup: {
    title: 'Welcome to Berth',
    lead: 'Create the first administrator. This screen is shown once.',
    username: 'Username',
    usernameHelp: 'At least 3 characters',
    usernameShort: 'Use at least 3 characters.',
    password: 'Password',
    passwordHelp: 'At least 8 characters',
    confirm: 'Password confirmation',
    token: 'Setup token',
    tokenHelp: 'From the file named by setup_token_file on the server',
    submit: 'Create Admin Account',
  },
  login: {
    title: 'Log in to Berth',
    lead: 'Administrators and hosting accounts use the same door.',
    username: 'Username',
    password: 'Password',
    code: 'Code',
    codeHelp: 'From the app of your second factor, or a recovery code',
    submit: 'Log in',
  },
  accounts,
  account,
  limits,
  passkeys,
  people,
  hostingPlans,
  resellers,
  lists,
  ssl,
  php,
  files,
  backups,
  restores,
  backupTabs,
  targets,
  snapshots,
  imports,
  recovery,
  backupState,
  schedule,
  cache,
  cron,
  databaseSizes,
  databaseUsers,
  slowQueries,
  sftp,
  sftpLogins,
  sftpUsers,
  site,
  figures,
  jobs,
  logs,
  mail,
  notifications,
  settings,
  doctor,
  ...hosting,
  ...system,
}
