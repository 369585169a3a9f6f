import { describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { callApi, createAccount, logInByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { pagesOf, visit } from '../support/screens.ts'
import { seedHost } from '../support/seed-host.ts'
import { seed } from '../support/seed.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

/** What the table at the top of entrance-and-shell.test.ts says of this file. */
describe('the specification of the UI, points 5 to 11', () => {
  panelInBrowser(async () => {
    await seed(page)
    await seedHost(panel)
  })

  const heads = async (index = 0): Promise<string[]> => {
    const cells = page.locator('table').nth(index).locator('thead th')
    await cells.first().waitFor()
    const all = await cells.allInnerTexts()
    const unseen = /^($|Select all|Actions for)/
    return all.map((text) => text.trim()).filter((text) => !unseen.test(text))
  }
  const menuOf = async (row: string): Promise<string[]> => {
    await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    const items = await page.getByRole('menuitem').allInnerTexts()
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
    return items.map((text) => text.split('\n')[0]?.trim() ?? '')
  }
  const dialog = () => page.getByRole('dialog')

  it('5. accounts: columns, badges, actions; the form with its four plans', async () => {
    await page.goto('/accounts')
    const columns = ['Username', 'Primary domain', 'Email', 'Plan', 'Status']
    expect((await heads()).filter((head) => columns.includes(head))).toEqual(columns)
    const row = page.locator('tr[data-account="lena"]')
    for (const text of ['lena', 'lena.example', 'lena@lena.example', 'Standard', 'Active'])
      await row.getByText(text, { exact: true }).last().waitFor()
    await page.locator('tr[data-account="demo01"]').getByText('Suspended').waitFor()
    expect(await menuOf('lena')).toEqual(expect.arrayContaining(['Suspend', 'Delete']))
    expect(await menuOf('demo01')).toEqual(expect.arrayContaining(['Unsuspend', 'Delete']))

    await page.getByRole('button', { name: 'New account' }).first().click()
    for (const label of ['Username', 'Primary domain', 'Email', 'Password'])
      await dialog().getByLabel(label, { exact: true }).waitFor()
    const plans = dialog().getByRole('radiogroup').or(dialog().locator('fieldset'))
    expect((await plans.first().innerText()).match(/Basic|Standard|Premium|Enterprise/g)).toEqual([
      ...['Basic', 'Standard', 'Premium', 'Enterprise'],
    ])
    const sent: unknown[] = []
    await page.route('**/api/accounts', async (route) => {
      sent.push(route.request().postDataJSON().plan)
      await route.fulfill({ status: 409, json: { ok: false, error: 'Not now.' } })
    })
    const name = dialog().getByLabel('Username')
    const fill = async (username: string, password: string) => {
      await name.fill(username)
      await dialog().getByLabel('Password', { exact: true }).fill(password)
      await dialog().getByRole('button', { name: 'Create account' }).click()
    }
    await dialog().getByLabel('Primary domain').fill('mira.example')
    await dialog().getByLabel('Email').fill('post@mira.example')
    // A 17th character cannot be typed.
    await name.fill('a'.repeat(17))
    expect(await name.inputValue()).toBe('a'.repeat(16))
    for (const username of ['mi', 'mi ra', 'mi-ra', 'mirä']) {
      await fill(username, '12345678')
      await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    }
    await fill('mira', '1234567')
    await dialog().getByText('Use at least 8 characters.').waitFor()
    expect(sent).toEqual([])
    for (const plan of ['Basic', 'Standard', 'Premium', 'Enterprise']) {
      await dialog().getByText(plan, { exact: true }).click()
      const answered = page.waitForResponse('**/api/accounts')
      await fill('mira', '12345678')
      await answered
      await dialog().getByRole('button', { name: 'Create account' }).isEnabled()
    }
    expect(sent).toEqual(['free', 'pro', 'business', 'business'])
    await page.unroute('**/api/accounts')
    await page.goto('/accounts')
    await page.getByRole('button', { name: 'Actions for otto', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog().getByText('This cannot be undone').waitFor()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
  })

  it('6. domains: columns, four types, SSL badge, Delete; three types to add', async () => {
    await page.goto('/domains')
    const columns = ['Domain', 'Type', 'Account', 'SSL', 'Document root']
    expect((await heads()).filter((head) => columns.includes(head))).toEqual(columns)
    for (const [domain, type, ssl, root] of [
      ['lena.example', 'Primary', 'Active', '/home/lena/public_html'],
      ['lena-photos.example', 'Addon', 'None', '/home/lena/photos'],
      ['shop.lena.example', 'Subdomain', 'None', '/home/lena/shop'],
      // The certificate does not name it.
      ['www.lena.example', 'Alias', 'None', '/home/lena/public_html'],
    ] as const) {
      const row = page.locator(`tr[data-domain="${domain}"]`)
      for (const text of [domain, type, 'lena', ssl, root])
        await row.getByText(text, { exact: true }).locator('visible=true').first().waitFor()
      expect(await menuOf(domain)).toContain('Delete')
    }
    await page.getByRole('button', { name: 'Add domain' }).click()
    const types = dialog().getByLabel('Type').locator('option')
    await types.first().waitFor({ state: 'attached' })
    expect(await types.allInnerTexts()).toEqual([...['Addon', 'Subdomain', 'Alias']])
    await page.keyboard.press('Escape')
  })

  it('7. certificates: columns, the three badges; Provision takes a domain', async () => {
    const ending = makeCertificate({ names: ['otto-books.example'], days: 20 })
    await callApi(page, 'POST', '/api/ssl/upload', {
      domain: 'otto-books.example',
      certificate: ending.certificate,
      private_key: ending.key,
    })
    await callApi(page, 'POST', '/api/ssl/provision', { domain: 'lena.example', force: true })
    await page.goto('/ssl')
    expect(await heads()).toEqual(['Domain', 'Issuer', 'Issued', 'Expires', 'Status'])
    const row = (domain: string) => page.locator(`tr[data-certificate="${domain}"]`)
    await row('lena.example').getByText('Valid', { exact: true }).waitFor()
    await row('lena.example').getByText('Fake Authority').last().waitFor()
    expect((await row('lena.example').innerText()).match(/\d{4}-\d\d-\d\d/g)).toHaveLength(2)
    await row('otto-books.example').getByText('Expiring soon', { exact: true }).waitFor()
    // Time does not pass here: the API's word for what has expired comes in its place.
    await page.goto('/')
    await page.route('**/ssl/__data.json*', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replaceAll('"expiring_soon"', '"expired"')
      await route.fulfill({ response: answer, body })
    })
    await page.locator('aside').getByRole('link', { name: 'SSL' }).click()
    await row('otto-books.example').getByText('Expired', { exact: true }).waitFor()
    await page.unroute('**/ssl/__data.json*')
    await page.getByRole('button', { name: 'Provision certificate' }).click()
    await dialog().getByLabel('Domain').waitFor()
    await dialog().getByRole('button', { name: 'Provision', exact: true }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('8. files: account selector, breadcrumb, columns, Upload; an editor with Save and Cancel', async () => {
    await page.goto('/files?account=1')
    await page.getByLabel('Account', { exact: true }).selectOption('lena')
    const columns = ['Name', 'Size', 'Modified']
    expect((await heads()).filter((head) => columns.includes(head))).toEqual(columns)
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor()
    await page.getByRole('button', { name: 'public_html', exact: true }).click()
    const crumbs = page.getByRole('navigation', { name: 'Folder' })
    await crumbs.getByRole('link', { name: 'public_html' }).waitFor()
    await crumbs.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('button', { name: 'notes.txt', exact: true }).click()
    await page.getByTestId('code').locator('.cm-content').waitFor()
    for (const name of ['Save', 'Cancel'])
      await page.getByRole('button', { name, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'notes.txt', exact: true }).waitFor()
  })

  it('9. databases: selector, columns, unknown figures, engines; the form and the prefix; Delete', async () => {
    await page.goto('/databases?account=1')
    await page.getByLabel('Account', { exact: true }).selectOption('lena')
    const columns = ['Database', 'User', 'Size', 'Tables']
    expect((await heads()).filter((head) => columns.includes(head))).toEqual(columns)
    await page.getByText('Installed engines').waitFor()
    await page.getByText('MariaDB 10.11.6').waitFor()
    expect(await menuOf('lena_blog')).toContain('Delete')
    await panel.breakHost('databases.facts')
    await page.reload()
    const row = page.locator('tr[data-database="lena_blog"]')
    await expect.poll(() => row.getByText('–', { exact: true }).count()).toBe(2)
    await panel.mend()
    await page.getByRole('button', { name: 'New database' }).click()
    for (const label of ['Database name', 'Database user', 'Password'])
      await dialog().getByLabel(label, { exact: true }).waitFor()
    await dialog().getByLabel('Database name').fill('wiki')
    await dialog().getByText('Becomes lena_wiki').waitFor()
    await dialog().getByLabel('Password', { exact: true }).fill('1234567')
    await dialog().getByRole('button', { name: 'Create database' }).click()
    await dialog().getByText('Use at least 8 characters.').waitFor()
    await dialog().getByLabel('Password', { exact: true }).fill('12345678')
    await dialog().getByRole('button', { name: 'Create database' }).click()
    await page.locator('tr[data-database="lena_wiki"]').waitFor()
  })

  it('10. PHP: versions with binary and Default; per account a choice and Apply', async () => {
    await page.goto('/php')
    expect((await heads()).slice(0, 2)).toEqual(['Version', 'Binary'])
    const installed = page.locator('tr[data-php]')
    expect(await installed.count()).toBe(2)
    expect(await installed.getByText('Default', { exact: true }).count()).toBe(1)
    await installed.getByText('/usr/bin/php8.2').waitFor()
    const choice = page.getByLabel('PHP version of lena').last()
    expect(await choice.locator('option').allInnerTexts()).toEqual(['PHP 8.2', 'PHP 8.1'])
    await page
      .getByRole('button', { name: 'Apply to lena' })
      .filter({ hasText: /^Apply$/ })
      .waitFor()
  })

  it('11. system: specs, memory and disk with bars, load, processes, Restart; Refresh reads all anew', async () => {
    await page.goto('/system')
    await page.getByRole('region', { name: 'Server information' }).getByText('Hostname').waitFor()
    const card = (name: string) => page.getByRole('region', { name, exact: true })
    for (const name of ['Memory', 'Disk']) {
      await card(name)
        .getByText(/^\d+ % used$/)
        .waitFor()
      await card(name).getByRole('meter').or(card(name).getByRole('progressbar')).waitFor()
    }
    const load = (await card('Load average').innerText()).replaceAll(/\s+/g, ' ')
    expect(load).toMatch(/\d\.\d\d · \d+\.\d\d · \d+\.\d\d .*1, 5 and 15 minutes/)
    expect(await card('Processes').innerText()).toMatch(/\d+/)
    await card('Web server').getByRole('button', { name: 'Restart', exact: true }).waitFor()
    const again = page.waitForRequest((request) => request.url().includes('/system/__data.json'))
    const charts = page.waitForRequest((request) => request.url().includes('/api/system/history'))
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await Promise.all([again, charts])
  })

  it('remembers the range of the charts, on System and on the dashboard', async () => {
    const range = (name: string) => page.getByRole('radio', { name, exact: true })
    await page.goto('/system')
    expect(await range('24 h').isChecked()).toBe(true)
    await page.getByText('7 d', { exact: true }).click()
    const asked = page.waitForRequest((request) => request.url().includes('range=7d'))
    await page.locator('aside').getByRole('link', { name: 'Dashboard', exact: true }).click()
    await asked
    expect(await range('7 d').isChecked()).toBe(true)
    await page.goto('/system')
    expect(await range('7 d').isChecked()).toBe(true)
  })

  it('the user of an account has the same screens, with its own things alone', async () => {
    await createAccount(page, 'mira')
    const own = await openPage(browser, panel.origin)
    await logInByApi(own.page, { username: 'mira', password: 'correct horse 9' })
    const screens = (await pagesOf(own.page)).filter(
      ({ path }) => !/lena|account=1|tab=/.test(path),
    )
    expect(screens.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...['/', '/accounts', '/domains', '/ssl', '/php', '/files', '/databases', '/backups'],
        ...['/cache', '/logs', '/settings'],
      ]),
    )
    expect(screens.map(({ path }) => path)).not.toContain('/system')
    for (const { name, path } of screens) {
      // The charts of the host are not for it.
      await visit(own.page, { name, path })
      const text = await own.page.locator('main').innerText()
      expect([path, text.match(/\b(lena|otto|demo01)\b/)]).toEqual([path, null])
    }
    // What others have is not there, even where its address is known.
    for (const path of ['/files?account=1', '/databases?account=1', '/backups?account=1']) {
      await own.page.goto(path)
      expect(await own.page.locator('main').innerText()).not.toMatch(/lena|notes\.txt/)
    }
    for (const path of ['/accounts/lena', '/cache/lena.example']) {
      await own.page.goto(path)
      expect(await own.page.locator('main').innerText()).not.toMatch(/lena@|Standard|pages stored/)
    }
    expect(own.complaints).toEqual([])
    await own.page.context().close()
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
