import { describe, expect, it } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { ADMIN } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { DIALOGS, visitNext } from '../support/screens.ts'
import { seedHost } from '../support/seed-host.ts'
import { seed } from '../support/seed.ts'
import { startPanel } from '../support/start-panel.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

/*
 * "Web UI behavior" of the specification, point by point: what stands on the
 * screens here and in screens.test.ts, what happens on them where it is tested
 * at length, and all of it on a real host in ../real-host.test.ts.
 *
 * | point            | words, columns, buttons | behaviour                                                      |
 * | ---------------- | ----------------------- | -------------------------------------------------------------- |
 * | 1 setup          | here                    | entrance.test.ts                                               |
 * | 2 login          | here                    | entrance.test.ts, settings.test.ts (second factor)             |
 * | 3 sidebar        | here                    | entrance.test.ts (logout), appearance.test.ts (phones)         |
 * | 4 dashboard      | here                    | pages.test.ts, charts.test.ts                                  |
 * | 5 accounts       | screens.test.ts         | accounts.test.ts, account-page.test.ts, lists*.test.ts         |
 * | 6 domains        | screens.test.ts         | pages.test.ts, edit.test.ts, lists*.test.ts                    |
 * | 7 certificates   | screens.test.ts         | ssl.test.ts, ssl-instance.test.ts (a real authority)           |
 * | 8 files          | screens.test.ts         | files.test.ts                                                  |
 * | 9 databases      | screens.test.ts         | pages.test.ts, edit.test.ts                                    |
 * | 10 PHP           | screens.test.ts         | php.test.ts, lists-failures.test.ts (many accounts)            |
 * | 11 system        | screens.test.ts         | pages.test.ts, charts.test.ts                                  |
 * | 12 modals        | here                    | accounts.test.ts, keyboard.test.ts (unsaved changes, Escape)   |
 * | own things alone | screens.test.ts         | entrance, account-page, backups, cache, logs, settings, ssl    |
 */

/** Layers that are no modals: they have no Cancel, or are a question themselves. */
const NO_MODAL = /menu$|^(palette|job-centre|unsaved-question|form-errors|import-archive)$/
/** Modals that show something, which stays when they go: their button says Close. */
const ONLY_SHOWS =
  /^(ssl-details|database-connect|domain-connect|log-line|cron-runs|wordpress-(details|care|updates))$/

