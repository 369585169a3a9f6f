import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import {
  ADMIN,
  callApi,
  createAccount,
  logIn as logInByForm,
  logInByApi,
  setUpByApi,
} from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

const NEXT = 'another horse 10'

describe('settings', () => {
  let key = ''
  let recovery: string[] = []
  panelInBrowser(() => setUpByApi(page))

  const dialog = () => page.getByRole('dialog')
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  it('shows times in the zone that is chosen, and names it', async () => {
    await page.goto('/settings?tab=audit')
    const newest = page.locator('table tbody td[title$=" UTC"]').first()
    await newest.waitFor()
    await page.goto('/settings')
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.timeZone))
      .toBe('Asia/Tokyo')
    await page.goto('/settings?tab=audit')
    await page.locator('table tbody td[title$=" GMT+9"]').first().waitFor()
    expect(await newest.count()).toBe(0)
    await page.goto('/settings')
    await page.getByLabel('Time zone').selectOption('UTC')
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.timeZone))
      .toBe('UTC')
  })

  it('changes the own password and keeps this session', async () => {
    await page.goto('/settings')
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill(NEXT)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Current password is wrong').waitFor()
    const token = async (name: string): Promise<string> => {
      const input = { name, scopes: ['read'] }
      const { body } = await callApi(page, 'POST', '/api/tokens', input)
      return (body as { data?: { token: string } }).data?.token ?? ''
    }
    const ask = async (bearer: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${bearer}` }
      return (await fetch(`${panel.origin}/api/auth/me`, { headers })).status
    }
    const change = async (from: string, to: string): Promise<void> => {
      await page.getByLabel('Current password').fill(from)
      await page.getByLabel('New password').fill(to)
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByText('Password changed').last().waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    }
    const kept = await token('kept')
    await page.getByLabel('Keep my API tokens').check()
    await change(ADMIN.password, `${NEXT} for now`)
    expect(await ask(kept)).toBe(200)
    expect(await page.getByLabel('Keep my API tokens').isChecked()).toBe(false)
    await change(`${NEXT} for now`, NEXT)
    expect(await ask(kept)).toBe(401)
    await watched.screenshot('settings')
  })

  it('makes a token that is shown once and works, and revokes it', async () => {
    await page.goto('/settings?tab=tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog().getByRole('button', { name: 'Create token' }).click()
    await dialog().getByText('Fill in this field.').waitFor()
    await dialog().getByLabel('Name').fill('<b>deploy</b>')
    await dialog().getByRole('button', { name: 'Create token' }).click()
    const secret = page.getByRole('dialog', { name: 'Token <b>deploy</b>' })
    const token = await secret.getByRole('list', { name: 'Token' }).innerText()
    await watched.screenshot('settings-token')
    const ask = (bearer: string) =>
      fetch(`${panel.origin}/api/auth/me`, { headers: { Authorization: `Bearer ${bearer}` } })
    expect((await ask(token)).status).toBe(200)
    await page.keyboard.press('Escape')
    await secret.getByRole('button', { name: 'I have copied it' }).click()
    expect(await page.getByText(token).count()).toBe(0)
    await menu('<b>deploy</b>', 'Revoke')
    await dialog().getByLabel('Type <b>deploy</b> to confirm').fill('<b>deploy</b>')
    await dialog().getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No tokens yet.').waitFor()
    expect((await ask(token)).status).toBe(401)
  })

  it('shows who is logged in, and ends one session or all others', async () => {
    const logIn = async (): Promise<string> => {
      const answer = await fetch(`${panel.origin}/api/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'User-Agent': 'curl/8.1.2' },
        body: JSON.stringify({ username: ADMIN.username, password: NEXT }),
      })
      return ((await answer.json()) as { data: { token: string } }).data.token
    }
    const ask = async (bearer: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${bearer}` }
      return (await fetch(`${panel.origin}/api/auth/me`, { headers })).status
    }
    const tokens = [await logIn(), await logIn()]
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
    const other = await openPage(browser, panel.origin, { userAgent })
    await logInByForm(other.page, { ...ADMIN, password: NEXT })
    await page.goto('/settings')
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.locator('tr[data-session]', { hasText: 'Firefox, Windows' }).waitFor()
    await other.page.context().close()
    await page.getByText('this one').waitFor()
    const foreign = page.locator('tr[data-session]', { hasText: 'curl' })
    expect(await foreign.count()).toBe(2)
    await watched.screenshot('settings-sessions')
    await page.getByRole('button', { name: 'Actions for curl' }).first().click()
    await page.getByRole('menuitem', { name: 'End session' }).click()
    await page.getByText('Session of curl ended').waitFor()
    expect(await foreign.count()).toBe(1)
    await page.getByRole('button', { name: 'End all my others' }).click()
    await page.getByText('sessions ended').or(page.getByText('One other session ended')).waitFor()
    await foreign.waitFor({ state: 'detached' })
    expect(await Promise.all(tokens.map(ask))).toEqual([401, 401])
    await page.getByText('this one').waitFor()
  })

  it('makes, locks and deletes an administrator, never oneself', async () => {
    await page.goto('/settings?tab=users')
    await page.getByRole('button', { name: 'New administrator' }).click()
    await dialog().getByLabel('Username').fill('second')
    await dialog().getByLabel('Password', { exact: true }).fill(NEXT)
    await dialog().getByRole('button', { name: 'Create administrator' }).click()
    const row = page.locator('tr[data-user="second"]')
    await row.getByText('Active').waitFor()
    expect(await page.getByRole('button', { name: 'Actions for admin' }).count()).toBe(0)
    await menu('second', 'Lock')
    await row.getByText('Locked').waitFor()
    await watched.screenshot('settings-users')
    await menu('second', 'Unlock')
    await row.getByText('Active').waitFor()
    await menu('second', 'Delete')
    await dialog().getByLabel('Type second to confirm').fill('second')
    await dialog().getByRole('button', { name: 'Delete administrator' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('shows what was done and what was denied', async () => {
    await callApi(page, 'DELETE', '/api/accounts/999')
    await page.goto('/settings?tab=audit')
    await page.getByText('Creates an administrator').waitFor()
    await page.getByRole('button', { name: 'Result' }).first().click()
    await page.getByRole('menuitem', { name: 'Denied' }).click()
    await page.getByText('Creates an administrator').waitFor({ state: 'detached' })
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
    await watched.screenshot('settings-audit')
  })

  it('sets up a second factor, with codes for the day the phone is lost', async () => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Set up' }).click()
    await dialog().getByLabel('Password', { exact: true }).fill(NEXT)
    await dialog().getByRole('button', { name: 'Continue' }).click()
    await dialog().getByRole('img', { name: 'QR code of the key' }).waitFor()
    key = await dialog().getByTestId('totp-key').innerText()
    await watched.screenshot('settings-factor')
    await dialog().getByLabel('Code of the app').fill('000')
    await dialog().getByRole('button', { name: 'Turn on' }).click()
    await dialog().getByText('code is wrong').waitFor()
    const code = new TOTP({ secret: Secret.fromBase32(key) }).generate()
    await dialog().getByLabel('Code of the app').fill(code)
    await dialog().getByRole('button', { name: 'Turn on' }).click()
    const codes = page.getByRole('list', { name: 'Recovery codes' })
    await codes.locator('li').nth(9).waitFor()
    recovery = await codes.locator('li').allInnerTexts()
    expect(recovery).toHaveLength(10)
    await watched.screenshot('settings-recovery')
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('10 recovery codes are left').waitFor()
  })

  it('asks for the code at the next login', async () => {
    const other = await openPage(browser, panel.origin)
    await other.page.goto('/login')
    expect(await other.page.getByLabel('Code').count()).toBe(0)
    await other.page.getByLabel('Username').fill(ADMIN.username)
    await other.page.getByLabel('Password', { exact: true }).fill(NEXT)
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.getByLabel('Code').fill('000000')
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.locator('#totp[aria-invalid="true"]').waitFor()
    await other.page.getByLabel('Code').fill(recovery[0] ?? '')
    await other.screenshot('login-code')
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    expect(other.complaints).toEqual([])
  })

  it('takes the second factor off again', async () => {
    await page.goto('/settings')
    await page.getByText('9 recovery codes are left').waitFor()
    await page.getByRole('button', { name: 'Take off' }).click()
    await dialog().getByLabel('Password', { exact: true }).fill(NEXT)
    await dialog()
      .getByLabel('Code')
      .fill(recovery[1] ?? '')
    await dialog().getByRole('button', { name: 'Take off' }).click()
    await page.getByText('The second factor is off').waitFor()
    await page.getByRole('button', { name: 'Set up' }).waitFor()
  })

  it('shows an account only what is its own', async () => {
    await createAccount(page, 'mira')
    const own = await openPage(browser, panel.origin, { viewport: { width: 360, height: 780 } })
    await logInByApi(own.page, { username: 'mira', password: 'correct horse 9' })
    await own.page.goto('/settings?tab=users')
    await own.page.getByRole('heading', { name: 'Password' }).waitFor()
    expect(await own.page.getByRole('link', { name: 'Administrators' }).count()).toBe(0)
    const spare = await own.page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(spare).toBeLessThanOrEqual(0)
    await own.screenshot('settings-360')
    expect(own.complaints).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
