import { describe, expect, it } from 'vitest'
import { openPage, type WatchedPage } from './support/open-browser.ts'
import { callApi, createAccount, logIn, setUpByApi } from './support/log-in.ts'
import { overhangsOf, SCHEMES, SIZES } from './support/looks/overhangs.ts'
import { browser, panel, signedInPanel, storageState } from './support/panel-in-browser.ts'

const PAGES = [
  ...['', 'accounts', 'accounts/lena', 'domains', 'ssl', 'php', 'files', 'databases', 'system'],
  ...['applications', 'backups', 'cron', 'mail', 'cache', 'cache/lena.example', 'logs'],
  ...[
    'settings',
    'settings?tab=sessions',
    'settings?tab=tokens',
    'settings?tab=users',
    'settings?tab=audit',
  ],
]
/** What login and dashboard may cost together, compressed, the library of the charts included. */
const MAX_SCRIPT_BYTES = 150_000

describe('appearance', () => {
  signedInPanel(async (page) => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto', { plan: 'business' })
    await createAccount(page, 'demo01')
    await callApi(page, 'POST', '/api/accounts/3/suspend', { reason: 'unpaid invoice' })
  })

  const opened = async (options: object): Promise<WatchedPage> => {
    const watched = await openPage(browser, panel.origin, { storageState, ...options })
    await watched.page.goto('/')
    return watched
  }

  it('nothing sticks out and nothing is forbidden, at any width, light and dark', async () => {
    const watched = await opened({})
    const screens = PAGES.map((path) => ({
      name: path === '' ? 'dashboard' : path.replace(/\W+/g, '-'),
      path: `/${path}`,
    }))
    expect(await overhangsOf(watched, screens)).toEqual({})
    expect(watched.complaints).toEqual([])
    await watched.page.context().close()
  })

  it('says in the drawer what is wrong with a name, at any width, light and dark', async () => {
    const { page, complaints, screenshot } = await opened({})
    for (const viewport of SIZES) {
      await page.setViewportSize(viewport)
      await page.goto('/accounts?new=1')
      await page.getByRole('dialog', { name: 'New account' }).waitFor()
      await page.getByLabel('Username').fill('mira')
      await page.getByLabel('Primary domain').fill('mira example')
      await page.getByLabel('Email').focus()
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme })
        await page.getByText('A domain name has no spaces').waitFor()
        await screenshot(`drawer-${viewport.width}-${colorScheme}`)
      }
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

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
    await logIn(page)
    await page.locator('[data-drawn]').first().waitFor()
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
