import { describe, expect, it } from 'vitest'
import { watchLitRows } from './support/lit-rows.ts'
import { callApi, createAccount, setUpByApi } from './support/log-in.ts'
import { page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('accounts', () => {
  panelInBrowser(() => setUpByApi(page))

  const row = (name: string) => page.locator(`tr[data-account="${name}"]`)
  const drawer = () => page.getByRole('dialog', { name: 'New account' })
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  it('invites to create the first one', async () => {
    await page.goto('/accounts')
    await page.getByText('No accounts yet.').waitFor()
    await watched.screenshot('accounts-empty')
  })

  it('says at each field what is wrong, then shows the message of the API there', async () => {
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'New account' }).first().click()
    await drawer().getByRole('button', { name: 'Create account' }).click()
    await drawer().getByText('Use 3-16 letters and digits').waitFor()
    await drawer().getByText('Enter a full domain name').waitFor()
    await drawer().getByText('Enter an email address').waitFor()
    await drawer().getByText('Use at least 8 characters.').waitFor()
    await drawer().getByLabel('Username').fill('root')
    await drawer().getByLabel('Primary domain').fill('mira example')
    await drawer().getByText('A domain name has no spaces, e.g. mira.example').waitFor()
    await watched.screenshot('accounts-validation')
    await drawer().getByLabel('Primary domain').fill('mira.example')
    await drawer().getByLabel('Email').fill('mira@mira.example')
    await drawer().getByRole('button', { name: 'Generate' }).click()
    expect(await drawer().getByLabel('Password', { exact: true }).inputValue()).toHaveLength(20)
    await drawer().getByRole('button', { name: 'Create account' }).click()
    await drawer().getByText('username "root" is reserved by the system').waitFor()
    const username = drawer().getByLabel('Username')
    expect(await username.getAttribute('aria-invalid')).toBe('true')
    expect(await username.evaluate((it) => it === document.activeElement)).toBe(true)
  })

  it('closes by Escape, backdrop and Cancel, and keeps the focus inside', async () => {
    await page.goto('/accounts')
    const open = page.getByRole('button', { name: 'New account' }).first()
    const close = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(300, 500),
      () => drawer().getByRole('button', { name: 'Cancel' }).click(),
    ]
    for (const one of close) {
      await open.click()
      await drawer().waitFor()
      await one()
      await drawer().waitFor({ state: 'hidden' })
    }
    await open.focus()
    await page.keyboard.press('Enter')
    await drawer().waitFor()
    for (let step = 0; step < 14; step++) {
      await page.keyboard.press('Tab')
      expect(await drawer().evaluate((it) => it.contains(document.activeElement))).toBe(true)
    }
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'hidden' })
    expect(await open.evaluate((it) => it === document.activeElement)).toBe(true)
  })

  it('creates one that is then in the table', async () => {
    await page.goto('/accounts')
    const lit = await watchLitRows(page)
    await page.getByRole('button', { name: 'New account' }).first().click()
    await drawer().getByLabel('Username').fill('mira')
    await drawer().getByLabel('Primary domain').fill('mira.example')
    await drawer().getByLabel('Email').fill('post@mira.example')
    await drawer().getByLabel('Password', { exact: true }).fill('correct horse 9')
    await drawer().getByText('Enterprise').click()
    await drawer().getByRole('button', { name: 'Create account' }).click()
    await row('mira').waitFor()
    await expect.poll(lit).toEqual(['mira'])
    await page.getByText('Account mira created').waitFor()
    const cells = await row('mira').innerText()
    for (const text of ['mira.example', 'post@mira.example', 'Enterprise', 'Active'])
      expect(cells).toContain(text)
    const { body } = await callApi(page, 'GET', '/api/accounts')
    expect(body).toMatchObject({
      data: [{ plan: 'business', disk_quota_mb: 500_000, bandwidth_quota_mb: 10_000_000 }],
    })
    await watched.screenshot('accounts-created')
  })

  it('suspends with a reason and unsuspends', async () => {
    await page.goto('/accounts')
    await menu('mira', 'Suspend')
    const dialog = page.getByRole('dialog', { name: 'Suspend mira?' })
    await dialog.getByLabel('Reason').fill('unpaid invoice')
    await dialog.getByRole('button', { name: 'Suspend account' }).click()
    await row('mira').getByText('Suspended').waitFor()
    await row('mira').getByText('unpaid invoice').waitFor()
    await watched.screenshot('accounts-suspended')
    await menu('mira', 'Unsuspend')
    await row('mira').getByText('Active').waitFor()
    expect(await row('mira').getByText('unpaid invoice').count()).toBe(0)
  })

  it('filters and sorts', async () => {
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    await page.goto('/accounts')
    const names = () =>
      page
        .locator('tr[data-account]')
        .evaluateAll((rows) => rows.map((it) => it.dataset['account']))
    expect(await names()).toEqual(['lena', 'mira', 'otto'])
    await page.getByRole('button', { name: 'Username' }).click()
    await expect.poll(names).toEqual(['otto', 'mira', 'lena'])
    await page.getByRole('button', { name: 'Plan', exact: true }).first().click()
    await page.getByRole('menuitem', { name: 'Standard' }).click()
    await expect.poll(names).toEqual(['lena'])
    await page.getByLabel('Filter accounts').fill('nothing like it')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await expect.poll(names).toHaveLength(3)
    await page.goto('/accounts?q=ott')
    expect(await names()).toEqual(['otto'])
  })

  it('names the limit of the tier in the words of the API', async () => {
    await createAccount(page, 'fourth')
    await createAccount(page, 'fifth')
    await page.goto('/accounts?new=1')
    await drawer().getByText('0 of 5 left on Community').waitFor()
    await drawer().getByLabel('Username').fill('sixth')
    await drawer().getByLabel('Primary domain').fill('sixth.example')
    await drawer().getByLabel('Email').fill('post@sixth.example')
    await drawer().getByLabel('Password', { exact: true }).fill('correct horse 9')
    await drawer().getByRole('button', { name: 'Create account' }).click()
    await drawer().getByRole('alert').getByText('Account limit reached (5/5).').waitFor()
  })

  it('deletes after the name was typed, and says what goes', async () => {
    await callApi(page, 'POST', '/api/databases', {
      account_id: 1,
      db_name: 'blog',
      db_password: 'correct horse 9',
    })
    await page.goto('/accounts')
    await menu('mira', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete mira?' })
    await dialog.getByText('1 domain').waitFor()
    await dialog.getByText('1 database').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete account' })
    await dialog.getByLabel('Type mira to confirm').fill('mir')
    expect(await confirm.isDisabled()).toBe(true)
    await watched.screenshot('accounts-delete')
    await dialog.getByLabel('Type mira to confirm').fill('mira')
    await confirm.click()
    await row('mira').waitFor({ state: 'detached' })
    await page.getByText('Account mira deleted').waitFor()
  })

  it('shows failures of the host where they belong', async () => {
    await panel.breakHost('users.create')
    await callApi(page, 'DELETE', '/api/accounts/2')
    await page.goto('/accounts?new=1')
    await drawer().getByLabel('Username').fill('late')
    await drawer().getByLabel('Primary domain').fill('late.example')
    await drawer().getByLabel('Email').fill('post@late.example')
    await drawer().getByLabel('Password', { exact: true }).fill('correct horse 9')
    await drawer().getByRole('button', { name: 'Create account' }).click()
    await drawer().getByRole('alert').getByText('The host agent is not reachable').waitFor()
    await panel.mend()
  })

  it('gives the focus back to what opened a drawer, and to the row that was made or changed', async () => {
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement
        return at?.getAttribute('aria-label') ?? at?.textContent?.trim() ?? ''
      })
    await createAccount(page, 'focus1')
    const form = () => page.getByRole('dialog')
    await page.goto('/accounts')
    const actions = page.getByRole('button', { name: 'Actions for focus1' })
    await actions.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
    await form().waitFor()
    await page.keyboard.press('Escape')
    await form().waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('Actions for focus1')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
    await form().getByLabel('Email').fill('other@focus1.example')
    await page.keyboard.press('Enter')
    await form().waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('focus1')
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
