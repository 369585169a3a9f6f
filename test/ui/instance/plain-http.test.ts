import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logIn, setUp } from '../support/log-in.ts'
import { launchBrowser, openPage, type WatchedPage } from '../support/open-browser.ts'
import { openNamespace, type Namespace } from '../support/open-namespace.ts'
import { pagesOf, visit } from '../support/screens.ts'
import { seedHost } from '../support/seed-host.ts'
import { startPanel, type TestPanel } from '../support/start-panel.ts'

/**
 * The panel as most see it first: plain http at the address of a host. There a
 * browser has no secure context: no clipboard, no crypto.randomUUID, no
 * Sec-Fetch headers, and cookies without Secure.
 */
describe('plain http at an address that is not the loopback one', () => {
  let namespace: Namespace
  let panel: TestPanel
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  beforeAll(async () => {
    namespace = openNamespace()
    panel = await startPanel({
      host: namespace.address,
      within: namespace.within,
      history: true,
    })
    browser = await launchBrowser(namespace.browserPath)
    watched = await openPage(browser, panel.origin)
    page = watched.page
    await setUp(page)
  })
  afterAll(async () => {
    await browser?.close()
    await panel?.stop()
    namespace?.close()
  })

  it('is no secure context, and its cookie is sent all the same', async () => {
    expect(new URL(page.url()).hostname).toBe('192.0.2.10')
    expect(
      await page.evaluate(() => [
        isSecureContext,
        'clipboard' in navigator,
        'randomUUID' in crypto,
      ]),
    ).toEqual([false, false, false])
    const cookies = await page.context().cookies()
    expect(cookies.find(({ name }) => name === 'panel_token')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      secure: false,
    })
  })

  it('creates an account with a generated password, which can be copied', async () => {
    await page.goto('/accounts?new=1')
    const drawer = page.getByRole('dialog', { name: 'New account' })
    await drawer.getByLabel('Username').fill('lena')
    await drawer.getByLabel('Primary domain').fill('lena.example')
    await drawer.getByLabel('Email').fill('post@lena.example')
    await drawer.getByRole('button', { name: 'Generate' }).click()
    const password = await drawer.getByLabel('Password', { exact: true }).inputValue()
    expect(password).toHaveLength(20)
    await drawer.getByRole('button', { name: 'Copy' }).click()
    await drawer.getByRole('button', { name: 'Copied' }).waitFor()
    await drawer.getByLabel('Email').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+v')
    expect(await drawer.getByLabel('Email').inputValue()).toBe(password)
    await drawer.getByLabel('Email').fill('post@lena.example')
    await drawer.getByRole('button', { name: 'Create account' }).click()
    await page.locator('tr[data-account="lena"]').waitFor()
  })

  it('uploads, edits and saves a file, makes a backup as a job', async () => {
    await page.goto('/files?account=1')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'notes.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('one'),
      })
    await page.goto('/files?account=1&edit=notes.txt')
    await page.getByTestId('code').locator('.cm-content').click()
    await page.keyboard.type('two ')
    await page.keyboard.press('Control+s')
    await page.getByRole('status').getByText('notes.txt saved').waitFor()
    await page.goto('/backups?account=1')
    await page.getByRole('button', { name: 'Create backup' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click()
    await page.getByText('Verified').waitFor()
  })

  it('shows every screen, keeps theme and language, logs out and in', async () => {
    await seedHost(panel)
    for (const screen of await pagesOf(page)) await visit(page, screen)
    await page.goto('/')
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor()
    await page.reload()
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
    await page.getByRole('button', { name: 'Abmelden' }).click()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
    await logIn(page)
    expect(watched.complaints).toEqual([])
  })
})
