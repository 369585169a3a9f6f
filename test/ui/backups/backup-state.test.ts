import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const DAILY = { what: 'archive', every_hours: 24, places: ['local'] }
const DISK_FULL = 'No space is left on the disk of /var/lib/berth/backups.'

describe('the first line of the backups', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'mira')
    await createAccount(page, 'otto')
  })

  const line = () => page.locator('[data-backup-state]')
  const lacking = (name: string) => page.locator(`[data-lacking="${name}"]`)
  const setSchedule = (account: number, body: object) =>
    callApi(page, 'PUT', `/api/backups/schedules/accounts/${account}`, body)

  it('says that nothing is made by itself while nothing is planned', async () => {
    await page.goto('/backups?account=1')
    await line().getByText('No backups are made by themselves.').waitFor()
  })

  it('is calm while backups are made as planned', async () => {
    for (const account of [1, 2]) expect((await setSchedule(account, DAILY)).status).toBe(200)
    await page.reload()
    await line().getByText('Backups are made as planned.').waitFor()
    expect(await line().innerText()).toMatch(/Next (in|this|tomorrow)/)
    expect(await line().getAttribute('data-backup-state')).toBe('well')
    await watched.screenshot('backup-state-well')
  })

  it('names what failed and why, and what is overdue, and makes it at once', async () => {
    await panel.setBackupPast({ accountId: 1, ageHours: 100, error: DISK_FULL })
    await panel.setBackupPast({ accountId: 2, ageHours: 100, error: null })
    await page.reload()
    await page.getByText('2 accounts need a backup').waitFor()
    await lacking('mira').getByText('The scheduled backup failed 1 hour ago.').waitFor()
    await lacking('mira').getByText(DISK_FULL).waitFor()
    await lacking('otto').getByText('A backup should have been there by now.').waitFor()
    await watched.screenshot('backup-state-wrong')
    await panel.breakHost('backups.start', DISK_FULL)
    await page.getByRole('button', { name: 'Back up now: otto' }).click()
    await page.getByRole('status').getByText(DISK_FULL).waitFor()
    await panel.mend()
    await page.getByRole('button', { name: 'Back up now: mira' }).click()
    await page.getByText('mira is backed up').waitFor()
    await lacking('mira').waitFor({ state: 'detached' })
    await page.getByText('One account needs a backup').waitFor()
  })

  it('tells an account of its own alone', async () => {
    const own = await openPage(browser, panel.origin, {
      viewport: { width: 360, height: 780 },
      locale: 'de',
      colorScheme: 'dark',
    })
    await logInByApi(own.page, { username: 'otto', password: 'correct horse 9' })
    await own.page.goto('/backups')
    await own.page.getByText('Ihre Sicherung blieb aus').waitFor()
    expect(await own.page.locator('[data-lacking]').count()).toBe(1)
    expect(
      await own.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0)
    await own.screenshot('backup-state-360-de')
    await own.page.getByRole('button', { name: 'Jetzt sichern' }).click()
    await own.page.getByText('otto ist gesichert').waitFor()
    expect(own.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
