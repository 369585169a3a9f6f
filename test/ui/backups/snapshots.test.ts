import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('snapshots', () => {
  panelInBrowser(() => setUpByApi(page))

  const rows = () => page.locator('tr[data-snapshot]')
  const dialog = () => page.getByRole('dialog')

  it('are a page of the Backups section, and are made there', async () => {
    await createAccount(page, 'mira')
    const database = { account_id: 1, db_name: 'shop', db_password: 'correct horse 9' }
    expect((await callApi(page, 'POST', '/api/databases', database)).status).toBe(200)
    await page.goto('/backups')
    await page.getByRole('link', { name: 'Snapshots' }).click()
    await page.getByText('mira has no snapshots yet.').waitFor()
    await page.getByText('Nothing was proved yet.').waitFor()
    await page.getByRole('button', { name: 'Create snapshot' }).first().click()
    await dialog().getByRole('button', { name: 'Create snapshot' }).click()
    await rows().first().getByText('Whole').waitFor()
    await watched.screenshot('snapshots')
  })

  it('are looked into, folder by folder, and give out files and dumps', async () => {
    await page.goto('/backups/snapshots')
    await rows().first().getByRole('link').click()
    await page.getByRole('link', { name: 'public_html' }).click()
    const entry = page.locator('[data-entry="index.html"]')
    await entry.waitFor()
    const file = page.waitForEvent('download')
    await entry.getByRole('button', { name: 'Download index.html' }).click()
    expect((await file).suggestedFilename()).toBe('index.html')
    const folder = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download folder' }).click()
    expect((await folder).suggestedFilename()).toBe('public_html.tar.gz')
    const dump = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download mira_shop' }).click()
    expect((await dump).suggestedFilename()).toBe('mariadb-mira_shop.sql')
    await page
      .getByRole('navigation', { name: 'Folder' })
      .getByRole('link', { name: 'Home' })
      .click()
    await page.locator('[data-entry="public_html"]').waitFor()
  })

  it('restore what was chosen, and say what is replaced', async () => {
    await page.getByRole('link', { name: 'public_html' }).click()
    await page.getByLabel('Choose index.html').check()
    await page.getByLabel('Choose mira_shop').check()
    await page.getByText('2 chosen').waitFor()
    await watched.screenshot('snapshot-browser')
    await page.getByRole('button', { name: 'Restore chosen' }).click()
    await dialog().getByText('public_html/index.html is replaced').waitFor()
    await dialog().getByText('Database mira_shop is replaced').waitFor()
    await dialog().getByText('so that this can be undone').waitFor()
    const submit = dialog().getByRole('button', { name: 'Restore' })
    expect(await submit.isDisabled()).toBe(true)
    const asked = page.waitForRequest((request) => request.url().endsWith('/restore'))
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await watched.screenshot('snapshot-restore')
    await submit.click()
    expect((await asked).postDataJSON()).toEqual({
      paths: ['public_html/index.html'],
      databases: [{ engine: 'mariadb', database: 'mira_shop' }],
    })
    await page.getByText('mira is restored').waitFor()
  })

  it('show what was proved, and why it could not be', async () => {
    const proof = { account_id: 1, kind: 'check' }
    expect((await callApi(page, 'POST', '/api/backups/proofs', proof)).status).toBe(200)
    await page.goto('/backups/snapshots')
    const card = page.locator('[data-proof="check"]')
    await card.getByText('Proved').waitFor()
    expect(await card.innerText()).toContain('part 1 of 12')
    expect(await page.locator('[data-proof="trial"]').innerText()).toContain('not yet')
    await panel.breakHost('snapshots.start')
    await callApi(page, 'POST', '/api/backups/proofs', { account_id: 1 })
    await panel.mend()
    await page.reload()
    await page.locator('[data-proof="trial"]').getByText('Failed').waitFor()
  })

  it('an account sees its own at 360 px, with nothing that overhangs, and deletes them', async () => {
    const spare = () =>
      own.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'mira', password: 'correct horse 9' })
    await own.page.goto('/backups/snapshots')
    await own.page.locator('tr[data-snapshot]').getByText('Whole').waitFor()
    expect(await own.page.getByText('Proofs').count()).toBe(0)
    expect(await spare()).toBeLessThanOrEqual(0)
    await own.screenshot('snapshots-360')
    await own.page.locator('tr[data-snapshot]').getByRole('link').click()
    await own.page.getByRole('link', { name: 'public_html' }).click()
    await own.page.locator('[data-entry="index.html"]').waitFor()
    await own.page.getByLabel('Choose index.html').check()
    expect(await spare()).toBeLessThanOrEqual(0)
    await own.screenshot('snapshot-browser-360')
    await own.page.getByRole('link', { name: 'All snapshots' }).click()
    await own.page.getByRole('button', { name: 'Actions for' }).first().click()
    await own.page.getByRole('menuitem', { name: 'Delete' }).click()
    await own.page.getByRole('dialog').getByLabel('Type mira to confirm').fill('mira')
    await own.page.getByRole('dialog').getByRole('button', { name: 'Delete snapshot' }).click()
    await own.page.getByText('mira has no snapshots yet.').waitFor()
    expect(own.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
