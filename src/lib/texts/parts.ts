/** Texts that the browser loads with the pages that need them; those of the frame it has always. */
export type TextsPart =
  'sites' | 'data' | 'backups' | 'cache' | 'programs' | 'settings' | 'machines'

/** By the first segment of a page's path. What is not named needs the frame's alone. */
const OF_PAGES: Readonly<Record<string, readonly TextsPart[]>> = {
  accounts: ['sites', 'backups', 'machines'],
  applications: ['sites', 'programs'],
  backups: ['sites', 'data', 'backups'],
  cache: ['sites', 'cache'],
  cron: ['sites', 'programs'],
  databases: ['sites', 'data'],
  domains: ['sites', 'cache'],
  files: ['sites', 'data', 'cache'],
  invitation: ['sites'],
  logs: ['sites', 'programs'],
  mail: ['sites', 'programs'],
  notifications: ['sites'],
  php: ['sites'],
  settings: ['sites', 'settings', 'machines'],
  ssl: ['sites'],
  system: ['backups', 'settings'],
  wordpress: ['sites', 'programs'],
}

/** Rules are a file of the account. */
const OF_RULES: readonly TextsPart[] = ['sites', 'data', 'cache']

/** The parts that a page at `pathname` needs beside the frame's. */
export const partsOf = (pathname: string): readonly TextsPart[] => {
  const [, first = '', , third] = pathname.split('/')
  return first === 'domains' && third === 'rules' ? OF_RULES : (OF_PAGES[first] ?? [])
}
