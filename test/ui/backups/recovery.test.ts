import { describe, expect, it } from 'vitest'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { RecoveryFacts } from '#handlers/ports/recovery.ts'
import { createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const HOUR_MS = 3_600_000
const ago = (hours: number): string => timestamp(Date.now() - hours * HOUR_MS)

const WELL: RecoveryFacts = {
  held: false,
  imported: null,
  kitMadeAt: ago(48),
  kitVerifiedAt: ago(47),
  exportedAt: ago(3),
  hooksWaiting: 0,
  hostsWaiting: 0,
}

describe('recovery', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'mira')
  })

  const part = (name: string) => page.locator(`[data-recovery="${name}"]`)

  it('says calmly that all is there, and nothing of it among the backups', async () => {
    await panel.setRecovery(WELL)
    await page.goto('/system')
    await part('machine').getByText('Live').waitFor()
    await part('kit')
      .getByText('Verified 1 day ago')
      .or(part('kit').getByText('Verified'))
      .waitFor()
    await part('export').getByText('Made 3 hours ago').waitFor()
    expect(await page.locator('[data-recovery] code').count()).toBe(0)
    await page.goto('/backups')
    await page.getByText('mira has no backups yet.').waitFor()
    expect(await page.locator('[data-recovery-line], [data-held]').count()).toBe(0)
  })

  it('tells what is missing with the command for it, and leads there from the backups', async () => {
    await panel.setRecovery({ ...WELL, kitMadeAt: null, kitVerifiedAt: null, exportedAt: null })
    await page.goto('/backups')
    await page.getByText('No recovery kit was ever made').waitFor()
    await watched.screenshot('recovery-line')
    await page.getByRole('link', { name: 'To Recovery' }).click()
    await page.waitForURL('**/system#recovery')
    await part('kit').getByText('berth panel recovery-kit /root/kit.txt').waitFor()
    await part('export').getByText('berth panel export /root/panel.age').waitFor()
    await panel.setRecovery({ ...WELL, kitVerifiedAt: null, exportedAt: ago(24 * 30) })
    await page.reload()
    await part('kit').getByText('berth panel recovery-kit --verify kit.txt').waitFor()
    await part('export').getByText('Whatever has changed since then').waitFor()
    await page.goto('/backups')
    await page.getByText('made but never verified').waitFor()
  })

  it('says at large that a machine that was brought back waits, and for what', async () => {
    await panel.setRecovery({
      ...WELL,
      held: true,
      imported: { id: 'x', at: timestamp(Date.now() + HOUR_MS), accounts: ['mira'] },
      hooksWaiting: 2,
      hostsWaiting: 1,
    })
    for (const path of ['/system', '/backups']) {
      await page.goto(path)
      const banner = page.locator('[data-held]')
      await banner.getByText('is not the live one yet').waitFor()
      const text = await banner.innerText()
      for (const wait of ['certificates', 'backup', 'cron jobs', 'webhooks', 'berth panel live'])
        expect(text).toContain(wait)
      await watched.screenshot(`recovery-held${path.replace('/', '-')}`)
    }
    // What waits is not overdue.
    expect(await page.locator('[data-backup-state]').count()).toBe(0)
    await page.goto('/system')
    await part('accounts').getByText('1 account is still empty').waitFor()
    await part('confirm').getByText('2 hooks, 1 virtual host written by hand').waitFor()
    await part('confirm').getByText('berth panel confirm').waitFor()
  })

  it('is shown to administrators alone, without a key in it', async () => {
    const answer = await page.request.get('/api/system/recovery')
    expect(Object.keys(((await answer.json()) as { data: object }).data)).toEqual([
      'live',
      'kit_made_at',
      'kit_verified_at',
      'exported_at',
      'accounts_waiting',
      'hooks_waiting',
      'hosts_waiting',
    ])
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'mira', password: 'correct horse 9' })
    await own.page.goto('/backups')
    await own.page.getByText('mira has no backups yet.').waitFor()
    expect(await own.page.locator('[data-recovery-line], [data-held]').count()).toBe(0)
    expect((await own.page.request.get('/api/system/recovery')).status()).toBe(403)
  })

  it('fits a phone', async () => {
    const phone = await openPage(browser, panel.origin, {
      viewport: { width: 360, height: 780 },
      locale: 'de',
      colorScheme: 'dark',
    })
    await logInByApi(phone.page)
    await phone.page.goto('/system')
    await phone.page.locator('[data-held]').waitFor()
    expect(
      await phone.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0)
    await phone.screenshot('recovery-360-de')
    await phone.page.locator('#recovery').scrollIntoViewIfNeeded()
    await phone.screenshot('recovery-card-360-de')
    expect(phone.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
