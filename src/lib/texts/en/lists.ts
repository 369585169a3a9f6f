/** Texts of all lists: toolbar, paging, columns, actions on many rows. */
export const lists = {
  columns: 'Columns',
  allColumns: 'Show all',
  refresh: 'Refresh the list',
  perPage: 'Rows per page',
  range: (first: number, last: number, total: number, noun: string) =>
    total <= last && first === 1
      ? `${total} of ${total} ${noun}`
      : `${first}–${last} of ${total} ${noun}`,
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previous: 'Previous page',
  next: 'Next page',
  loading: 'Loading rows',
  selectAll: 'Select all rows of this page',
  select: (name: string) => `Select ${name}`,
  selected: (count: number) => `${count} selected`,
  clear: 'Clear selection',
  bulk: {
    title: 'Actions on several rows',
    lead: 'This cannot be undone. Deleted for good:',
    confirm: (count: number) => `Type ${count} to confirm`,
    running: (done: number, count: number) => `${done} of ${count} done`,
    ended: (done: number, count: number) => `${done} of ${count} done`,
    failed: (count: number) => `${count} failed`,
    stopped: 'Stopped',
    stop: 'Stop after this one',
    retry: 'Try again',
    retryAll: 'Try the failed ones again',
    retryOne: (name: string) => `Try ${name} again`,
    dismiss: 'Close the report',
    states: { waiting: 'Waiting', running: 'Under way', done: 'Done', failed: 'Failed' },
    leftOut: (count: number, why: string) => `${count} left out: ${why}`,
  },
  accounts: {
    suspend: (count: number) => `Suspend ${count} ${count === 1 ? 'account' : 'accounts'}`,
    unsuspend: (count: number) => `Unsuspend ${count} ${count === 1 ? 'account' : 'accounts'}`,
    remove: (count: number) => `Delete ${count} ${count === 1 ? 'account' : 'accounts'}`,
    plan: (count: number) => `Change the plan of ${count} ${count === 1 ? 'account' : 'accounts'}`,
    changePlan: 'Change plan',
    planLead: 'Quotas that were those of the old plan follow the new one; others stay.',
    notActive: 'they are not active',
    notSuspended: 'they are not suspended',
    users: (count: number) =>
      `${count} system ${count === 1 ? 'user' : 'users'} with all their processes`,
    files: (count: number, size: string) =>
      `${count} home ${count === 1 ? 'directory' : 'directories'} with ${size} of files`,
    certificates: (count: number) => `${count} ${count === 1 ? 'certificate' : 'certificates'}`,
    backups: (count: number) =>
      count === 0
        ? 'There are no backups'
        : `${count} ${count === 1 ? 'backup stays' : 'backups stay'}`,
  },
  domains: {
    remove: (count: number) => `Delete ${count} ${count === 1 ? 'domain' : 'domains'}`,
    cacheOn: (count: number) => `Page cache on for ${count} ${count === 1 ? 'domain' : 'domains'}`,
    cacheOff: (count: number) =>
      `Page cache off for ${count} ${count === 1 ? 'domain' : 'domains'}`,
    on: 'Cache on',
    off: 'Cache off',
    hosts: (count: number) =>
      `${count} ${count === 1 ? 'website stops' : 'websites stop'} answering at its name`,
    certificates: (count: number) => `${count} ${count === 1 ? 'certificate' : 'certificates'}`,
    files: 'The files in the document roots stay',
    primary: 'primary domains go with their account',
    alias: 'aliases have the settings of their site',
    cache: { column: 'Page cache', on: 'On', off: 'Off' },
  },
  databases: {
    remove: (count: number) => `Delete ${count} ${count === 1 ? 'database' : 'databases'}`,
    contents: (count: number, tables: number | null, size: string | null) =>
      `${count} ${count === 1 ? 'database' : 'databases'}${tables === null ? ' with all tables' : ` with ${tables} ${tables === 1 ? 'table' : 'tables'}`}${size === null ? '' : `, ${size}`}`,
    users: (count: number) => `${count} database ${count === 1 ? 'user' : 'users'}`,
  },
  backups: {
    remove: (count: number) => `Delete ${count} ${count === 1 ? 'backup' : 'backups'}`,
    copies: (count: number, size: string) =>
      `${count} ${count === 1 ? 'copy' : 'copies'}, ${size} together`,
    others: 'Copies of them in other places stay',
    details: 'Details',
    checksum: 'SHA-256',
    skipped: 'Not in it',
    nothingSkipped: 'Nothing was left out',
    skippedCount: (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'} of the home`,
  },
  certificates: {
    renew: (count: number) => `Renew ${count} ${count === 1 ? 'certificate' : 'certificates'}`,
    action: 'Renew',
    uploaded: 'uploaded ones are not renewed',
  },
}
