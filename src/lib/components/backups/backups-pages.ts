import type { Role } from '../../api/types.ts'
import type { AppPath } from '../../state/app-path.ts'
import type { Texts } from '../../texts/index.ts'

interface BackupsPage {
  href: AppPath
  /** Its name in the texts. */
  name: Exclude<keyof Texts['backupTabs'], 'label'>
  /** Shown to administrators only. */
  adminOnly?: boolean
}

/** The pages of the section, in order. */
const PAGES: readonly BackupsPage[] = [
  { href: '/backups', name: 'archives' },
  { href: '/backups/snapshots', name: 'snapshots' },
  { href: '/backups/targets', name: 'targets', adminOnly: true },
  { href: '/backups/schedule', name: 'schedule' },
  { href: '/backups/imports', name: 'imports', adminOnly: true },
]

/** The pages of the Backups section that someone of `role` sees, in order. */
export const backupsPages = (role: Role): BackupsPage[] =>
  PAGES.filter(({ adminOnly }) => role === 'admin' || adminOnly !== true)

/** The same page for the account that the address of another one names, if it names one. */
export const withAccount = (href: AppPath, params: URLSearchParams): AppPath => {
  const account = params.get('account') ?? ''
  return /^[1-9]\d{0,14}$/.test(account) ? (`${href}?account=${account}` as AppPath) : href
}
