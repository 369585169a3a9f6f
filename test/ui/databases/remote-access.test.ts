import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from '../support/log-in.ts'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { page, panelInBrowser } from '../support/panel-in-browser.ts'

describe('databases from other machines', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    const database = { account_id: 1, db_name: 'blog', db_password: 'correct horse 9' }
    await callApi(page, 'POST', '/api/databases', database)
  })

  const row = (address: string) => page.locator(`[data-database-address="${address}"]`)

  it('allows an address, says what is wrong with one, and takes it away', async () => {
    await page.goto('/databases?account=1')
    await page.getByText('No other machine is let in.').waitFor()
    await page.getByRole('button', { name: 'Allow address' }).click()
    const drawer = page.getByRole('dialog', { name: 'Allow an address' })
    const allow = drawer.getByRole('button', { name: 'Allow', exact: true })
    await drawer.getByLabel('Address', { exact: true }).fill('office')
    await allow.click()
    await drawer.getByText('Enter an address such as').waitFor()
    await drawer.getByLabel('Address', { exact: true }).fill('0.0.0.0/0')
    await allow.click()
    await drawer.getByText('lets in too many').waitFor()
    await drawer.getByLabel('Address', { exact: true }).fill('203.0.113.0/24')
    await drawer.getByLabel('Note').fill('office')
    await allow.click()
    await row('203.0.113.0/24').getByText('office').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    const wide = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
    expect(await wide()).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Remove 203.0.113.0/24' }).click()
    await page.getByLabel('Type 203.0.113.0/24 to confirm').fill('203.0.113.0/24')
    await page.getByRole('button', { name: 'Remove address' }).click()
    await row('203.0.113.0/24').waitFor({ state: 'detached' })
  })

  it('tells what a program of another machine needs, with lines to copy', async () => {
    await page.goto('/databases?account=1')
    await page.getByRole('button', { name: 'lena_blog', exact: true }).click()
    const part = page.locator('[data-remote="mariadb"]')
    await part
      .getByText(
        'mariadb --host=panel.example --port=3306 --user=lena_blog --password --ssl --ssl-ca=berth-databases.pem --ssl-verify-server-cert lena_blog',
      )
      .waitFor()
    await part.getByText('AB:AB:AB').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      part.getByRole('button', { name: 'Download certificate' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('berth-databases.pem')
  })
})
