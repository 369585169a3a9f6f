import { describe, expect, it } from 'vitest'
import { createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('backups', () => {
  panelInBrowser(() => setUpByApi(page))

  const rows = () => page.locator('tr[data-backup]')
  const dialog = () => page.getByRole('dialog')
  const menu = async (action: string) => {
    await rows().first().getByRole('button', { name: 'Actions for' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  it('invites to make the first one', async () => {
    await createAccount(page, 'mira')
    await page.goto('/backups')
    await page.getByText('mira has no backups yet.').waitFor()
    await page.getByRole('link', { name: 'Targets' }).waitFor()
  })

  it('makes one as a job that the job centre shows', async () => {
    await page.goto('/backups')
    await page.getByRole('button', { name: 'Create backup' }).first().click()
    await dialog().getByRole('button', { name: 'Create backup' }).click()
    await rows().first().getByText('Verified').waitFor()
    expect(await rows().first().innerText()).toMatch(/mira-\d{8}-\d{6}\.tar\.gz/)
    await page.getByTestId('job-pill').click()
    await page.locator('[data-job="backup.create"]').getByText('Done').waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByTestId('job-pill').click()
    await page.locator('[data-job="backup.create"]').getByText('mira').waitFor()
    await page.keyboard.press('Escape')
    await watched.screenshot('backups')
  })

  it('restores what was chosen after the name was typed', async () => {
    await page.goto('/backups')
    await menu('Restore')
    await dialog().getByText('Files', { exact: true }).click()
    const submit = dialog().getByRole('button', { name: 'Restore' })
    expect(await submit.isDisabled()).toBe(true)
    const asked = page.waitForRequest((request) => request.url().includes('/restore/'))
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await watched.screenshot('backups-restore')
    await submit.click()
    const request = await asked
    expect(request.postDataJSON()).toEqual({ what: 'files' })
    expect(request.headers()['prefer']).toBe('respond-async')
    await page.getByText('mira is restored').waitFor()
  })

  it('restores a folder that was found in the backup, and undoes it', async () => {
    await page.goto('/backups')
    await menu('Restore')
    await dialog().getByText('Chosen ones', { exact: true }).click()
    const submit = dialog().getByRole('button', { name: 'Restore' })
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    expect(await submit.isDisabled()).toBe(true)
    await dialog().getByLabel('Choose public_html').check()
    await watched.screenshot('backups-restore-chosen')
    const asked = page.waitForRequest((request) => request.url().includes('/restore/'))
    await submit.click()
    expect((await asked).postDataJSON()).toEqual({ paths: ['public_html'], databases: [] })
    // The note of the test before stands until then.
    await page.getByText('mira is restored').waitFor()
    await page.locator('[data-restore]').getByText('Can be undone until').waitFor()
    await page.locator('[data-restore]').getByRole('button', { name: 'Undo' }).click()
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await dialog().getByRole('button', { name: 'Undo restore' }).click()
    await page.locator('[data-restore]').getByText('A restore was undone').waitFor()
    await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
    await page.waitForURL('**/backups/snapshots')
    await page.locator('[data-restore]').getByRole('button', { name: 'Undo' }).click()
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await dialog().getByRole('button', { name: 'Undo restore' }).click()
    await page.locator('[data-restore]').getByText('Restored').waitFor()
    await page.getByRole('link', { name: 'Archives', exact: true }).click()
  })

  it('offers administrators the settings alone, and says why there are none', async () => {
    await page.goto('/backups')
    await menu('Restore')
    await dialog().getByText('Domains, PHP, cron jobs', { exact: false }).click()
    await dialog().getByText('stay as they are', { exact: false }).waitFor()
    await watched.screenshot('backups-restore-settings')
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    const asked = page.waitForRequest((request) => request.url().includes('/restore/'))
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click()
    expect((await asked).postDataJSON()).toEqual({ what: 'settings' })
    await page.getByRole('status').getByText('There is nothing at').waitFor()
  })

  it('tells why a backup failed, in a toast and in the job centre', async () => {
    await panel.breakHost('backups.start')
    await page.goto('/backups')
    await page.getByRole('button', { name: 'Create backup' }).first().click()
    await dialog().getByRole('button', { name: 'Create backup' }).click()
    await page.getByRole('status').getByText('not reachable').waitFor()
    await panel.mend()
    await page.getByTestId('job-pill').click()
    await page.locator('[data-job="backup.create"]').getByText('Failed:').waitFor()
  })

  it('downloads', async () => {
    await page.goto('/backups')
    const download = page.waitForEvent('download')
    await menu('Download')
    expect((await download).suggestedFilename()).toMatch(/^mira-.*\.tar\.gz$/)
  })

  it('cleans up with a retention that is checked', async () => {
    await page.goto('/backups')
    await page.getByRole('button', { name: 'Clean up' }).click()
    await dialog().getByLabel('Delete backups older than').fill('many')
    await dialog().getByRole('button', { name: 'Delete old backups' }).click()
    await dialog().getByText('Use a whole number of days').waitFor()
    await dialog().getByLabel('Delete backups older than').fill('7')
    await dialog().getByRole('button', { name: 'Delete old backups' }).click()
    await page.getByText('0 backups deleted').waitFor()
  })

  it('deletes after the name was typed', async () => {
    await page.goto('/backups')
    await menu('Delete')
    await dialog().getByLabel('Type mira to confirm').fill('mira')
    await dialog().getByRole('button', { name: 'Delete backup' }).click()
    await page.getByText('mira has no backups yet.').waitFor()
  })

  it('gives an account its own backups, without what is for administrators', async () => {
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'mira', password: 'correct horse 9' })
    await own.page.goto('/backups')
    await own.page.getByText('mira has no backups yet.').waitFor()
    expect(await own.page.getByRole('button', { name: 'Clean up' }).count()).toBe(0)
    expect(await own.page.getByRole('link', { name: 'Targets' }).count()).toBe(0)
    await own.page.getByRole('button', { name: 'Create backup' }).first().click()
    await own.page.getByRole('dialog').getByRole('button', { name: 'Create backup' }).click()
    await own.page.locator('tr[data-backup]').getByText('Verified').waitFor()
    const spare = await own.page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(spare).toBeLessThanOrEqual(0)
    await own.screenshot('backups-360')
    expect(own.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
