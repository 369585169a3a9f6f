import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { sampled, WHOLE } from '#test/support/sampled.ts'
import { callApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser } from '../support/panel-in-browser.ts'
import { settle, visitNext } from '../support/screens.ts'
import { seed } from '../support/seed.ts'
import { itemsBehind, walkOpeners } from '../support/walk-openers.ts'

/** Screens of an account, and one of the names that its rows have. */
const SCREENS: readonly (readonly [path: string, row: string | null])[] = [
  ['/', null],
  ['/accounts', null],
  ['/domains', 'lena.example'],
  ['/domains/1/rules', null],
  ['/domains/1/visitors', null],
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
  ['/mail', 'Your order'],
  ['/cache', null],
  ['/cache/lena.example', null],
  ['/logs', null],
  ['/logs?source=php', null],
]

/** Buttons that show something, or arrange it, and are nobody's to be kept from. */
const LOOKING =
  /^(?:Copy|Columns|Refresh.*|Name|Size|Permissions|Modified|Domain|Account|Document root|Created|Type|SSL|Page cache|Status|Issuer|Issued|Expires|Database|User|Tables|Location|State|Last run|Schedule|Next run|Hit rate|Requests|Pages|New in it|Time|Message|Subject|Time zone|All|Time: .*|[2345]xx|Warnings|Errors|Wrap long lines|Cancel|Close|Test|Download|Download certificate|Show.*|Search.*|Filter.*|Find.*|Range|Source|Level|Rows.*|\d+ (?:days|hours)|.* ago|just now|.*: values as a table|Actions for .*)$/
/** Of those the ones that open nothing. */
const ARRANGING = new RegExp(
  LOOKING.source.replace('|Columns', '').replace('|.* ago|just now', '').replace('|Show.*', ''),
)
/** Names of rows, which open what is known of them. */
const ROWS =
  /^(?:logs|photos|public_html|sessions|shop|tmp|[\w.-]+\.(?:html|txt|example)|lena_\w+|Records of [\w.-]+|Nightly import|Ping|Your order|Details|Open|View|Preview|Connection details|Last runs|Runs|Output)$/

/** What owners may, and developers may not. */
const OF_OWNERS =
  /^(?:Email and password|Invite|Add user|Delete account|Download (?:backup)|Delete lena-.*)$/

describe('what people of an account are offered on every screen', () => {
  panelInBrowser(async () => {
    await seed(page)
    const mail = { username: 'lena', subject: 'Your order', answer: '450 later', source: 'Hi' }
    await panel.setMails({
      relay: 'mail.example.com:587',
      records: [{ ...mail, state: 'failed', createdAt: timestamp(Date.now()) }],
    })
    await callApi(page, 'POST', '/api/cron/1/1/run')
  })

  /** A browser's page of somebody who was invited into the account. */
  const joined = async (role: string, name: string): Promise<Page> => {
    const email = `${name}@mail.example`
    const invited = await callApi(page, 'POST', '/api/accounts/1/invitations', { email, role })
    const { token } = (invited.body as unknown as { data: { token: string } }).data
    const { page: own } = await openPage(browser, panel.origin)
    const person = { token, name, password: 'a password of my own' }
    await callApi(own, 'POST', '/api/auth/invitation', person)
    return own
  }

  it.each([
    ['reader', (name: string) => LOOKING.test(name) || ROWS.test(name)],
    ['developer', (name: string) => !OF_OWNERS.test(name)],
  ] as const)(
    '%s',
    async (role, fits) => {
      const own = await joined(role, role)
      const astray: string[] = []
      for (const [path, row] of SCREENS) {
        await visitNext(own, { name: path, path })
        await settle(own)
        const buttons = own.locator('main').getByRole('button', { disabled: false })
        const names = await buttons.evaluateAll((all) =>
          (all as HTMLButtonElement[])
            .filter((one) => one.offsetParent !== null)
            .map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim() ?? ''),
        )
        const menu = own.getByRole('button', { name: `Actions for ${row}`, exact: true })
        if (row !== null && (await menu.count()) > 0) names.push(...(await itemsBehind(own, menu)))
        astray.push(...names.filter((name) => !fits(name)).map((name) => `${path}: ${name}`))
      }
      expect(astray).toEqual([])
      await own.context().close()
    },
    120_000,
  )

  it('a reader finds nothing to change in what opens', async () => {
    const own = await joined('reader', 'nina')
    const astray: string[] = []
    const opened: string[] = []
    for (const [path, row] of sampled('screens a reader opens', SCREENS, { keep: 9 })) {
      const walk = await walkOpeners(own, path, row, ARRANGING)
      opened.push(...walk.opened.map(({ way }) => way))
      for (const { way, offers } of walk.opened)
        astray.push(
          ...offers
            .filter((name) => !LOOKING.test(name) && !ROWS.test(name))
            .map((name) => `${way}: ${name}`),
        )
      astray.push(...walk.asked)
    }
    expect(astray).toEqual([])
    // Of all screens, drawers of certificates, databases, jobs and messages at least.
    expect(opened.length).toBeGreaterThan(WHOLE ? 8 : 0)
    await own.context().close()
  }, 240_000)

  it('a developer is refused nothing of what opens', async () => {
    const own = await joined('developer', 'dora')
    const screens = sampled('screens a developer goes through', SCREENS, { keep: 4 })
    const walks = []
    for (const [path, row] of screens) walks.push(await walkOpeners(own, path, row, ARRANGING))
    expect(walks.flatMap(({ refused }) => refused)).toEqual([])
    expect(walks.flatMap(({ opened }) => opened).length).toBeGreaterThan(0)
    await own.context().close()
  }, 480_000)
})
