import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from '../support/log-in.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('lists', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    for (const name of ['lena', 'otto', 'mira']) await createAccount(page, name)
    for (const [id, db_name] of [
      [1, 'blog'],
      [1, 'shop'],
    ] as const) {
      const database = { account_id: id, db_name, db_password: 'correct horse 9' }
      await callApi(page, 'POST', '/api/databases', database)
    }
    await callApi(page, 'POST', '/api/backups/accounts/1')
    await callApi(page, 'POST', '/api/domains', {
      account_id: 3,
      domain_name: 'shop.mira.example',
      domain_type: 'subdomain',
      document_root: '/home/mira/shop',
    })
    await panel.fill({ accounts: 60, domainsOfEach: 2 })
  })

  const rows = (kind: string) => page.locator(`tr[data-${kind}]`)
  const names = (kind: string) =>
    rows(kind).evaluateAll((all, name) => all.map((it) => it.dataset[name]), kind)
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const select = (name: string) => page.getByLabel(`Select ${name}`, { exact: true }).check()
  const bar = () => page.getByRole('toolbar')
  const report = () => page.getByRole('region', { name: 'Actions on several rows' })
  const heads = () =>
    page
      .locator('thead th')
      .allInnerTexts()
      .then((all) => all.map((text) => text.trim()).filter((text) => text !== ''))

  it('have the columns and choices that the panel promises', async () => {
    await page.goto('/accounts')
    for (const head of ['Username', 'Primary domain', 'Email', 'Plan', 'Status'])
      expect(await heads()).toContain(head)
    await page.getByRole('button', { name: 'Actions for lena' }).click()
    for (const action of ['Suspend', 'Delete'])
      await page.getByRole('menuitem', { name: action, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.goto('/accounts?new=1')
    for (const plan of ['Basic', 'Standard', 'Premium', 'Enterprise'])
      await page.getByRole('dialog').getByText(plan, { exact: true }).waitFor()
    await page.goto('/domains')
    for (const head of ['Domain', 'Type', 'Account', 'SSL', 'Document root'])
      expect(await heads()).toContain(head)
    await page.getByRole('button', { name: 'Add domain' }).click()
    const types = page.getByRole('dialog').getByLabel('Type').locator('option')
    await types.first().waitFor({ state: 'attached' })
    expect(await types.allInnerTexts()).toEqual(['Addon', 'Subdomain', 'Alias'])
    await page.goto('/databases?account=1')
    await page.getByText('MariaDB').first().waitFor()
    expect(await heads()).toEqual(expect.arrayContaining(['Database', 'User', 'Size', 'Tables']))
  })

  it('are paged by the server, and the address says which page', async () => {
    await page.goto('/accounts')
    await page.getByText('1–25 of 63 accounts').waitFor()
    expect(await rows('account').count()).toBe(25)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('26–50 of 63 accounts').waitFor()
    expect(parameter('page')).toBe('2')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('51–63 of 63 accounts').waitFor()
    expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
    await page.goBack()
    await page.getByText('26–50 of 63 accounts').waitFor()
    await page.reload()
    await page.getByText('26–50 of 63 accounts').waitFor()
    await page.getByLabel('Rows per page').selectOption('100')
    await page.getByText('63 of 63 accounts').waitFor()
    expect([parameter('page'), parameter('per_page')]).toEqual([null, '100'])
    await watched.screenshot('lists-accounts-long')
  })

  it('keep order, search and filters in the address: copying, back and forward work', async () => {
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'Primary domain' }).click()
    await expect.poll(() => parameter('sort')).toBe('primary_domain')
    await page.getByRole('button', { name: 'Primary domain' }).click()
    await expect.poll(() => parameter('order')).toBe('desc')
    await expect.poll(async () => (await names('account'))[0]).toBe('u9')
    await page.getByLabel('Filter accounts').fill('u1')
    await page.getByText('11 of 11 accounts').waitFor()
    await page.getByRole('button', { name: 'Status: all' }).click()
    await page.getByRole('menuitem', { name: 'Suspended' }).click()
    await expect.poll(() => names('account')).toEqual(['u10'])
    const copied = page.url()
    await page.goBack()
    await page.getByText('11 of 11 accounts').waitFor()
    expect(await page.getByLabel('Filter accounts').inputValue()).toBe('u1')
    await page.goForward()
    await expect.poll(() => names('account')).toEqual(['u10'])
    await page.goto('/')
    await page.goto(copied)
    expect(await names('account')).toEqual(['u10'])
    await page.getByLabel('Filter accounts').fill('nothing like it')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('1–25 of 63 accounts').waitFor()
    await page.goto('/accounts?page=99&per_page=25')
    await page.getByText('51–63 of 63 accounts').waitFor()
  })

  it('remember the columns that were chosen', async () => {
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Email' }).click()
    await expect.poll(heads).not.toContain('Email')
    await page.keyboard.press('Escape')
    expect(parameter('columns')).toContain('plan')
    await page.goto('/accounts')
    expect(await heads()).not.toContain('Email')
    await page.goto('/accounts?columns=email')
    expect(await heads()).toContain('Email')
    expect(await heads()).not.toContain('Plan')
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Email' }).click()
    await expect.poll(heads).toContain('Email')
    await expect.poll(() => parameter('columns')).toBe(null)
  })

  it('show the shape of rows while a page is slow', async () => {
    await page.goto('/accounts')
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/__data.json*', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.locator('tr[data-loading]').first().waitFor()
    release()
    await page.getByText('26–50 of 63 accounts').waitFor()
    expect(await page.locator('tr[data-loading]').count()).toBe(0)
    await page.unroute('**/__data.json*')
  })

  it('open the detail by a click on a row', async () => {
    await page.goto('/accounts?q=lena')
    await rows('account').locator('td', { hasText: 'Basic' }).last().click()
    await page.getByRole('heading', { name: 'lena', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/accounts/lena')
    await page.goto('/databases?account=1')
    await rows('database').first().locator('td', { hasText: 'localhost' }).click()
    await page.getByRole('dialog', { name: 'Connect to lena_blog' }).waitFor()
    await page.goto('/domains?q=lena')
    await rows('domain').locator('td', { hasText: 'Primary' }).click()
    await page.getByRole('dialog', { name: 'Settings of lena.example' }).waitFor()
    await page.goto('/backups?account=1')
    await rows('backup').locator('td', { hasText: 'Verified' }).click()
    await page.getByRole('dialog', { name: 'Details' }).getByText('SHA-256').waitFor()
  })

  it('go on while one looks at other pages; failures are told and tried again', async () => {
    await panel.breakHost('webServer.apply')
    await page.goto('/domains?q=a.example&domain_type=primary')
    await select('lena.example')
    await select('mira.example')
    await bar().getByText('2 selected').waitFor()
    await watched.screenshot('lists-bulk-bar')
    await bar().getByRole('button', { name: 'Cache off' }).click()
    await page.getByRole('navigation').getByRole('link', { name: /^PHP/ }).click()
    await page.getByRole('heading', { name: 'PHP', level: 1 }).waitFor()
    await report().getByText('2 failed').waitFor()
    const mira = report().locator('[data-failed]', { hasText: 'mira.example' })
    await mira.getByText('The host agent is not reachable').waitFor()
    await watched.screenshot('lists-bulk-failed')
    await panel.mend()
    await report().getByRole('button', { name: 'Try mira.example again' }).click()
    await report().getByText('1 of 2 done').waitFor()
    await report().getByRole('button', { name: 'Try lena.example again' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await report().getByRole('button', { name: 'Close the report' }).click()
    await report().waitFor({ state: 'hidden' })
  })

  it('suspend several accounts with one reason, and unsuspend them', async () => {
    await page.goto('/accounts?q=.example&per_page=100')
    await select('lena')
    await select('otto')
    await bar().getByRole('button', { name: 'Suspend', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Suspend 2 accounts?' })
    await dialog.getByLabel('Reason').fill('unpaid invoice')
    await dialog.getByRole('button', { name: 'Suspend account' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await page.goto('/accounts?status=suspended&q=unpaid')
    expect(await names('account')).toEqual(['lena', 'otto'])
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Unsuspend' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await expect.poll(() => names('account')).toEqual([])
  })

  it('change the plan of several accounts', async () => {
    await page.goto('/accounts?q=a.example')
    await select('lena')
    await select('mira')
    await bar().getByRole('button', { name: 'Change plan' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the plan of 2 accounts' })
    await dialog.getByText('Premium').click()
    await dialog.getByRole('button', { name: 'Change plan' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await expect.poll(() => rows('account').first().innerText()).toContain('Premium')
  })

  it('delete several at once: exact effects, the number is typed', async () => {
    await page.goto('/databases?account=1')
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2 databases?' })
    await dialog.getByText('2 database users').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete 2 databases' })
    await dialog.getByLabel('Type 2 to confirm').fill('3')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 2 to confirm').fill('2')
    await watched.screenshot('lists-bulk-delete')
    await confirm.click()
    await report().getByText('2 of 2 done').waitFor()
    await page.getByText('lena has no databases yet.').waitFor()

    await page.goto('/accounts?q=.example&per_page=100')
    for (const name of ['lena', 'otto']) await select(name)
    await bar().getByRole('button', { name: 'Delete' }).click()
    const accounts = page.getByRole('dialog', { name: 'Delete 2 accounts?' })
    for (const effect of ['2 system users', '2 home directories', '2 domains'])
      await accounts.getByText(effect).waitFor()
    await accounts.getByText('1 backup stays').waitFor()
    await accounts.getByLabel('Type 2 to confirm').fill('2')
    await accounts.getByRole('button', { name: 'Delete 2 accounts' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await expect.poll(() => names('account')).not.toContain('lena')
    await page.getByText('61 of 61 accounts').waitFor()
  })

  it('switch the page cache of several domains, and leave primary ones out of a deletion', async () => {
    await page.goto('/domains?q=mira')
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Cache off' }).click()
    await report().getByText('2 of 2 done').waitFor()
    await page.goto('/domains?q=mira&cache_enabled=false')
    await expect.poll(() => names('domain')).toEqual(['mira.example', 'shop.mira.example'])
    await page.getByLabel('Select all rows of this page').check()
    await bar().getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 left out: primary domains go with their account').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await bar().getByRole('button', { name: 'Clear selection' }).click()
    await bar().waitFor({ state: 'hidden' })
  })

  it('fit phones and tablets, light and dark', async () => {
    const screens = ['accounts', 'domains'].map((name) => ({
      name: `lists-${name}`,
      path: `/${name}`,
      async ready() {
        await page.getByLabel('Select all rows of this page').check()
        await bar().waitFor()
      },
    }))
    expect(await overhangsOf(watched, screens)).toEqual({})
  })

  it('have broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
