/** Texts that the browser loads with the pages that need them; those of the frame it has always. */
export type TextsPart = 'sites' | 'data' | 'backups' | 'cache' | 'settings'

/** By the first segment of a page's path. What is not named needs the frame's alone. */
const OF_PAGES: Readonly<Record<string, readonly TextsPart[]>> = {
  accounts: ['sites', 'backups'],
  backups: ['sites', 'data', 'backups'],
  cache: ['sites', 'cache'],
  cron: ['sites', 'data'],
  databases: ['sites', 'data'],
  domains: ['sites', 'cache'],
  files: ['sites', 'data', 'cache'],
  invitation: ['sites'],
  logs: ['sites', 'data'],
  mail: ['sites', 'data'],
  notifications: ['sites'],
  php: ['sites'],
  settings: ['sites', 'settings'],
  ssl: ['sites'],
  system: ['backups', 'settings'],
}

/** The parts that a page at `pathname` needs beside the frame's. */
export const partsOf = (pathname: string): readonly TextsPart[] =>
  OF_PAGES[pathname.split('/')[1] ?? ''] ?? []
