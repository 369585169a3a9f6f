import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { stopTransitions } from '../support/looks/stop-transitions.ts'
import { setUpByApi } from '../support/log-in.ts'
import { page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const HOST = {
  ...{ id: 0, name: 'local', role: 'host', local: true, address: '', link_id: '', state: 'open' },
  ...{ weight: 1, accounts: 3, seen_at: null, disk_free_percent: 60, php_versions: ['8.2'] },
  ...{ join_until: null, created_at: '2026-01-01 00:00:00' },
}
const TWO = {
  ...{ ...HOST, id: 1, name: 'two', local: false, address: '192.0.2.10:7072', state: 'away' },
  ...{ accounts: 1, seen_at: '2026-01-02 00:00:00', disk_free_percent: 40 },
}
const THREE = { ...TWO, id: 2, name: 'three', state: 'open' }

describe('several machines', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await page.route('**/api/hosts', (route) =>
      route.fulfill({ json: { ok: true, data: [HOST, THREE, TWO] } }),
    )
  })

  it('are at a glance on the dashboard, one that is away with when it was seen', async () => {
    await page.goto('/')
    const card = page.getByRole('region', { name: 'Machines' })
    await card.getByText(/^Away: last answer/).waitFor()
    await card.getByText('40 % of the disk was free').waitFor()
    await stopTransitions(page)
    expect(await violationsOf(page)).toEqual([])
    await watched.screenshot('several-machines')
    expect(await overhangsOf(watched, [{ name: 'dashboard', path: '/' }])).toEqual({})
  })

  for (const path of ['/', '/system', '/logs', '/mail'] as const)
    it(`${path} is about the one that is chosen, which its address names`, async () => {
      await page.goto(path)
      const choice = page.getByRole('combobox', { name: 'Machine' })
      await choice.selectOption('two')
      await page.waitForURL(/host=two/)
      expect(await choice.locator('option').allTextContents()).toContain('two (Away)')
      // Nothing of another machine is shown in its place.
      await page
        .getByText(/There is no host "two"/)
        .first()
        .waitFor()
      await choice.selectOption('local')
      await page.waitForURL((url) => !url.searchParams.has('host'))
    })

  it('that do not answer are named on every page', async () => {
    await panel.addAwayHost('four')
    for (const path of ['/', '/accounts'] as const) {
      await page.goto(path)
      const banner = page.getByRole('complementary', { name: 'Machines that do not answer' })
      await banner.getByText(/^four is away: it last answered/).waitFor()
      await banner.getByText(/what the panel knew last/).waitFor()
    }
    await stopTransitions(page)
    expect(await violationsOf(page)).toEqual([])
    expect(await overhangsOf(watched, [{ name: 'away', path: '/accounts' }])).toEqual({})
  })

  it('are chosen from for a new account; by default none is named', async () => {
    const sent: unknown[] = []
    await page.route('**/api/accounts', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      sent.push(route.request().postDataJSON())
      await route.fulfill({
        status: 503,
        json: { ok: false, error: 'No host has room.' },
      })
    })
    await page.goto('/accounts?new=1')
    const drawer = page.getByRole('dialog')
    const choice = drawer.getByLabel('Machine')
    await choice.waitFor()
    expect(await choice.locator('option:checked').textContent()).toBe('Let Berth choose')
    expect(await choice.locator('option[disabled]').allTextContents()).toEqual(['two (Away)'])
    for (const [label, text] of [
      ['Username', 'alice'],
      ['Primary domain', 'alice.example'],
      ['Email', 'a@mail.example'],
      ['Password', 'a long enough password'],
    ] as const)
      await drawer.getByLabel(label, { exact: true }).fill(text)
    await drawer.getByRole('button', { name: 'Create account' }).click()
    await drawer.getByText('No host has room.').waitFor()
    await choice.selectOption('three')
    await drawer.getByRole('button', { name: 'Create account' }).click()
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[0]).not.toHaveProperty('host')
    expect(sent[1]).toMatchObject({ host: 'three' })
  })
})
