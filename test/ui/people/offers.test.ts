import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { callApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser } from '../support/panel-in-browser.ts'
import { settle, visitNext } from '../support/screens.ts'
import { seed } from '../support/seed.ts'

/** Screens of an account, and one of the names that its rows have. */
const SCREENS: readonly (readonly [path: string, row: string | null])[] = [
  ['/accounts', null],
  ['/domains', 'lena.example'],
  ['/domains/1/rules', null],
  ['/ssl', 'lena.example'],
  ['/php', null],
  ['/files?account=1', 'notes.txt'],
  ['/files?account=1&path=public_html', 'index.html'],
  ['/files?account=1&edit=notes.txt', null],
  ['/databases?account=1', 'lena_blog'],
  ['/backups?account=1', null],
  ['/backups/snapshots?account=1', null],
  [`/backups/snapshots?account=1&snapshot=${'1'.padStart(64, '0')}&path=public_html`, null],
  ['/cron', 'Ping'],
  ['/mail', null],
  ['/cache', null],
  ['/cache/lena.example', null],
  ['/logs', null],
  ['/logs?source=php', null],
]

/** Buttons that show something, or arrange it, and are nobody's to be kept from. */
const LOOKING =
  /^(?:Copy|Columns|Refresh.*|Name|Size|Permissions|Modified|Domain|Account|Document root|Created|Type|SSL|Page cache|Status|Issuer|Issued|Expires|Database|User|Tables|Location|State|Last run|Schedule|Next run|Hit rate|Requests|Pages|New in it|Time|All|[2345]xx|Warnings|Errors|Wrap long lines|Cancel|Test|Download|Show.*|.* ago|just now|.*: values as a table|Actions for .*)$/
/** Names of rows, which open what is known of them. */
const ROWS =
  /^(?:logs|photos|public_html|sessions|shop|tmp|[\w.-]+\.(?:html|txt|example)|lena_\w+|Nightly import|Ping|Details|Open|View|Preview|Connection details|Runs)$/

/** What owners may, and developers may not. */
const OF_OWNERS =
  /^(?:Email and password|Invite|Add user|Delete account|Download (?:backup)|Delete lena-.*)$/

const namesOf = (own: Page): Promise<string[]> =>
  own
    .locator('main')
    .getByRole('button')
    .evaluateAll((all) =>
      (all as HTMLButtonElement[])
        .filter((one) => !one.disabled && one.offsetParent !== null)
        .map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''),
    )

/** What a row's menu offers; nothing where it has none. */
const itemsOf = async (own: Page, row: string): Promise<string[]> => {
  const menu = own.getByRole('button', { name: `Actions for ${row}`, exact: true })
  if ((await menu.count()) === 0) return []
  await menu.click()
  await own.getByRole('menuitem').first().waitFor()
  const items = await own.getByRole('menuitem').allInnerTexts()
  await own.keyboard.press('Escape')
  return items.map((item) => item.trim())
}

describe('what people of an account are offered on every screen', () => {
  panelInBrowser(async () => {
    await seed(page)
  })

  it.each([
    ['reader', (name: string) => LOOKING.test(name) || ROWS.test(name)],
    ['developer', (name: string) => !OF_OWNERS.test(name)],
  ] as const)(
    '%s',
    async (role, fits) => {
      const email = `${role}@mail.example`
      const invited = await callApi(page, 'POST', '/api/accounts/1/invitations', { email, role })
      const { token } = (invited.body as unknown as { data: { token: string } }).data
      const { page: own } = await openPage(browser, panel.origin)
      const person = { token, name: role, password: 'a password of my own' }
      await callApi(own, 'POST', '/api/auth/invitation', person)
      const astray: string[] = []
      for (const [path, row] of SCREENS) {
        await visitNext(own, { name: path, path })
        await settle(own)
        const names = [...(await namesOf(own)), ...(row === null ? [] : await itemsOf(own, row))]
        astray.push(...names.filter((name) => !fits(name)).map((name) => `${path}: ${name}`))
      }
      expect(astray).toEqual([])
      await own.context().close()
    },
    120_000,
  )
})
