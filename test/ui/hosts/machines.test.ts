import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { stopTransitions } from '../support/looks/stop-transitions.ts'
import { setUpByApi } from '../support/log-in.ts'
import { page, panelInBrowser, watched } from '../support/panel-in-browser.ts'
import { settle } from '../support/screens.ts'

/** Nothing that axe finds, in both themes. */
const look = async (): Promise<void> => {
  await stopTransitions(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settle(page)
    expect(await violationsOf(page)).toEqual([])
  }
}

describe('machines', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
  })

  it('are listed, weighed, closed and opened; one is added by its name and address', async () => {
    await page.goto('/settings?tab=hosts')
    const row = page.locator('tr[data-host]').filter({ hasText: 'local' })
    await row.getByText('The machine of the panel').waitFor()
    await look()
    await watched.screenshot('hosts')
    expect(await overhangsOf(watched, [{ name: 'hosts', path: '/settings?tab=hosts' }])).toEqual({})

    const choose = async (action: string): Promise<void> => {
      await row.getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await choose('Change weight')
    const weight = page.getByRole('dialog', { name: 'Weight of local' })
    await weight.getByLabel('Weight').fill('0')
    await weight.getByRole('button', { name: 'Save weight' }).click()
    await weight.getByText('Enter a whole number from 1 to 1000.').waitFor()
    await weight.getByLabel('Weight').fill('3')
    await weight.getByRole('button', { name: 'Save weight' }).click()
    await page.getByText('Weight of local saved').waitFor()
    await choose('Close to new accounts')
    await row.getByText('Closed', { exact: true }).waitFor()
    await choose('Open')
    await row.getByText('Open', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Add machine' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Add a machine' })
    await drawer.getByLabel('Name').fill('Two')
    await drawer.getByRole('button', { name: 'Add machine' }).click()
    await drawer.getByText('a hyphen is not first').waitFor()
    await look()
    await watched.screenshot('host-drawer')
    await drawer.getByLabel('Name').fill('two')
    await drawer.getByLabel('Address').fill('192.0.2.10')
    await drawer.getByLabel('What it is for').selectOption('It stands before the others')
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    await drawer.getByRole('button', { name: 'Add machine' }).click()
    expect((await asked).postDataJSON()).toEqual({
      ...{ name: 'two', address: '192.0.2.10', role: 'front' },
    })
    // The panel of these tests has no links.
    await drawer.getByText('This panel reaches no other machines.').waitFor()
  })
})
