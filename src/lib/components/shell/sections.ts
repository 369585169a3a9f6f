import AppWindow from '@lucide/svelte/icons/app-window'
import Archive from '@lucide/svelte/icons/archive'
import CalendarClock from '@lucide/svelte/icons/calendar-clock'
import CircleUser from '@lucide/svelte/icons/circle-user'
import Database from '@lucide/svelte/icons/database'
import FileCode from '@lucide/svelte/icons/file-code-corner'
import Folder from '@lucide/svelte/icons/folder'
import Globe from '@lucide/svelte/icons/globe'
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard'
import Newspaper from '@lucide/svelte/icons/newspaper'
import Mail from '@lucide/svelte/icons/mail'
import ScrollText from '@lucide/svelte/icons/scroll-text'
import Server from '@lucide/svelte/icons/server'
import Settings from '@lucide/svelte/icons/settings'
import ShieldCheck from '@lucide/svelte/icons/shield-check'
import Users from '@lucide/svelte/icons/users'
import Zap from '@lucide/svelte/icons/zap'
import type { Component } from 'svelte'
import type { Role, Stats } from '$lib/api/types'
import type { AppPath } from '$lib/state/app-path'
import { managesAccounts } from '$lib/state/manages'
import { texts } from '$lib/texts'

export interface Section {
  href: AppPath
  label: string
  icon: Component<{ size?: number; strokeWidth?: number; class?: string }>
  /** Shown to administrators only. */
  adminOnly?: boolean
  /** Shown to whoever manages accounts: administrators and resellers. */
  managerOnly?: boolean
  /** Shown to hosting accounts only. */
  accountOnly?: boolean
  /** Heading of the group that it stands in; absent: the first one, without heading. */
  group?: string
  count?: (stats: Stats) => number
  /** The page with what all accounts have, where whoever manages accounts is led. */
  all?: AppPath
}

const sections = (): readonly Section[] => [
  { href: '/', label: texts.nav.dashboard, icon: LayoutDashboard },
  {
    href: '/accounts',
    label: texts.nav.accounts,
    icon: Users,
    managerOnly: true,
    count: (stats) => stats.accounts.count,
  },
  // Leads on to the account's own page.
  { href: '/accounts', label: texts.account.own, icon: CircleUser, accountOnly: true },
  {
    href: '/domains',
    label: texts.nav.domains,
    icon: Globe,
    count: (stats) => stats.domains.count,
  },
  { href: '/ssl', label: texts.nav.ssl, icon: ShieldCheck },
  { href: '/php', label: texts.nav.php, icon: FileCode },
  { href: '/files', label: texts.nav.files, icon: Folder, all: '/files/all' },
  {
    href: '/databases',
    label: texts.nav.databases,
    icon: Database,
    count: (stats) => stats.databases.count,
    all: '/databases/all',
  },
  { href: '/system', label: texts.nav.system, icon: Server, adminOnly: true },
  {
    href: '/backups',
    label: texts.nav.backups,
    icon: Archive,
    group: texts.nav.operate,
    all: '/backups/all',
  },
  {
    href: '/applications',
    label: texts.nav.applications,
    icon: AppWindow,
    group: texts.nav.operate,
  },
  { href: '/wordpress', label: texts.nav.wordpress, icon: Newspaper, group: texts.nav.operate },
  { href: '/cron', label: texts.nav.cron, icon: CalendarClock, group: texts.nav.operate },
  { href: '/mail', label: texts.nav.mail, icon: Mail, group: texts.nav.operate },
  { href: '/cache', label: texts.nav.cache, icon: Zap, group: texts.nav.operate },
  { href: '/logs', label: texts.nav.logs, icon: ScrollText, group: texts.nav.operate },
  { href: '/settings', label: texts.nav.settings, icon: Settings, group: texts.nav.operate },
]

/** Where the navigation leads someone of `role`. */
export const entryOf = ({ href, all = href }: Section, role: Role): AppPath =>
  managesAccounts(role) ? all : href

/** The sections that someone of `role` sees, in order. */
export const sectionsFor = (role: Role): Section[] =>
  sections().filter(({ adminOnly = false, managerOnly = false, accountOnly = false }) => {
    if (role === 'admin') return !accountOnly
    return !adminOnly && (managesAccounts(role) ? !accountOnly : !managerOnly)
  })

/** Whether `pathname` lies in the section. */
export const isCurrent = (section: Section, pathname: string): boolean =>
  section.href === '/' ? pathname === '/' : pathname.startsWith(section.href)
