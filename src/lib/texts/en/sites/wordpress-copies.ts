/** Texts about copies of WordPress: for trying things out, back again, and for other accounts. */
export const wordpressCopies = {
  badge: 'Staging copy',
  badgeOf: (path: string) => `Copy of ${path}`,
  domain: 'Domain of the copy',
  domainHelp: 'A site of the account; one that is not there is made.',
  directory: 'Folder',
  directoryHelp: 'Empty: the site itself',
  database: 'Database',
  databaseHelp: 'Empty: a free name',
  done: (address: string) => `The copy is at ${address}`,
  staging: {
    action: 'Make a staging copy',
    title: 'Make a staging copy',
    lead: 'Files and tables are copied and the address is replaced. Search engines are asked to stay away, and the copy sends no mail.',
    submit: 'Make copy',
  },
  push: {
    action: 'Push back to the site',
    title: 'Push back to the site',
    lead: (path: string) =>
      `What goes back takes the place of what the site in ${path} has, after a backup. Where the site fails then, all of it is put back.`,
    files: 'Files',
    filesHelp: 'Settings and later uploads of the site stay.',
    tables: 'Database',
    tablesHelp: 'What visitors did at the site since the copy was made goes away with it.',
    chosen: 'Only some tables',
    which: 'Tables',
    rows: (count: number) => (count === 1 ? '1 row' : `${count} rows`),
    bound: (tables: readonly string[]) =>
      `Goes with ${tables.join(', ')}, since foreign keys bind them`,
    nothing: 'Choose files, the database, or both.',
    noTable: 'Choose a table.',
    submit: 'Push back',
    done: (address: string) => `${address} has what the copy has`,
  },
  clone: {
    action: 'Clone to another account',
    title: 'Clone to another account',
    lead: 'Its files become those of the other account, with a database and keys of its own.',
    account: 'Account',
    submit: 'Clone',
  },
}
