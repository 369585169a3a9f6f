import { describe, expect, it } from 'vitest'
import { violationsOf } from './support/looks/axe-violations.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { stopTransitions } from './support/looks/stop-transitions.ts'
import { createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { page, panelInBrowser, watched } from './support/panel-in-browser.ts'
import { settle } from './support/screens.ts'

const RITA = { username: 'rita', password: 'correct horse 9' }

/** Nothing that axe finds, in both themes. */
const look = async (): Promise<void> => {
  await stopTransitions(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settle(page)
    expect(await violationsOf(page)).toEqual([])
  }
}

describe('resellers', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    await createAccount(page, 'owen')
  })

  it('are made with plans and limits, and get an account', async () => {
    await page.goto('/settings?tab=resellers')
    await page.getByRole('button', { name: 'New reseller' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'New reseller' })
    await drawer.getByLabel('Username').fill(RITA.username)
    await drawer.getByLabel('Password', { exact: true }).fill(RITA.password)
    await drawer.getByLabel('Basic').check()
    await drawer.getByLabel('Accounts').fill('2')
    await drawer.getByLabel('Disk to promise, MB').fill('lots')
    await drawer.getByRole('button', { name: 'Create reseller' }).click()
    await drawer.getByText('Enter a whole number from 0 to').waitFor()
    await drawer.getByLabel('Disk to promise, MB').fill('2000')
    await look()
    await watched.screenshot('reseller-drawer')
    await drawer.getByRole('button', { name: 'Create reseller' }).click()
    await page.locator('tr[data-reseller]').filter({ hasText: 'rita' }).waitFor()
    const screens = [{ name: 'resellers', path: '/settings?tab=resellers' }]
    expect(await overhangsOf(watched, screens)).toEqual({})
    await page.goto('/accounts')
    await page.getByLabel('Select lena', { exact: true }).check()
    await page.getByRole('button', { name: 'Move to reseller', exact: true }).click()
    const move = page.getByRole('dialog', { name: 'Move 1 account' })
    await move.getByLabel('Reseller').selectOption({ label: 'rita' })
    await move.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('1 of 1 done').waitFor()
    await page.goto('/settings?tab=resellers')
    await page.getByRole('button', { name: 'rita', exact: true }).click()
    const detail = page.getByRole('dialog', { name: 'rita' })
    await detail.getByText('1 of 2').waitFor()
    await look()
    await watched.screenshot('reseller-detail')
    await detail.getByRole('link', { name: 'His accounts' }).click()
    await page.getByRole('link', { name: 'lena', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'owen', exact: true }).count()).toBe(0)
  })

  it('see their limits, their accounts and nothing of the system', async () => {
    await page.context().clearCookies()
    await logInByApi(page, RITA)
    await page.goto('/')
    await page.getByText('You manage 1 account.').waitFor()
    await page.getByRole('meter', { name: 'Disk promised to accounts' }).waitFor()
    const links = await page.locator('aside nav a').allInnerTexts()
    expect(links.join(' ')).toContain('Accounts')
    expect(links.join(' ')).not.toContain('System')
    await look()
    await watched.screenshot('reseller-dashboard')
    await page.goto('/accounts')
    await page.getByRole('link', { name: 'lena', exact: true }).waitFor()
    expect(await page.getByText('owen').count()).toBe(0)
    await page.getByRole('button', { name: 'New account' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'New account' })
    await drawer.getByText('Basic').waitFor()
    await expect.poll(() => drawer.getByText('Enterprise').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goto('/accounts/lena')
    await page.getByRole('button', { name: 'Log in as' }).click()
    await page.getByText('Visited by rita').first().waitFor()
    for (const path of ['/domains', '/backups', '/cron', '/databases', '/logs', '/php', '/ssl']) {
      await logInByApi(page, RITA)
      await page.goto(path)
      await page.locator('h1').first().waitFor()
      expect([path, await page.getByText('owen').count()]).toEqual([path, 0])
    }
    expect((await page.goto('/system'))?.status()).toBe(403)
    const screens = [
      { name: 'reseller-home', path: '/' },
      { name: 'reseller-accounts', path: '/accounts' },
    ]
    expect(await overhangsOf(watched, screens)).toEqual({})
  })
})
