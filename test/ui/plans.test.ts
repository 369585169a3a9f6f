import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

const LENA = { username: 'lena', password: 'correct horse 9' }

describe('plans and their limits', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
  })

  const row = (name: string) => page.locator(`tr[data-plan="${name}"]`)
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  const onlyEdit = async (name: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Edit'])
  }
  const limit = (what: string, on = page) => on.locator(`[data-limit="${what}"]`)

  it('lists the built-in plans, and makes, changes and deletes another', async () => {
    await page.goto('/settings?tab=plans')
    await row('free').getByText('Built in, free').waitFor()
    expect(await page.locator('tr[data-plan]').count()).toBe(3)
    await onlyEdit('Basic')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New plan' }).click()
    const drawer = page.getByRole('dialog', { name: 'New plan' })
    await drawer.getByLabel('Name', { exact: true }).fill('agency')
    await drawer.getByLabel('Processes and threads').fill('3')
    await drawer.getByRole('button', { name: 'Create plan' }).click()
    await drawer.getByText('Enter a whole number from 25 to 10000.').waitFor()
    await drawer.getByLabel('Processes and threads').fill('75')
    await drawer.getByLabel('Domains').fill('12')
    await drawer.getByRole('button', { name: 'Create plan' }).click()
    await row('agency').waitFor()
    await menu('agency', 'Edit')
    const edit = page.getByRole('dialog', { name: 'Edit agency' })
    await edit.getByLabel('Databases').fill('7')
    await edit.getByRole('button', { name: 'Save plan' }).click()
    await edit.waitFor({ state: 'hidden' })
    expect((await callApi(page, 'GET', '/api/plans/agency')).body).toMatchObject({
      data: { domains_limit: 12, databases_limit: 7, processes_limit: 75 },
    })
    await watched.screenshot('plans')
  })

  it('offers it where an account gets a plan', async () => {
    await page.goto('/accounts/lena')
    await page.getByText('lena.example · Basic').waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Edit lena' })
    await drawer.getByText('12 domains · 7 databases · 512 MB memory').click()
    await watched.screenshot('plans-account-drawer')
    await drawer.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('lena.example · agency').waitFor()
    await page.goto('/accounts?plan=agency')
    await page.locator('tr[data-account="lena"]').getByText('agency').last().waitFor()
    await page.goto('/settings?tab=plans')
    await onlyEdit('agency')
    await callApi(page, 'PATCH', '/api/accounts/1', { plan: 'free' })
    await page.reload()
    await menu('agency', 'Delete')
    await page.getByLabel('Type agency to confirm').fill('agency')
    await page.getByRole('button', { name: 'Delete plan' }).click()
    await row('agency').waitFor({ state: 'detached' })
  })

  it('shows what of a plan is taken wherever it binds, and when nothing is left', async () => {
    await callApi(page, 'PATCH', '/api/plans/free', {
      domains_limit: 3,
      databases_limit: 1,
      tokens_limit: 2,
    })
    const database = { account_id: 1, db_name: 'blog', db_password: 'correct horse 9' }
    await callApi(page, 'POST', '/api/databases', database)
    await page.goto('/accounts/lena')
    const card = page.getByRole('region', { name: 'Limits of the plan' })
    await card.getByText('1 of 3').waitFor()
    await card.getByText('512 MB').waitFor()
    await watched.screenshot('plans-account-page')
    await page.goto('/databases?account=1')
    await limit('databases').getByText('1 of 1 database').waitFor()
    await limit('databases').getByText('Administrators may add more.').waitFor()
    await page.goto('/backups?account=1')
    await limit('backups').getByText('0 of 5 backups').waitFor()
    const { page: own, complaints, screenshot } = await openPage(browser, panel.origin)
    await logInByApi(own, LENA)
    await own.goto('/domains')
    await limit('domains', own).getByText('1 of 3 domains').waitFor()
    await own.goto('/settings?tab=tokens')
    await limit('tokens', own).getByText('0 of 2 API tokens').waitFor()
    await own.goto('/databases')
    await limit('databases', own).getByText('No room left').waitFor()
    await screenshot('plans-own-databases')
    await own.getByRole('button', { name: 'New database' }).click()
    const drawer = own.getByRole('dialog')
    await drawer.getByLabel('Database name').fill('shop')
    await drawer.getByLabel('Password', { exact: true }).fill('correct horse 9')
    await drawer.getByRole('button', { name: 'Create database' }).click()
    await drawer.getByText('has 1 of the 1 databases that its plan free allows').waitFor()
    expect(complaints).toEqual([])
  })

  it('fits every size, in both themes', async () => {
    const screens = [
      { name: 'plans', path: '/settings?tab=plans' },
      {
        name: 'plans-drawer',
        path: '/settings?tab=plans',
        ready: async (on: Page) => {
          const dialog = on.getByRole('dialog')
          if ((await dialog.count()) === 0)
            await on.getByRole('button', { name: 'New plan' }).click()
          await dialog.waitFor()
        },
      },
      { name: 'plans-account', path: '/accounts/lena' },
      { name: 'plans-databases', path: '/databases?account=1' },
    ]
    expect(await overhangsOf(watched, screens)).toEqual({})
    expect(watched.complaints).toEqual([])
  })
})
