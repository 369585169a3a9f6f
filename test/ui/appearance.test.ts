import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, openPage, type WatchedPage } from './support/open-browser.ts'
import { callApi, createAccount, logIn, setUp } from './support/log-in.ts'
import { startPanel, type TestPanel } from './support/start-panel.ts'

const PAGES = [
  ...['', 'accounts', 'domains', 'databases', 'system', 'files', 'backups'],
  ...['settings', 'settings?tab=tokens', 'settings?tab=users', 'settings?tab=audit'],
]
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]
/** What loading the dashboard for the first time may cost, compressed. */
const MAX_SCRIPT_BYTES = 150_000

describe('appearance', () => {
  let panel: TestPanel
  let browser: Browser
  beforeAll(async () => {
    panel = await startPanel()
    browser = await launchBrowser()
    const { page } = await openPage(browser, panel.origin)
    await setUp(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto', { plan: 'business' })
    await createAccount(page, 'demo01')
    await callApi(page, 'POST', '/api/accounts/3/suspend', { reason: 'unpaid invoice' })
    await page.context().close()
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  const opened = async (options: object): Promise<WatchedPage> => {
    const watched = await openPage(browser, panel.origin, options)
    await logIn(watched.page)
    return watched
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of SIZES) {
      it(`${viewport.width} px, ${colorScheme}: nothing sticks out, nothing is forbidden`, async () => {
        const { page, complaints, screenshot } = await opened({ viewport, colorScheme })
        for (const path of PAGES) {
          await page.goto(`/${path}`)
          await page.getByRole('heading', { level: 1 }).waitFor()
          const overhang = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          expect([path, overhang]).toEqual([path, 0])
          await screenshot(
            `${path === '' ? 'dashboard' : path.replace('?tab=', '-')}-${viewport.width}-${colorScheme}`,
          )
        }
        await page.goto('/accounts?new=1')
        await page.getByRole('dialog', { name: 'New account' }).waitFor()
        await page.getByLabel('Username').fill('mira')
        await page.getByLabel('Primary domain').fill('mira example')
        await page.getByLabel('Email').focus()
        await page.getByText('A domain name has no spaces').waitFor()
        await screenshot(`drawer-${viewport.width}-${colorScheme}`)
        expect(complaints).toEqual([])
        await page.context().close()
      })
    }
  }

  it('keeps the chosen theme, in the first byte of the page too', async () => {
    const { page } = await opened({ colorScheme: 'light' })
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    expect(await background()).not.toBe(light)
    const response = await page.reload()
    expect(await response?.text()).toContain('data-theme="dark"')
    expect(await background()).not.toBe(light)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Like the system' }).click()
    expect(await background()).toBe(light)
    await page.context().close()
  })

  it('has its navigation in a drawer on phones', async () => {
    const { page, screenshot } = await opened({ viewport: { width: 360, height: 740 } })
    await page.getByRole('button', { name: 'Open navigation' }).click()
    const drawer = page.getByRole('dialog', { name: 'Sections' })
    await drawer.getByText('Community').waitFor()
    await screenshot('navigation-360')
    await drawer.getByRole('link', { name: 'Accounts' }).click()
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await drawer.waitFor({ state: 'hidden' })
    await page.context().close()
  })

  it('can be used with the keyboard alone', async () => {
    const { page } = await opened({})
    await page.goto('/accounts')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
    const menu = page.getByRole('button', { name: 'Actions for lena' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Suspend' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect(await menu.evaluate((it) => it === document.activeElement)).toBe(true)
    await page.context().close()
  })

  it('stays small', async () => {
    const { page } = await openPage(browser, panel.origin, {})
    // The library of the charts comes when there are values to draw; nothing waits for it.
    await page.route('**/api/system/history*', () => undefined)
    await logIn(page)
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry.name.endsWith('.js'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    )
    console.log(`scripts of login and dashboard: ${bytes} bytes compressed`)
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES)
    await page.context().close()
  })
})
