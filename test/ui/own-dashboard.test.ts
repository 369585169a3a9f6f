import { describe, expect, it } from 'vitest'
import { violationsOf } from './support/looks/axe-violations.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { page, panelInBrowser, watched } from './support/panel-in-browser.ts'

const LENA = { username: 'lena', password: 'correct horse 9' }

describe('the dashboard of an account', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await page.context().clearCookies()
    await logInByApi(page, LENA)
  })
  const card = (name: string) => page.getByRole('region', { name, exact: true })

  it('shows quotas, websites with their state, and what needs attention with the way there', async () => {
    await page.goto('/')
    const cards = page.getByTestId('stat-card')
    expect(await cards.evaluateAll((all) => all.map((it) => it.ariaLabel))).toEqual([
      ...['Disk', 'Traffic this month', 'Domains', 'Last backup'],
    ])
    expect((await cards.first().innerText()).replaceAll(/\s+/g, ' ')).toContain('< 1 MB / 5 GB')
    const site = card('Websites').locator('[data-site="lena.example"]')
    await site.getByText('No certificate', { exact: true }).waitFor()
    const finding = page.locator('[data-attention="bare"]')
    await finding.getByText('lena.example has no certificate').waitFor()
    await finding.getByRole('link', { name: 'Certificates' }).click()
    await page.getByRole('heading', { name: 'SSL', level: 1 }).waitFor()
  })

  it('leads to what is done often', async () => {
    await page.goto('/')
    await card('Quick actions').getByRole('link', { name: 'New database' }).click()
    await page.getByRole('dialog', { name: 'New database' }).waitFor()
    await page.goto('/')
    await card('Quick actions').getByRole('link', { name: 'Open files' }).click()
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
  })

  it('tells what was done of late, to it and by it', async () => {
    const body = { name: 'nightly', schedule: '@daily', kind: 'shell', command: 'true' }
    const made = await callApi(page, 'POST', '/api/cron', { account_id: 1, ...body })
    expect(made.status).toBe(200)
    await page.goto('/')
    const list = card('Activity')
    await expect
      .poll(async () => {
        await page.reload()
        return list.innerText()
      })
      .toMatch(/lena[^]*cron/i)
    await list.getByText('admin', { exact: true }).first().waitFor()
  })

  it('says to everybody what it shows', async () => {
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/')
      await card('Quick actions').waitFor()
      expect(await violationsOf(page)).toEqual([])
    }
  })

  it('has room at every size', async () => {
    expect(await overhangsOf(watched, [{ name: 'own', path: '/' }])).toEqual({})
  })
})
