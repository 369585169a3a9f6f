import { describe, expect, it } from 'vitest'
import { foundWordpress } from '#test/fakes/wordpress/fake-wordpress.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

describe('WordPress installations', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
  })
  const row = (name: string) => page.locator(`tr[data-wordpress="${name}"]`)

  it('says so where there is none', async () => {
    await page.goto('/wordpress?account=2')
    await page.getByText('No WordPress in the sites of otto yet.').waitFor()
  })

  it('shows them with their versions, and what is outdated', async () => {
    const shop = { ...foundWordpress('lena.example'), path: 'public_html/shop', directory: 'shop' }
    await panel.setWordpress('lena', foundWordpress('lena.example', '6.1.1'), shop)
    await page.goto('/wordpress?account=1')
    await row('lena.example').getByText('Outdated').waitFor()
    await row('lena.example').getByText('6.1.1').waitFor()
    await row('lena.example/shop').getByText('Up to date').waitFor()
    await watched.screenshot('wordpress')
    await page.goto('/wordpress?account=1&outdated=false')
    await row('lena.example/shop').waitFor()
    expect(await row('lena.example').count()).toBe(0)
  })

  it('is updated to the version that is chosen', async () => {
    await page.goto('/wordpress?account=1')
    await row('lena.example')
      .getByRole('button', { name: 'Actions for lena.example', exact: true })
      .click()
    await page.getByRole('menuitem', { name: 'Update to another version' }).click()
    const form = page.getByRole('dialog', { name: 'Update WordPress' })
    await form.getByText('A backup is made before.').waitFor()
    const choice = form.getByLabel('Version')
    expect(await choice.locator('option').allTextContents()).toEqual([
      '6.1.6 (on this server)',
      '6.1.5 (archive on this server)',
    ])
    await choice.selectOption('6.1.5')
    await watched.screenshot('wordpress-update')
    await form.getByRole('button', { name: 'Update', exact: true }).click()
    await page.getByText('lena.example is being updated, after a backup').waitFor()
    await panel.setWordpress('lena', foundWordpress('lena.example', '6.1.1'))
  })

  it('shows plugins and themes of one', async () => {
    const one = foundWordpress('lena.example')
    const plugins = [{ ...one.plugins[0]!, name: '<b>Akismet</b>', version: '4.0' }]
    await panel.setWordpress('lena', { ...one, plugins })
    await page.goto('/wordpress?account=1')
    await row('lena.example').getByRole('button', { name: 'lena.example', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'WordPress of lena.example' })
    const plugin = drawer.locator('[data-extension="akismet"]')
    await plugin.getByText('<b>Akismet</b>').waitFor()
    await plugin.getByText('5.0.1 is there').waitFor()
    await drawer.locator('[data-extension="old"]').getByText('1.0').waitFor()
    await watched.screenshot('wordpress-details')
    await drawer.getByRole('button', { name: 'Close' }).last().click()
  })

  it('installs one, with the progress of a job, and says where it is', async () => {
    await page.goto('/wordpress?account=2')
    await page.getByRole('button', { name: 'Install WordPress' }).click()
    const form = page.getByRole('dialog', { name: 'Install WordPress' })
    await form.getByLabel('Folder').fill('blog')
    await form.getByText('It will be at otto.example/blog/').waitFor()
    await form.getByRole('button', { name: 'Install', exact: true }).click()
    await form.getByText('Fill in this field.').first().waitFor()
    await form.getByLabel('Title').fill("Otto's <blog>")
    await form.getByLabel('Administrator of the site').fill('otto')
    await form.getByLabel('Email of the administrator').fill('otto@mail.example')
    await form.getByLabel('Password of the administrator').fill('a long password')
    await form.getByLabel('Language').selectOption('de_DE')
    await watched.screenshot('wordpress-install')
    await form.getByRole('button', { name: 'Install', exact: true }).click()
    await page.getByText('WordPress is at http://otto.example/blog/').waitFor()
    await row('otto.example/blog').waitFor()
    const { body } = await callApi(page, 'GET', '/api/databases/2')
    expect((body as unknown as { data: unknown[] }).data).toMatchObject([{ database: 'otto_wp' }])
  })

  it('opens the administration in a window of its own', async () => {
    await page.goto('/wordpress?account=2')
    const opened = page.context().waitForEvent('page')
    const asked = page.waitForResponse(/\/login$/)
    await page.getByRole('button', { name: 'Actions for otto.example/blog' }).click()
    await page.getByRole('menuitem', { name: 'Log in to WordPress' }).click()
    const { data } = (await (await asked).json()) as { data: { url: string; user: string } }
    expect(data).toEqual({
      url: 'http://otto.example/.well-known/berth-login#ticket-1',
      user: 'chief',
    })
    await (await opened).close()
  })

  it('says why the administration cannot be opened', async () => {
    await panel.breakHost('wordpressLogin.administrators', 'The site does not answer.')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Actions for otto.example/blog' }).click()
    await page.getByRole('menuitem', { name: 'Log in to WordPress' }).click()
    await page.getByText('The site does not answer.').waitFor()
    await opened
    await panel.mend()
  })

  const act = async (item: string) => {
    await page.goto('/wordpress?account=2')
    await page.getByRole('button', { name: 'Actions for otto.example/blog' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }

  it('sets what is due to a cron job, and shows what of the core was changed', async () => {
    await act('Settings and check')
    const drawer = page.getByRole('dialog', { name: 'Settings of otto.example/blog' })
    await drawer.getByLabel('Run what is due by a cron job').check({ force: true })
    await page.getByText('Settings saved').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cron/2')
    expect((body as unknown as { data: unknown[] }).data).toMatchObject([
      { command: ['php', 'public_html/blog/wp-cron.php'] },
    ])
    await drawer.getByRole('button', { name: 'Check the core' }).click()
    await drawer.locator('[data-integrity="false"]').getByText('wp-login.php').waitFor()
    await watched.screenshot('wordpress-care')
    await drawer.getByRole('button', { name: 'Close' }).last().click()
  })

  it('sets a password of an administrator', async () => {
    await act('New password')
    const form = page.getByRole('dialog', { name: 'New password of the administrator' })
    await form.getByLabel('New password').fill('a long password')
    await form.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('chief has a new password').waitFor()
  })

  it('counts and replaces an address', async () => {
    await act('Change address')
    const form = page.getByRole('dialog', { name: 'Change address' })
    await form.getByLabel('New address').fill('https://otto.example/blog')
    await form.getByLabel('Only count what would be replaced').check({ force: true })
    await form.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('It stands there 4 times in 3 rows').waitFor()
  })

  it('makes a staging copy, which is told from the site', async () => {
    await act('Make a staging copy')
    const form = page.getByRole('dialog', { name: 'Make a staging copy' })
    expect(await form.getByLabel('Domain of the copy').inputValue()).toBe('staging.otto.example')
    await watched.screenshot('wordpress-staging')
    await form.getByRole('button', { name: 'Make copy' }).click()
    await page.getByText('The copy is at http://staging.otto.example/').waitFor()
    await row('staging.otto.example').getByText('Staging copy').waitFor()
    expect(await row('otto.example/blog').getByText('Staging copy').count()).toBe(0)
  })

  it('pushes chosen tables back, and refuses to push nothing', async () => {
    await page.goto('/wordpress?account=2')
    await page.getByRole('button', { name: 'Actions for staging.otto.example' }).click()
    await page.getByRole('menuitem', { name: 'Push back to the site' }).click()
    const form = page.getByRole('dialog', { name: 'Push back to the site' })
    await form.getByText('the site in public_html/blog has').waitFor()
    await form.getByLabel('Files').uncheck({ force: true })
    await form.getByLabel('Only some tables').check({ force: true })
    await form.getByLabel('wp_options').waitFor()
    await form.getByRole('button', { name: 'Push back' }).click()
    await form.getByText('Choose a table.').waitFor()
    await form.getByLabel('wp_posts').check()
    await watched.screenshot('wordpress-push')
    await form.getByRole('button', { name: 'Push back' }).click()
    await page.getByText('http://otto.example/blog/ has what the copy has').waitFor()
  })

  it('clones it to another account', async () => {
    await act('Clone to another account')
    const form = page.getByRole('dialog', { name: 'Clone to another account' })
    await form.getByLabel('Account').selectOption('lena')
    await form.getByLabel('Domain of the copy').fill('blog.lena.example')
    await form.getByRole('button', { name: 'Clone' }).click()
    await page.getByText('The copy is at http://blog.lena.example/').waitFor()
  })

  it('updates the plugins and themes that are chosen, and says what became of each', async () => {
    const one = { ...foundWordpress('otto.example'), path: 'public_html/blog', directory: 'blog' }
    const plugin = (slug: string, name: string) => ({
      ...{ slug, name, version: '1.0', newest: '1.1' },
    })
    const plugins = [
      plugin('shop', '<b>Shop</b>'),
      plugin('forms', 'Forms'),
      plugin('maps', 'Maps'),
    ]
    await panel.setWordpress('otto', { ...one, plugins })
    await act('Update plugins and themes')
    const drawer = page.getByRole('dialog', { name: 'Plugins and themes of otto.example/blog' })
    await drawer.locator('[data-update="plugin shop"]').getByText('1.0 → 1.1').waitFor()
    await drawer.getByText('As WordPress found when it asked last.').waitFor()
    await drawer.getByRole('button', { name: 'Look for newer versions' }).click()
    await drawer.getByText('As WordPress found when it asked last.').waitFor({ state: 'hidden' })
    await drawer.locator('[data-update="plugin maps"] input').uncheck()
    await watched.screenshot('wordpress-updates')
    await drawer.getByRole('button', { name: 'Update 2' }).click()
    await drawer.locator('[data-result="shop"]').getByText('shop has version 1.1').waitFor()
    await page.getByText('2 parts of otto.example/blog were updated').waitFor()
    await drawer.locator('[data-update="plugin maps"]').waitFor()
    expect(await drawer.locator('[data-update]').count()).toBe(1)
    await panel.breakHost('wordpressExtensions.exchange', 'The host is away.')
    await drawer.locator('[data-update="plugin maps"] input').check()
    await drawer.getByRole('button', { name: 'Update 1' }).click()
    await page.getByText('The host is away.').first().waitFor()
    await panel.mend()
    await drawer.getByRole('button', { name: 'Close' }).last().click()
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const screens = [
      { name: 'wordpress', path: '/wordpress?account=1' },
      { name: 'wordpress-none', path: '/wordpress?account=2' },
    ]
    expect(await overhangsOf(sized, screens)).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })
})
