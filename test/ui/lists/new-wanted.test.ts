import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createAccount, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { settle } from '../support/screens.ts'
import { browser, panel, signedInPanel, storageState } from '../support/panel-in-browser.ts'

const FORMS = [
  { kind: 'account', path: '/accounts', name: 'New account' },
  { kind: 'domain', path: '/domains', name: 'Add domain' },
  { kind: 'database', path: '/databases/all', name: 'New database' },
]

/**
 * A page that takes longer than a moment to come is drawn in outline first; then it must
 * be there as if it had come at once. Each test has a browser context of its own, in which
 * no page's code was ever loaded, and answers about pages are held until the outline stands.
 */
describe('a page that takes its time', () => {
  signedInPanel(async (page) => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    await panel.fill({ accounts: 60, domainsOfEach: 1 })
  })

  const outline = (page: Page) => page.locator('#content > div > [aria-busy=true]')
  /** Opens the dashboard; what is asked for from then on waits for the outline. */
  const freshPage = async (): Promise<Page> => {
    const { page } = await openPage(browser, panel.origin, { storageState })
    await page.goto('/')
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    return page
  }
  const holdPages = (page: Page) =>
    page.route(/__data\.json/, async (route) => {
      await outline(page).waitFor({ state: 'attached' })
      await route.continue()
    })
  const formOpens = async (page: Page, { path, name }: (typeof FORMS)[number]) => {
    await page.getByRole('dialog', { name }).waitFor()
    await expect
      .poll(() => page.evaluate(() => `${location.pathname}${location.search}`))
      .toBe(path)
    await page.context().close()
  }

  it.each(FORMS)('opens the form of a new $kind that the palette asked for', async (form) => {
    const page = await freshPage()
    await holdPages(page)
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type(form.name)
    await page.keyboard.press('Enter')
    await formOpens(page, form)
  })

  it.each(FORMS)('opens the form of a new $kind that a link asked for', async (form) => {
    const page = await freshPage()
    await holdPages(page)
    // The dashboard has such a link for accounts alone, which is sent to the others here.
    const link = page.getByRole('link', { name: 'New account' })
    await link.evaluate((element, path) => element.setAttribute('href', path), `${form.path}?new=1`)
    await link.click()
    await formOpens(page, form)
  })

  it('stands where it was left when one goes back to it', async () => {
    const page = await freshPage()
    await page.goto('/accounts?per_page=50')
    await settle(page)
    await page.locator('tr[data-account]').last().scrollIntoViewIfNeeded()
    const left = await page.evaluate(() => scrollY)
    expect(left).toBeGreaterThan(300)
    await holdPages(page)
    await page.getByRole('link', { name: 'Domains' }).first().click()
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
    await page.goBack()
    await page.locator('tr[data-account]').last().waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(left)
    await page.context().close()
  })
})
