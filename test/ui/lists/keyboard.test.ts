import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyboardOf } from '../support/keyboard.ts'
import { launchBrowser, openPage, type WatchedPage } from '../support/open-browser.ts'
import { accessLine, seedHost } from '../support/seed-host.ts'
import { seed } from '../support/seed.ts'
import { startPanel, type TestPanel } from '../support/start-panel.ts'

describe('lists and logs by keyboard alone', () => {
  let panel: TestPanel
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  beforeAll(async () => {
    panel = await startPanel()
    browser = await launchBrowser()
    watched = await openPage(browser, panel.origin)
    page = watched.page
    await seed(page)
    await seedHost(panel)
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
  })

  const keys = () => keyboardOf(page)
  const dialog = (name: string) => page.getByRole('dialog', { name })
  const said = (text: string) => page.getByRole('status').getByText(text).waitFor()

  it('adds a domain and deletes it', async () => {
    await page.goto('/domains')
    await keys().press('Add domain')
    await dialog('Add domain').waitFor()
    await keys().tabTo('domain-account')
    await page.keyboard.type('otto')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Sub')
    await page.keyboard.press('Tab')
    await page.keyboard.type('news.otto-books.example')
    const root = dialog('Add domain').getByLabel('Document root')
    expect(await root.inputValue()).toBe('/home/otto/news.otto-books.example')
    await page.keyboard.press('Enter')
    await said('Domain news.otto-books.example added')
    await page.getByRole('row').getByText('Subdomain').first().waitFor()

    await keys().press('Actions for news.otto-books.example')
    await page.getByRole('menu').waitFor()
    await page.keyboard.type('Del')
    await page.keyboard.press('Enter')
    const modal = page.getByRole('dialog')
    await modal.getByLabel('to confirm').waitFor()
    expect(await keys().focused()).toContain('confirm-name')
    await page.keyboard.type('news.otto-books.example')
    await page.keyboard.press('Enter')
    await said('Domain news.otto-books.example deleted')
    expect(await page.locator('tr[data-domain="news.otto-books.example"]').count()).toBe(0)
  })

  it('sorts a list, searches it, chooses rows and acts on them', async () => {
    await page.goto('/accounts')
    await keys().press('Primary domain')
    const head = page.getByRole('columnheader', { name: 'Primary domain' })
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending')
    expect(await keys().focused()).toContain('Primary domain')
    await page.keyboard.press('Space')
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending')

    await keys().tabTo('Select otto')
    await page.keyboard.press('Space')
    await keys().tabTo('Select lena')
    await page.keyboard.press('Space')
    const bar = page.getByRole('toolbar')
    await bar.getByText('2 selected').waitFor()
    expect(await keys().focused()).toContain('Select lena')
    await keys().press('Suspend', 'Shift+Tab')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => keys().focused()).toContain('Suspend')
    await keys().press('Clear selection', 'Shift+Tab')
    await bar.waitFor({ state: 'detached' })
    expect(await keys().focused()).toContain('Select all rows of this page')

    await keys().press('lena')
    await page.getByRole('heading', { name: 'lena', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/accounts/lena')
  })

  it('follows a log: reads further up, comes back to the end', async () => {
    await page.goto('/logs')
    await keys().tabTo('Live')
    await page.keyboard.press('Space')
    await page.getByText('Live: new lines appear below').waitFor()
    const rows = page.locator('[data-log-row]')
    const isFocused = (nth: number) => rows.nth(nth).evaluate((it) => it === document.activeElement)
    const last = (await rows.count()) - 1
    for (let presses = 0; presses < 40 && !(await isFocused(last)); presses += 1)
      await page.keyboard.press('Tab')
    expect(await isFocused(last)).toBe(true)
    await page.keyboard.press('ArrowUp')
    expect(await isFocused(last - 1)).toBe(true)
    await page.keyboard.press('Home')
    expect(await isFocused(0)).toBe(true)
    await page.getByText('Paused').waitFor()

    await panel.writeLog('access', accessLine(0, 0, { path: '/late' }))
    const newer = page.getByRole('button', { name: '1 new line' })
    await newer.waitFor()
    await keys().press('1 new line')
    await rows.filter({ hasText: '/late' }).waitFor()
    await newer.waitFor({ state: 'detached' })
    const end = (await rows.count()) - 1
    await expect.poll(() => isFocused(end)).toBe(true)
    await page.keyboard.press('Enter')
    await dialog('Line').getByText('GET /late').first().waitFor()
    await page.keyboard.press('Escape')
    await dialog('Line').waitFor({ state: 'detached' })
    await expect.poll(() => isFocused(end)).toBe(true)
    expect(watched.complaints).toEqual([])
  })

  it('names the icons of the narrow sidebar beside them, until Escape', async () => {
    await page.setViewportSize({ width: 768, height: 1024 })
    await page.goto('/')
    const tip = page
      .locator('aside nav a[href="/domains"] > [aria-hidden=true]')
      .getByText('Domains')
    expect(await tip.isVisible()).toBe(false)
    await page.locator('aside nav a[href="/accounts"]').focus()
    await page.keyboard.press('Tab')
    await tip.waitFor()
    expect((await tip.boundingBox())?.x).toBeGreaterThan(64)
    expect(await page.getByRole('link', { name: 'Domains', exact: true }).count()).toBe(1)
    await watched.screenshot('sidebar-tip')
    await page.keyboard.press('Escape')
    await tip.waitFor({ state: 'detached' })
    await page.locator('aside nav a[href="/domains"]').hover()
    await tip.waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await tip.waitFor({ state: 'hidden' })
  })
})
