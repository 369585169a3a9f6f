import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('what all accounts have', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    for (const [index, name] of ['lena', 'mara'].entries()) {
      await createAccount(page, name)
      const database = { account_id: index + 1, db_name: 'blog', db_password: 'long enough' }
      await callApi(page, 'POST', '/api/databases', database)
      await callApi(page, 'POST', `/api/backups/accounts/${index + 1}`)
    }
    await callApi(page, 'POST', '/api/backups/snapshots/accounts/1')
  })
  const follow = async (name: string) => {
    await page
      .getByRole('navigation', { name: 'Sections' })
      // How many there are may stand behind it.
      .getByRole('link', { name: new RegExp(`^${name}( \\d+)?$`) })
      .click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const names = (mark: string) =>
    page
      .locator(`tbody tr[data-${mark}]`)
      .evaluateAll((rows, key) => rows.map((row) => row.getAttribute(`data-${key}`)), mark)

  it('databases: searched, sorted, and each leads to its account', async () => {
    await page.goto('/')
    await follow('Databases')
    await page.waitForURL('**/databases/all')
    await expect.poll(() => names('database')).toEqual(['lena_blog', 'mara_blog'])
    await page.goto('/databases/all?sort=username&order=desc')
    expect(await names('database')).toEqual(['mara_blog', 'lena_blog'])
    await page.goto('/databases/all?q=mara')
    expect(await names('database')).toEqual(['mara_blog'])
    await watched.screenshot('all-databases')
    await page.getByRole('link', { name: 'mara_blog' }).click()
    await page.waitForURL('**/databases?account=2&q=mara_blog')
    await page.getByLabel('Account', { exact: true }).selectOption('All accounts')
    await page.waitForURL('**/databases/all')
  })

  it('a page that names no account leads there', async () => {
    for (const section of ['files', 'databases', 'backups']) {
      await page.goto(`/${section}?q=lena`)
      await page.waitForURL(`**/${section}/all?q=lena`)
    }
  })

  it('a new database is for the account that is chosen', async () => {
    await page.goto('/databases?new=1')
    const drawer = page.getByRole('dialog', { name: 'New database' })
    await drawer.getByLabel('Database name').fill('shop')
    await drawer.getByRole('button', { name: 'Create database' }).click()
    const account = drawer.getByLabel('Account', { exact: true })
    await expect.poll(() => account.getAttribute('aria-invalid')).toBe('true')
    await account.selectOption('mara')
    await drawer.getByText('Becomes mara_shop').waitFor()
    await drawer.getByLabel('Password', { exact: true }).fill('correct horse 9')
    await watched.screenshot('all-databases-new')
    await drawer.getByRole('button', { name: 'Create database' }).click()
    await page.locator('tr[data-database="mara_shop"]').waitFor()
    expect(new URL(page.url()).pathname).toBe('/databases/all')
  })

  it('backups: of every account, newest first', async () => {
    await follow('Backups')
    await page.waitForURL('**/backups/all')
    await page.getByRole('link', { name: 'mara', exact: true }).waitFor()
    expect(await names('backup')).toHaveLength(2)
    await watched.screenshot('all-backups')
    await page.getByRole('link', { name: 'lena', exact: true }).click()
    await page.waitForURL('**/backups?account=1&q=lena-**')
    expect(await names('backup')).toHaveLength(1)
  })

  it('snapshots: likewise, from the tab beside them', async () => {
    await page.goto('/backups/all')
    await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
    await page.waitForURL('**/backups/snapshots/all')
    await page.getByRole('link', { name: 'lena', exact: true }).waitFor()
    expect(await names('snapshot')).toHaveLength(1)
    await watched.screenshot('all-snapshots')
    await page.getByRole('link', { name: 'lena', exact: true }).click()
    await page.waitForURL('**/backups/snapshots?account=1&q=*')
    expect(await names('snapshot')).toHaveLength(1)
  })

  it('files: what each account takes of the disk, the most first', async () => {
    await follow('Files')
    await page.waitForURL('**/files/all')
    await expect.poll(() => names('account')).toHaveLength(2)
    await watched.screenshot('all-files')
    await page.getByRole('link', { name: 'lena', exact: true }).click()
    await page.waitForURL('**/files?account=1')
  })

  it('is for nobody who has one account alone', async () => {
    const own = await openPage(browser, panel.origin)
    await logInByApi(own.page, { username: 'lena', password: 'correct horse 9' })
    for (const section of ['files', 'databases', 'backups', 'backups/snapshots']) {
      const response = await own.page.goto(`/${section}/all`)
      expect([section, response?.status()]).toEqual([section, 403])
    }
    await own.page.context().close()
  })
})
