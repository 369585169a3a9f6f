import { describe, expect, it } from 'vitest'
import { openPage } from './support/open-browser.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { violationsOf } from './support/looks/axe-violations.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

const LENA = { username: 'lena', password: 'correct horse 9' }

describe('page of an account', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    const database = { account_id: 1, db_name: 'blog', db_password: 'correct horse 9' }
    await callApi(page, 'POST', '/api/databases', database)
    await callApi(page, 'POST', '/api/backups/accounts/1')
  })

  const card = (name: string, on = page) => on.getByRole('region', { name, exact: true })
  const titled = (name: string, on = page) => on.getByRole('heading', { name, level: 1 }).waitFor()

  it('shows usage, domains, databases, backups, PHP, activity and where to connect', async () => {
    await page.goto('/accounts/lena')
    await titled('lena')
    await page.getByText('Active', { exact: true }).waitFor()
    for (const meter of ['Disk', /^Traffic in /])
      await card('Usage').getByRole('meter', { name: meter }).waitFor()
    await card('Usage').getByText('Standard').waitFor()
    await card('Domains').getByRole('link', { name: 'lena.example' }).waitFor()
    await card('Databases').getByText('lena_blog').waitFor()
    await card('Backups').getByText('This host').waitFor()
    await card('PHP').getByText('fpm').waitFor()
    await card('Connection details').getByText('/home/lena/public_html').waitFor()
    await card('Connection details').getByRole('button', { name: 'Copy' }).first().waitFor()
    await card('Recent activity').getByText('Creates an account').waitFor()
    await watched.screenshot('account-page')
    await card('Databases').getByRole('link', { name: 'Open databases' }).click()
    await page.locator('tr[data-database="lena_blog"]').waitFor()
  })

  it('shows what its programs used, and that the kernel ended some', async () => {
    await page.goto('/accounts/lena')
    await card('Usage').getByText('Counted by Berth').waitFor()
    await card('Programs').getByText('Nothing was counted yet').waitFor()
    const at = Math.floor(Date.now() / 300_000) * 300
    const point = (n: number) => ({
      ...{ at_secs: at - 300 * n, cpu_percent: 20 + n, memory_mb: 300 - 10 * n, tasks: 9 },
    })
    await panel.setUse('lena', {
      step_secs: 300,
      // Between them nothing was counted for a while.
      points: [9, 8, 7, 3, 2, 1, 0].map(point),
      memory_ends: [{ at_secs: at - 600, count: 2 }],
      disk_held_by: 'kernel',
    })
    await page.reload()
    await card('Programs').getByText('the kernel ended 2 programs').waitFor()
    for (const name of ['Processor, of one', 'Memory', 'Processes and threads'])
      await card('Programs').getByRole('heading', { name, exact: true }).waitFor()
    await card('Usage').getByText('Held by the kernel').waitFor()
    await card('Programs').scrollIntoViewIfNeeded()
    await watched.screenshot('account-programs')
    // The head of the page lies over what was scrolled below it.
    await page.evaluate(() => scrollTo(0, 0))
    expect(await violationsOf(page)).toEqual([])
  })

  it('edits, suspends with a reason that it shows, and unsuspends', async () => {
    await page.goto('/accounts/lena')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Edit lena' })
      .getByLabel('Email')
      .fill('new@lena.example')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await card('Connection details').getByText('new@lena.example').waitFor()
    await page.getByRole('button', { name: 'Actions for lena' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await page.getByLabel('Reason').fill('unpaid invoice')
    await page.getByRole('button', { name: 'Suspend account' }).click()
    await page.getByText('This account is suspended: unpaid invoice').waitFor()
    expect(await page.getByRole('button', { name: 'Log in as' }).count()).toBe(0)
    await watched.screenshot('account-page-suspended')
    await page.getByRole('button', { name: 'Actions for lena' }).click()
    await page.getByRole('menuitem', { name: 'Unsuspend' }).click()
    await page.getByText('Active', { exact: true }).waitFor()
  })

  it('leads into the account and back, without a password', async () => {
    await page.goto('/accounts/lena')
    await page.getByRole('button', { name: 'Log in as' }).click()
    const banner = page.getByRole('complementary', { name: 'You work as lena.' })
    await banner.waitFor()
    await page.goto('/domains')
    await banner.getByText('Visited by admin').waitFor()
    await watched.screenshot('account-visit')
    expect((await callApi(page, 'GET', '/api/users')).status).toBe(403)
    await banner.getByRole('button', { name: 'Return to administrator' }).click()
    await titled('lena')
    await banner.waitFor({ state: 'hidden' })
    expect((await callApi(page, 'GET', '/api/users')).status).toBe(200)
    await page.goto('/accounts')
    await page.locator('tr[data-account="otto"]').waitFor()
  })

  it('is the account’s own page too, with what it may do itself', async () => {
    const { page: own, complaints, screenshot } = await openPage(browser, panel.origin)
    await logInByApi(own, LENA)
    await own.goto('/')
    await own.getByRole('link', { name: 'My account' }).click()
    await titled('lena', own)
    expect(new URL(own.url()).pathname).toBe('/accounts/lena')
    await card('Databases', own).getByText('lena_blog').waitFor()
    for (const name of ['Log in as', 'Actions for lena'])
      expect(await own.getByRole('button', { name }).count()).toBe(0)
    expect(await card('Recent activity', own).count()).toBe(0)
    await own.getByRole('button', { name: 'Email and password' }).click()
    await own.getByRole('dialog').getByLabel('Email').fill('mine@lena.example')
    await own.getByRole('button', { name: 'Save', exact: true }).click()
    await card('Connection details', own).getByText('mine@lena.example').waitFor()
    await screenshot('account-own')
    await own.goto('/accounts/otto')
    await own.getByText('There is no such page').waitFor()
    expect(complaints).toEqual([])
    await own.context().close()
  })

  it('leaves for the list when the account is deleted', async () => {
    await page.goto('/accounts/otto')
    await page.getByRole('button', { name: 'Actions for otto' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Type otto to confirm').fill('otto')
    await page.getByRole('button', { name: 'Delete account' }).click()
    await titled('Accounts')
    await page.locator('tr[data-account="lena"]').waitFor()
    expect(await page.locator('tr[data-account="otto"]').count()).toBe(0)
    await page.goto('/accounts/otto')
    await page.getByText('There is no such page').waitFor()
  })

  it('fits phones and tablets, light and dark', async () => {
    const screens = [{ name: 'account-page', path: '/accounts/lena', ready: () => titled('lena') }]
    expect(await overhangsOf(watched, screens)).toEqual({})
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
