import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchBrowser, openPage, type WatchedPage } from './open-browser.ts'
import { startPanel, type PanelOptions, type TestPanel } from './start-panel.ts'

// What the hooks below open for the tests of one file. Vitest loads this module anew for each.
export let panel: TestPanel
export let browser: Browser
export let watched: WatchedPage
export let page: Page
/** The cookies of who was logged in last in `signedInPanel`. */
export let storageState: NonNullable<BrowserContextOptions['storageState']>

/** Starts a panel and a browser before the tests of a file, and ends both after them. */
export const panelAndBrowser = (options?: PanelOptions): void => {
  beforeAll(async () => {
    panel = await startPanel(options)
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })
}

/** The same with a page that all tests share; `prepare` may use all of it. */
export const panelInBrowser = (
  prepare: () => Promise<void> = () => Promise.resolve(),
  options?: BrowserContextOptions,
): void => {
  panelAndBrowser()
  beforeAll(async () => {
    watched = await openPage(browser, panel.origin, options)
    page = watched.page
    await prepare()
  })
}

/** A panel and a browser for tests that open pages of their own, with the cookies that `prepare` got. */
export const signedInPanel = (
  prepare: (page: Page) => Promise<void>,
  options?: PanelOptions,
): void => {
  panelAndBrowser(options)
  beforeAll(async () => {
    const { page } = await openPage(browser, panel.origin)
    await prepare(page)
    storageState = await page.context().storageState()
    await page.context().close()
  })
}
