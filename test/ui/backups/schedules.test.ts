import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('schedules of backups', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
  })

  const plan = (name: string) => page.locator(`tr[data-plan-schedule="${name}"]`)
  const account = (name: string) => page.locator(`tr[data-schedule="${name}"]`)
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }

  it('are told in plain words, and set for a plan', async () => {
    await page.goto('/backups')
    await page.getByRole('link', { name: 'Schedule', exact: true }).click()
    await plan('default').getByText('No backups are made by themselves.').waitFor()
    await account('lena').getByText('No backups are made by themselves.').waitFor()
    await menu('Basic', 'Change the schedule')
    const drawer = page.getByRole('dialog', { name: 'Schedule of Basic' })
    await drawer.getByLabel('Not before').selectOption('22:00')
    await drawer.getByLabel('Not after').selectOption('22:00')
    await drawer.getByRole('button', { name: 'Save the schedule' }).click()
    await drawer.getByText('Choose another hour than the first.').waitFor()
    await drawer.getByLabel('Not after').selectOption('04:00')
    await drawer.getByLabel('Days').fill('many')
    await drawer.getByRole('button', { name: 'Save the schedule' }).click()
    await drawer.getByText('Enter a number from 0 to 1000.').waitFor()
    await drawer.getByLabel('Days').fill('7')
    await drawer.getByRole('button', { name: 'Save the schedule' }).click()
    await drawer.waitFor({ state: 'hidden' })
    const words = 'Every day between 22:00 and 04:00, keeps 7 days, 4 weeks, 6 months'
    await plan('free').getByText(words).waitFor()
    await account('lena').getByText(words).waitFor()
    await account('lena').getByText('Its plan').waitFor()
    await watched.screenshot('schedules')
  })

  it('an account has its own until it is removed', async () => {
    await menu('lena', 'Change the schedule')
    const drawer = page.getByRole('dialog', { name: 'Schedule of lena' })
    await drawer.getByLabel('What is made').selectOption('Snapshots: incremental, encrypted')
    await drawer.getByLabel('How often').selectOption('Every 6 hours')
    await drawer.getByLabel('Not before').selectOption('Any time')
    await drawer.getByRole('button', { name: 'Save the schedule' }).click()
    await drawer.waitFor({ state: 'hidden' })
    await account('lena').getByText('Every 6 hours, keeps').waitFor()
    await account('lena').getByText('Snapshot: this server').waitFor()
    expect((await callApi(page, 'GET', '/api/backups/schedules/accounts/1')).body).toMatchObject({
      data: { source: 'account', schedule: { what: 'snapshot', every_hours: 6, window: null } },
    })
    await menu('lena', 'Remove the schedule')
    await account('lena').getByText('Every day between').waitFor()
  })

  it('an owner sees the own one, in German and narrow too, and changes nothing', async () => {
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'lena', password: 'correct horse 9' })
    await own.page
      .context()
      .addCookies([{ name: 'berth_language', value: 'de', url: panel.origin }])
    await own.page.goto('/backups/schedule')
    await own.page.getByText(/keeps 7 days|behält 7 Tage/).waitFor()
    expect(await own.page.locator('tr[data-plan-schedule]').count()).toBe(0)
    expect(await own.page.getByRole('button', { name: /^(Actions|Aktionen)/ }).count()).toBe(0)
    const spare = await own.page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(spare).toBeLessThanOrEqual(0)
    await own.screenshot('schedules-360')
    expect(own.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
