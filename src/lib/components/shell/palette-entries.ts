import DatabaseIcon from '@lucide/svelte/icons/database'
import Folder from '@lucide/svelte/icons/folder'
import Globe from '@lucide/svelte/icons/globe'
import LanguagesIcon from '@lucide/svelte/icons/languages'
import Plus from '@lucide/svelte/icons/plus'
import RotateCw from '@lucide/svelte/icons/rotate-cw'
import SunMoon from '@lucide/svelte/icons/sun-moon'
import User from '@lucide/svelte/icons/user-round'
import type { Component } from 'svelte'
import { invalidate } from '$app/navigation'
import { callApi } from '$lib/api/call-api'
import type { Account, Database, Domain, Me } from '$lib/api/types'
import type { AppPath } from '$lib/state/app-path'
import { filesPath } from '$lib/state/files-path'
import { managesAccounts } from '$lib/state/manages'
import { applyTheme, THEMES } from '$lib/state/theme'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { applyLanguage, LANGUAGES } from '$lib/texts/languages'
import { entryOf, sectionsFor } from './sections'

export interface PaletteEntry {
  group: string
  label: string
  note?: string
  icon: Component<{ size?: number; strokeWidth?: number }>
  /** A page to go to, or what to do. */
  href?: AppPath
  run?: () => unknown
}

const MOST_FOUND = 6
/** Accounts whose databases are searched for one query, and out of how many. */
const ACCOUNTS_ASKED = 6
const ACCOUNTS_LISTED = 100

const controlWebServer = async (action: 'restart' | 'reload'): Promise<void> => {
  const t = texts.webServer
  const result = await callApi('POST', `/api/veloserve/${action}`)
  if (result.ok) toasts.ok(action === 'restart' ? t.restarted : t.reloaded)
  else toasts.bad(result.error)
  await invalidate('berth:system')
}

/** Pages and commands: what can be listed without asking the API. */
export const fixedEntries = (me: Me): PaletteEntry[] => {
  const t = texts.palette
  const isAdmin = me.role === 'admin'
  const commands: Omit<PaletteEntry, 'group'>[] = [
    ...(managesAccounts(me.role)
      ? [{ label: texts.create.account, icon: Plus, href: '/accounts?new=1' as const }]
      : []),
    ...(isAdmin
      ? [
          { label: t.restart, icon: RotateCw, run: () => controlWebServer('restart') },
          { label: t.reload, icon: RotateCw, run: () => controlWebServer('reload') },
        ]
      : []),
    { label: texts.create.domain, icon: Plus, href: '/domains?new=1' },
    { label: texts.create.database, icon: Plus, href: '/databases?new=1' },
    { label: texts.create.application, icon: Plus, href: '/applications?new=1' },
    { label: texts.create.cron, icon: Plus, href: '/cron?new=1' },
    ...THEMES.map((theme) => ({
      label: t.theme(texts.theme[theme]),
      icon: SunMoon,
      run: () => applyTheme(theme),
    })),
    ...LANGUAGES.filter((language) => language !== texts.locale).map((language) => ({
      label: t.language(texts.language.names[language]),
      icon: LanguagesIcon,
      run: () => applyLanguage(language),
    })),
  ]
  return [
    ...sectionsFor(me.role).map((section) => ({
      group: t.pages,
      label: section.label,
      icon: section.icon,
      href: entryOf(section, me.role),
    })),
    ...commands.map((command) => ({ group: t.commands, ...command })),
  ]
}

const account = ({ username, primary_domain }: Account): PaletteEntry => ({
  group: texts.palette.accounts,
  label: username,
  note: primary_domain,
  icon: User,
  href: `/accounts?q=${encodeURIComponent(username)}`,
})
const home = ({ id, username }: Account): PaletteEntry => ({
  group: texts.palette.accounts,
  label: texts.palette.files(username),
  icon: Folder,
  href: filesPath({ account: id, path: '' }),
})
const domain = ({ domain_name, username }: Domain): PaletteEntry => ({
  group: texts.palette.domains,
  label: domain_name,
  note: username,
  icon: Globe,
  href: `/domains?q=${encodeURIComponent(domain_name)}`,
})
const database =
  ({ id, username }: Account) =>
  ({ database }: Database): PaletteEntry => ({
    group: texts.palette.databases,
    label: database,
    note: username,
    icon: DatabaseIcon,
    href: `/databases?account=${id}&q=${encodeURIComponent(database)}`,
  })

/** Databases are listed by account, and their names begin with its name: that account's come first. */
const databasesOf = async (accounts: Account[], query: string): Promise<PaletteEntry[]> => {
  const mine = ({ username }: Account) => query.startsWith(username) || username.startsWith(query)
  const asked = [...accounts.filter(mine), ...accounts.filter((one) => !mine(one))]
  const lists = await Promise.all(
    asked.slice(0, ACCOUNTS_ASKED).map(async (one) => {
      const path = `/api/databases/${one.id}?per_page=${MOST_FOUND}&q=${encodeURIComponent(query)}`
      const result = await callApi<Database[]>('GET', path)
      return result.ok ? result.data.map(database(one)) : []
    }),
  )
  return lists.flat()
}

/** What the API finds under `query`; nothing of what it cannot tell. */
export const foundEntries = async (me: Me, query: string): Promise<PaletteEntry[]> => {
  const q = encodeURIComponent(query)
  const [accounts, found, domains] = await Promise.all([
    callApi<Account[]>('GET', `/api/accounts?per_page=${ACCOUNTS_LISTED}`),
    callApi<Account[]>('GET', `/api/accounts?per_page=${MOST_FOUND}&q=${q}`),
    callApi<Domain[]>('GET', `/api/domains?per_page=${MOST_FOUND}&q=${q}`),
  ])
  const seen = found.ok ? found.data : []
  return [
    ...(managesAccounts(me.role) ? seen.map(account) : []),
    ...seen.map(home),
    ...(domains.ok ? domains.data.map(domain) : []),
    ...(accounts.ok ? await databasesOf(accounts.data, query) : []),
  ]
}