describe('the specification of the UI, points 1 to 4 and 12', () => {
  panelInBrowser()

  const fields = () => page.locator('form label').allInnerTexts()

  it('1. setup: username from 3, password from 8 characters, its confirmation, Create Admin Account; once', async () => {
    await page.goto('/')
    expect(new URL(page.url()).pathname).toBe('/setup')
    expect(await fields()).toEqual(['Username', 'Password', 'Password confirmation'])
    const submit = page.getByRole('button', { name: 'Create Admin Account', exact: true })
    const fill = async (username: string, password: string, confirmation: string) => {
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByLabel('Password confirmation').fill(confirmation)
      await submit.click()
    }
    for (const [username, password, confirmation, label] of [
      ['ad', ADMIN.password, ADMIN.password, 'Username'],
      ['adm', '1234567', '1234567', 'Password'],
      ['adm', '12345678', '12345679', 'Password confirmation'],
    ] as const) {
      await fill(username, password, confirmation)
      const field = page.getByLabel(label, { exact: true })
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
      expect(await page.locator('[aria-invalid="true"]').count()).toBe(1)
    }
    // Three and eight characters are enough.
    await fill('adm', '12345678', '12345678')
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/')
    const stranger = await openPage(browser, panel.origin)
    for (const path of ['/', '/setup']) {
      await stranger.page.goto(path)
      expect(new URL(stranger.page.url()).pathname).toBe('/login')
    }
    await stranger.page.context().close()
  })

  it('2. login: username and password; the token in an HTTP-only cookie, for 24 hours', async () => {
    await page.context().clearCookies()
    await page.goto('/login')
    expect(await fields()).toEqual(['Username', 'Password'])
    await page.getByLabel('Username').fill('adm')
    await page.getByLabel('Password', { exact: true }).fill('12345678')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    const cookies = await page.context().cookies()
    const cookie = cookies.find(({ name }) => name === 'panel_token')
    expect(cookie).toMatchObject({ httpOnly: true })
    const payload = (cookie?.value ?? '').split('.')[1] ?? ''
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      iat: number
      exp: number
    }
    expect(claims.exp - claims.iat).toBe(24 * 3600)
    expect(Math.abs((cookie?.expires ?? 0) - claims.exp)).toBeLessThan(60)
    expect(await page.evaluate(() => document.cookie)).not.toContain('panel_token')
    await page.context().clearCookies({ name: 'panel_token' })
    await page.goto('/system')
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.getByLabel('Username').fill('adm')
    await page.getByLabel('Password', { exact: true }).fill('12345678')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
  })

  it('3. sidebar: the eight sections, tier badge, user with role, logout', async () => {
    await page.goto('/')
    const sidebar = page.locator('aside')
    const links = sidebar.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    const names = (await links.allInnerTexts()).map((text) => text.replace(/\s*\d+$/, '').trim())
    expect(names.slice(0, 8)).toEqual([
      ...['Dashboard', 'Accounts', 'Domains', 'SSL', 'PHP', 'Files', 'Databases', 'System'],
    ])
    // Each leads to the screen of its name.
    for (const [index, name] of names.entries()) {
      await links.nth(index).click()
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    }
    await sidebar.getByText('Community', { exact: true }).waitFor()
    await sidebar.getByText('adm', { exact: true }).last().waitFor()
    await sidebar.getByText('Administrator', { exact: true }).waitFor()
    await sidebar.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
    await page.getByLabel('Username').fill('adm')
    await page.getByLabel('Password', { exact: true }).fill('12345678')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  })

  it('4. dashboard: four figures, server information, the web server with Restart', async () => {
    await page.goto('/')
    const cards = page.getByTestId('stat-card')
    expect(await cards.evaluateAll((all) => all.map((it) => it.ariaLabel))).toEqual([
      ...['Accounts', 'Domains', 'Disk', 'License'],
    ])
    const figures = (await cards.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(figures[0]).toContain('0 / 5')
    expect(figures[1]).toContain('0 / 10')
    expect(figures[2]).toMatch(/[\d.,]+ \/ [\d.,]+ GB/)
    expect(figures[3]).toContain('Community')
    const factsOf = async (name: string): Promise<Record<string, string>> => {
      const card = page.getByRole('region', { name, exact: true })
      const [terms, values] = [card.locator('dt'), card.locator('dd')]
      const all = await Promise.all([terms.allInnerTexts(), values.allInnerTexts()])
      return Object.fromEntries(all[0].map((term, at) => [term.trim(), all[1][at]?.trim() ?? '']))
    }
    const server = await factsOf('Server information')
    for (const term of ['Hostname', 'OS', 'Kernel', 'Uptime']) expect(server[term]).toMatch(/\S/)
    expect(server['CPU']).toMatch(/\S+ · \d+ cores?$/)
    expect(server['RAM']).toMatch(/^[\d.,]+ \/ [\d.,]+ GB$/)
    const webServer = await factsOf('Web server')
    expect(webServer['Version']).toMatch(/\d/)
    expect(webServer['PID']).toMatch(/^\d+$/)
    expect(webServer['Uptime']).toMatch(/\d/)
    const card = page.getByRole('region', { name: 'Web server', exact: true })
    await card.getByText('Running', { exact: true }).waitFor()
    const asked = page.waitForRequest((request) => request.url().endsWith('/veloserve/restart'))
    await card.getByRole('button', { name: 'Restart', exact: true }).click()
    expect((await asked).method()).toBe('POST')
    await page.getByText('Web server restarted').waitFor()
  })

  it('12. every modal closes by its backdrop and by Cancel', async () => {
    const other = await startPanel()
    try {
      const modal = (await openPage(browser, other.origin, { reducedMotion: 'reduce' })).page
      await seed(modal)
      await seedHost(other)
      const wrong: string[] = []
      const modals = sampled(
        'dialogs that close in every way',
        DIALOGS.filter(({ name }) => !NO_MODAL.test(name)),
        { keep: 24 },
      )
      expect(modals.length).toBeGreaterThan(15)
      for (const screen of modals) {
        await visitNext(modal, screen)
        const dialog = modal.getByRole('dialog')
        const closed = async (how: string) => {
          const gone = dialog.waitFor({ state: 'detached' })
          await gone.catch(() => wrong.push(`${screen.name}: not by ${how}`))
        }
        await modal.mouse.click(4, 896)
        await closed('its backdrop')
        await screen.open?.(modal)
        const name = ONLY_SHOWS.test(screen.name) ? 'Close' : 'Cancel'
        await dialog.getByRole('button', { name, exact: true }).first().click()
        await closed(name)
      }
      expect(wrong).toEqual([])
    } finally {
      await other.stop()
    }
  }, 240_000)

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
