import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { overhangsOf } from './support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('the page cache', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    await createAccount(page, 'demo01')
    await callApi(page, 'POST', '/api/domains', {
      account_id: 1,
      domain_name: 'lena-photos.example',
      domain_type: 'alias',
      document_root: '/home/lena/public_html',
    })
    await callApi(page, 'PATCH', '/api/cache/demo01.example', { enabled: false })
    await panel.fillCache()
  })

  it('lists the sites with what the cache does for them, and leads to each', async () => {
    await page.goto('/')
    await page.locator('aside').getByRole('link', { name: 'Cache' }).click()
    const row = page.locator('tr[data-cache="lena.example"]')
    await row.getByText('lena-photos.example').waitFor()
    await row.getByRole('meter', { name: 'Hit rate of lena.example' }).waitFor()
    await row.getByText('Enabled').waitFor()
    await page.locator('tr[data-cache="demo01.example"]').getByText('Off').last().waitFor()
    await page.getByRole('region', { name: 'Stored pages' }).waitFor()
    await page.getByLabel('Filter domains').fill('photos')
    expect(await page.locator('tr[data-cache]').count()).toBe(1)
    await row.getByRole('link', { name: 'lena.example' }).click()
    await page.getByRole('heading', { level: 1, name: 'lena.example' }).waitFor()
    await page.getByRole('img', { name: /^Last 24 hours/ }).waitFor()
    await page.locator('[data-reason="cookie"]').getByText('Visitor with a session').waitFor()
  })

  it('purges by path, by tag and all, and says how many pages went', async () => {
    await page.goto('/cache/lena.example')
    const card = page.getByRole('region', { name: 'Purge' })
    const submit = card.getByRole('button', { name: 'Purge' })
    await submit.click()
    await card.getByText('Enter at least one line.').waitFor()
    await card.getByLabel('Paths').fill('/blog/1\n/blog/2\n')
    await submit.click()
    await card.getByText('2 pages purged').waitFor()
    await card.getByLabel('Paths').fill('/blog?x=1')
    await submit.click()
    await card.getByText('must not hold a query').waitFor()
    await card.getByText('By tag').click()
    await card.getByLabel('Tags').fill('blog')
    await submit.click()
    await card.getByText('38 pages purged').waitFor()
    await card.getByText('All pages').click()
    await submit.click()
    await card.getByText('Nothing of that was stored').waitFor()
  })

  it('warms pages as a job and tells what became of them', async () => {
    await page.goto('/cache/lena.example')
    const card = page.getByRole('region', { name: 'Warm' })
    await card.getByLabel('Further pages').fill('/blog/1\nhttp://otto.example/x')
    await card.getByRole('button', { name: 'Warm pages' }).click()
    await card.getByText('2 pages warmed, 1 not of this site').waitFor()
    await card.getByText('Pages that were not warmed').click()
    await card.getByText('http://otto.example/x', { exact: true }).waitFor()
    await page.getByTestId('job-pill').click()
    await page.locator('[data-job]').getByText('Warm pages').first().waitFor()
  })

  it('changes rules in a drawer that does not lose what was typed', async () => {
    await page.goto('/cache/lena.example')
    await page.getByRole('button', { name: 'Rules' }).click()
    const drawer = page.getByRole('dialog', { name: 'Cache rules of lena.example' })
    await drawer.getByLabel('Time to live, seconds').fill('ten')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button').first().click()
    await drawer.getByRole('button', { name: 'Save rules' }).click()
    await drawer.getByText('Enter a whole number of seconds').waitFor()
    await drawer.getByLabel('Time to live, seconds').fill('600')
    await drawer.getByText('Own list of cookies').click()
    await drawer.getByLabel('Cookies that pass the cache by').fill('a;b')
    await drawer.getByRole('button', { name: 'Save rules' }).click()
    await drawer.getByText('must hold names of cookies').waitFor()
    const cookies = drawer.getByLabel('Cookies that pass the cache by')
    expect(await cookies.getAttribute('aria-invalid')).toBe('true')
    await watched.screenshot('cache-rules')
    await drawer.getByLabel('Cookies that pass the cache by').fill('member')
    await drawer.getByLabel('Pages for phones').selectOption('on')
    await drawer.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('Cache rules of lena.example saved').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cache/lena.example')
    expect(body).toMatchObject({
      data: { rules: { ttl: 600, bypass_cookies: ['member'], mobile_variant: true } },
    })
  })

  it('says why visitors are not served, and lets cookies be judged by one click', async () => {
    await page.goto('/cache/lena.example')
    const reasons = page.getByRole('region', { name: 'Not served from the cache' })
    await reasons.getByRole('meter', { name: 'Share: Visitor with a session' }).waitFor()
    await reasons.getByText('160,000 requests for images', { exact: false }).waitFor()
    expect(await reasons.locator('[data-reason="content-type"]').count()).toBe(0)
    const missed = page.getByRole('region', { name: 'Pages most often missed' })
    await missed.locator('[data-missed="/shop/basket"]').getByText('Page sets a cookie').waitFor()
    const cookies = page.getByRole('region', { name: 'Cookies in the way' })
    const saved = async (): Promise<unknown> =>
      (await callApi(page, 'GET', '/api/cache/lena.example')).body
    // The rules of the test before stand in place of the built-in list.
    await cookies.getByText('has its own list of cookies').waitFor()
    await callApi(page, 'PATCH', '/api/cache/lena.example', { bypass_cookies: null })
    await page.reload()
    await cookies.getByRole('button', { name: 'theme_session is harmless', exact: false }).click()
    await page.getByText('theme_session no longer keeps anybody from the cache').waitFor()
    await cookies.getByRole('button', { name: 'member_id is a session', exact: false }).click()
    await page.getByText('Whoever has member_id gets no page from the cache').waitFor()
    await cookies.locator('[data-said="member_id"]').getByText('Session').waitFor()
    const rules = {
      harmless_cookies: ['theme_session'],
      session_cookies: ['member_id'],
      bypass_cookies: null,
    }
    expect(await saved()).toMatchObject({ data: { rules } })
    await cookies.locator('[data-learned="basket"]').waitFor()
    await watched.screenshot('cache-insight')
    await cookies.getByRole('button', { name: 'Forget that this site sets basket' }).click()
    await page.getByText('basket is forgotten until this site sets it again').waitFor()
    await cookies.locator('[data-learned="basket"]').waitFor({ state: 'detached' })
    expect(await saved()).toMatchObject({
      data: { insight: { learned_cookies: ['member_id'] } },
    })
    await cookies.getByRole('button', { name: 'Judge theme_session as usual again' }).click()
    await page.getByText('theme_session is judged as usual').waitFor()
    const left = { harmless_cookies: [], session_cookies: ['member_id'] }
    expect(await saved()).toMatchObject({ data: { rules: left } })
  })

  it('asks before a cookie by which the application knows its visitors counts as harmless', async () => {
    await page.goto('/cache/lena.example')
    const cookies = page.getByRole('region', { name: 'Cookies in the way' })
    const button = cookies.getByRole('button', { name: /^wordpress_logged_in_\w+ is harmless/ })
    const saved = async (): Promise<unknown> =>
      (await callApi(page, 'GET', '/api/cache/lena.example')).body
    const dialog = page.getByRole('dialog', { name: /^Count wordpress_logged_in_\w+ as harmless/ })
    await button.click()
    await dialog.getByText('WordPress knows its visitors by this cookie').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await saved()).toMatchObject({ data: { rules: { harmless_cookies: [] } } })
    await button.click()
    await dialog.getByRole('button', { name: 'Count as harmless' }).click()
    await page.getByText(/^wordpress_logged_in_\w+ no longer keeps anybody/).waitFor()
    const chosen = ['wordpress_logged_in_5f4dcc3b5aa765d61d8327deb882cf99']
    expect(await saved()).toMatchObject({ data: { rules: { harmless_cookies: chosen } } })
    await callApi(page, 'PATCH', '/api/cache/lena.example', { harmless_cookies: [] })
  })

  it('serves links with click ids by one click, and takes it back', async () => {
    await page.goto('/cache/lena.example')
    const card = page.getByRole('region', { name: 'Links with click ids' })
    await card.getByText('3,200 requests carried nothing else').waitFor()
    await card.getByRole('button', { name: 'Serve them from the cache' }).click()
    await card.getByText('They are served from the cache.').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cache/lena.example')
    expect(body).toMatchObject({ data: { rules: { ignore_params: ['utm_*', 'fbclid', 'gclid'] } } })
    await card.getByRole('button', { name: 'No longer serve them' }).click()
    await card.getByRole('button', { name: 'Serve them from the cache' }).waitFor()
    const after = await callApi(page, 'GET', '/api/cache/lena.example')
    expect(after.body).toMatchObject({ data: { rules: { ignore_params: null } } })
  })

  it('shows the processor time of the site and of its account', async () => {
    await page.goto('/cache/lena.example')
    const card = page.getByRole('region', { name: 'Processor time' })
    await card.getByRole('heading', { name: 'Web server for this site' }).waitFor()
    await card
      .getByRole('heading', { name: 'PHP and programs of the account, for all of its sites' })
      .waitFor()
    await card.getByText('In the last hour: web server 0.73 s, account 41.25 s').waitFor()
  })

  it('shows the application, which can be chosen, and who purged what', async () => {
    await page.goto('/cache/lena.example')
    const card = page.getByRole('region', { name: 'Application' })
    const select = card.getByLabel('Application of this site')
    const save = card.getByRole('button', { name: 'Save application' })
    expect(await select.locator('option:checked').textContent()).toBe('Recognised: WordPress')
    expect(await save.isDisabled()).toBe(true)
    await select.selectOption({ label: 'DokuWiki' })
    await save.click()
    await page.getByText('Application saved').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cache/lena.example')
    expect(body).toMatchObject({ data: { rules: { application: 'dokuwiki' } } })
    await select.selectOption({ label: 'None' })
    await save.click()
    await expect.poll(() => save.isDisabled()).toBe(true)
    const purges = page.getByRole('region', { name: 'Last purges' })
    await purges.getByText('in the panel').first().waitFor()
    await purges.getByText('/blog/1, /blog/2').waitFor()
  })

  it('says that a site varies, and is filled by neutral requests where that is chosen', async () => {
    await page.goto('/cache/otto.example')
    const told = page.getByText('differ by language without saying so (seen at /blog, 3 hours ago)')
    await told.waitFor()
    await page.getByRole('button', { name: 'Rules' }).click()
    const drawer = page.getByRole('dialog', { name: 'Cache rules of otto.example' })
    await drawer.getByLabel('Who fills pages').selectOption('neutral')
    await drawer.getByText('costs a second run').waitFor()
    await drawer.getByLabel('Harmless cookies').fill('theme\nlang')
    await drawer.getByRole('button', { name: 'Save rules' }).click()
    await page.getByText('Cache rules of otto.example saved').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cache/otto.example')
    expect(body).toMatchObject({
      data: { rules: { fills: 'neutral', harmless_cookies: ['theme', 'lang'] } },
    })
    // What the owner chose needs no reason.
    await told.waitFor({ state: 'detached' })
  })

  it('is purged from the files and from the list of domains', async () => {
    await page.goto('/files?account=1')
    await page.getByRole('button', { name: 'New folder' }).waitFor()
    expect(await page.getByRole('button', { name: 'Purge cache' }).count()).toBe(0)
    await page.goto('/files?account=1&path=public_html')
    await page.getByRole('button', { name: 'Purge cache' }).click()
    const modal = page.getByRole('dialog', { name: 'Purge stored pages?' })
    await modal.getByText('All stored pages of lena.example go').waitFor()
    await modal.getByRole('button', { name: 'Purge' }).click()
    await page.getByText('Pages of lena.example were purged').waitFor()
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Actions for otto.example', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Purge cache' }).click()
    await modal.getByText('All stored pages of otto.example go').waitFor()
    await modal.getByRole('button', { name: 'Purge' }).click()
    await page.getByText('Pages of otto.example were purged').waitFor()
    const { body } = await callApi(page, 'GET', '/api/cache/otto.example')
    expect(body).toMatchObject({ data: { insight: { purges: [{ scope: 'all' }] } } })
  })

  it('is reached from the settings of a domain', async () => {
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Actions for lena.example', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'More rules, purge and warm' }).click()
    await page.waitForURL('**/cache/lena.example')
  })

  it('says why when the host is away, and what is not there', async () => {
    await panel.breakHost('pageCache.report')
    await page.goto('/cache')
    await page.getByText('Cache could not be loaded').waitFor()
    await panel.mend()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('tr[data-cache="lena.example"]').waitFor()
    await page.goto('/cache/nobody.example')
    await page.getByText('There is no such page').waitFor()
  })

  it('purges everything after a question', async () => {
    await page.goto('/cache')
    await page.getByRole('button', { name: 'Purge everything' }).click()
    const modal = page.getByRole('dialog', { name: 'Purge the pages of all domains?' })
    await modal.getByRole('button', { name: 'Purge everything' }).click()
    await page.getByText('The pages of all domains were purged').waitFor()
  })

  it('shows an account its own sites alone', async () => {
    const own = await openPage(browser, panel.origin)
    await logInByApi(own.page, { username: 'otto', password: 'correct horse 9' })
    await own.page.goto('/cache')
    await own.page.locator('tr[data-cache="otto.example"]').waitFor()
    expect(await own.page.locator('tr[data-cache]').count()).toBe(1)
    expect(await own.page.getByRole('button', { name: 'Purge everything' }).count()).toBe(0)
    await own.page.goto('/cache/lena.example')
    await own.page.getByText('There is no such page').waitFor()
    await own.page.context().close()
  })

  it('nothing sticks out and nothing is forbidden, at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const screens = [
      { name: 'cache', path: '/cache' },
      {
        name: 'cache-site',
        path: '/cache/otto.example',
        ready: (of: Page) => of.locator('[data-drawn]').first().waitFor(),
      },
    ]
    expect(await overhangsOf(sized, screens)).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })
})
