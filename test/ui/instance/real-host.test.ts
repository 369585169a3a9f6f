import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { dropFiles } from '../support/drop-files.ts'
import { ensureBuild } from '../support/ensure-build.ts'
import { createAccount, logIn, setUp } from '../support/log-in.ts'
import { launchBrowser, openPage, type WatchedPage } from '../support/open-browser.ts'

const PASSWORD = 'correct horse 9'
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Says what runs it, and may be kept. */
const HELLO =
  "<?php header('Cache-Control: public, max-age=600'); echo 'hello from ', PHP_SAPI, ' as ', posix_getpwuid(posix_geteuid())['name'] ?? '?';"

/** The main ways through the panel, by hand, on a host with real users, sites, PHP and database servers. */
describe('the panel on a real host', () => {
  const username = randomUsername()
  const other = randomUsername()
  const domain = `${username}.example`
  const shop = `shop-${username}.example`
  let instance: Instance
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  let home: string
  beforeAll(async () => {
    await ensureBuild()
    const databases = 'mariadb = "managed"\npostgresql = "managed"'
    ;[instance, browser] = await Promise.all([
      startInstance({ settings: { databases } }),
      launchBrowser(undefined, ['--host-resolver-rules=MAP *.example 127.0.0.1']),
    ])
    home = join(instance.config.paths.home_base, username)
    watched = await openPage(browser, instance.panelUrl)
    page = watched.page
    page.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await browser?.close()
    await instance?.stop()
  })

  /** Writes a file of the second site as the account does over SFTP. */
  const write = (name: string, text: string): void => {
    const path = join(home, shop, name)
    const { uid, gid } = statSync(home)
    writeFileSync(path, text)
    chownSync(path, uid, gid)
  }
  const dialog = () => page.getByRole('dialog')
  const submit = (name: string) => dialog().getByRole('button', { name, exact: true }).click()
  const menu = async (of: string, action: string | RegExp) => {
    await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const file = (name: string) =>
    page
      .locator('tr[data-file]')
      .filter({ has: page.getByLabel(`Select ${name}`, { exact: true }) })
  const open = (path: string) => page.goto(path)
  const code = () => page.getByTestId('code').locator('.cm-content')
  /** What a visitor's browser shows of a site. */
  const visitSite = async (host: string, path = '/'): Promise<string> => {
    const origin = `http://${host}:${instance.webPort}`
    const visitor = await openPage(browser, origin, { javaScriptEnabled: false })
    await visitor.page.goto(path)
    const text = await visitor.page.locator('body').innerText()
    await visitor.page.context().close()
    return text
  }

  it('setup, an account with its website', async () => {
    await setUp(page)
    await page.getByText('everything is running').waitFor()
    await open('/accounts')
    await page.getByRole('button', { name: 'New account' }).first().click()
    await dialog().getByLabel('Username').fill(username)
    await dialog().getByLabel('Primary domain').fill(domain)
    await dialog().getByLabel('Email').fill(`post@${domain}`)
    await dialog().getByLabel('Password', { exact: true }).fill(PASSWORD)
    await dialog().getByText('Standard').click()
    await submit('Create account')
    await page.locator(`tr[data-account="${username}"]`).getByText('Active').waitFor()
    expect(existsSync(join(home, 'public_html'))).toBe(true)
    expect((await visitSite(domain)).length).toBeGreaterThan(0)
    // Somebody else, whose things the account must not see.
    await createAccount(page, other)
  })

  it('a second domain, which the web server serves at once', async () => {
    await open('/domains')
    await page.getByRole('button', { name: 'Add domain' }).click()
    await dialog().getByLabel('Account').selectOption(username)
    await dialog().getByLabel('Domain', { exact: true }).fill(shop)
    await submit('Add domain')
    await page.locator(`tr[data-domain="${shop}"]`).getByText('Addon').waitFor()
    write('index.html', 'the shop')
    expect(await visitSite(shop)).toBe('the shop')
  })

  it('files: dropped, renamed, permissions, packed and extracted, a picture', async () => {
    await open('/files?account=1&path=public_html')
    await dropFiles(page, { 'hello.txt': HELLO, 'dot.png': { base64: DOT } })
    await file('dot.png').waitFor()
    await file('hello.txt').waitFor()
    await menu('hello.txt', /^Rename/)
    await dialog().getByLabel('New name or place').fill('public_html/hello.php')
    await submit('Move')
    await file('hello.php').waitFor()
    expect(await visitSite(domain, '/hello.php')).toBe(`hello from fpm-fcgi as ${username}`)

    await menu('dot.png', 'Permissions')
    await dialog().getByLabel('Octal').fill('600')
    await submit('Set permissions')
    await file('dot.png').getByText('0600').waitFor()
    const { mode, uid } = statSync(join(home, 'public_html/dot.png'))
    expect([mode & 0o777, uid]).toEqual([0o600, statSync(home).uid])

    await page.getByRole('button', { name: 'dot.png', exact: true }).click()
    const picture = page.getByRole('img', { name: 'Picture dot.png' })
    const width = () => picture.evaluate((it: HTMLImageElement) => it.naturalWidth)
    await expect.poll(width).toBe(1)
    await dialog().getByRole('button', { name: 'Close' }).click()

    await page.getByLabel('Select dot.png').check()
    await page.getByRole('button', { name: 'Pack into an archive' }).click()
    await dialog().getByLabel('Archive', { exact: true }).fill('public_html/one.tar.gz')
    await submit('Pack')
    await file('one.tar.gz').waitFor()
    await menu('dot.png', 'Delete')
    await dialog()
      .getByLabel(/^Type .* to confirm$/)
      .fill('dot.png')
    await submit('Delete')
    await file('dot.png').waitFor({ state: 'detached' })
    await menu('one.tar.gz', 'Extract')
    await submit('Extract')
    await file('dot.png').getByText('0600').waitFor()
  })

  it('the editor saves with Ctrl+S and asks when the file was changed underneath', async () => {
    const path = join(home, shop, 'index.html')
    await open(`/files?account=1&path=${shop}&edit=index.html`)
    await code().click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('the new shop')
    await page.keyboard.press('Control+s')
    await page.getByText('index.html saved').waitFor()
    expect(await visitSite(shop)).toBe('the new shop')
    await page.keyboard.type(', mine')
    write('index.html', 'theirs, meanwhile')
    await page.keyboard.press('Control+s')
    const question = page.getByRole('dialog', { name: 'The file has changed meanwhile' })
    await question.waitFor()
    expect(readFileSync(path, 'utf8')).toBe('theirs, meanwhile')
    await question.getByRole('button', { name: 'Save anyway' }).click()
    await expect.poll(() => readFileSync(path, 'utf8')).toBe('the new shop, mine')
  })

  it('a database in each engine', async () => {
    await open('/databases?account=1')
    for (const [engine, name] of [
      ['MariaDB', 'blog'],
      ['PostgreSQL', 'wiki'],
    ] as const) {
      await page
        .getByText(new RegExp(`${engine}\\s+\\d`))
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'New database' }).first().click()
      await dialog().getByLabel('Database name').fill(name)
      await dialog().getByLabel('Password', { exact: true }).fill(PASSWORD)
      const choice = dialog().getByLabel('Engine')
      const option = choice.locator('option', { hasText: engine })
      await choice.selectOption((await option.getAttribute('value')) ?? '')
      await submit('Create database')
      const row = page.locator(`tr[data-database="${username}_${name}"]`)
      await row.getByText(engine, { exact: true }).waitFor()
      // Its server knows it: figures are there.
      expect(await row.getByText('–', { exact: true }).count()).toBe(0)
    }
  })

  it('PHP: another mode serves the next request', async () => {
    await open('/php')
    await page.getByLabel(`PHP mode of ${username}`).last().selectOption('cgi')
    await page.getByRole('button', { name: `Apply to ${username}`, exact: true }).click()
    await page.getByText(/runs PHP [\d.]+ as CGI/).waitFor()
    await page.locator(`tr[data-account="${username}"]`).getByText('· CGI').last().waitFor()
    const answer = await instance.site(domain, '/hello.php?fresh')
    expect(answer.text).toBe(`hello from cgi-fcgi as ${username}`)
  })

  it('a backup, and all files back from it', async () => {
    await open('/backups?account=1')
    await page.getByRole('button', { name: 'Create backup' }).first().click()
    await submit('Create backup')
    const row = page.locator('tr[data-backup]').first()
    await row.getByText('Verified').waitFor()
    expect(await row.innerText()).toContain(`${username}_blog`)
    write('index.html', 'defaced')
    await row.getByRole('button', { name: 'Actions for' }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    await dialog().getByLabel(`Type ${username} to confirm`).fill(username)
    await submit('Restore')
    await page.getByText(`${username} is restored`).waitFor()
    expect(await visitSite(shop)).toBe('the new shop, mine')
  })

  it('cache: a stored page is purged from its screen', async () => {
    const asked = async () => (await instance.site(domain, '/hello.php')).headers['x-cache']
    await asked()
    expect(await asked()).toBe('HIT')
    await open('/cache')
    await page.getByRole('link', { name: domain, exact: true }).click()
    const card = page.getByRole('region', { name: 'Purge' })
    await card.getByLabel('Paths').fill('/hello.php?x=1')
    await card.getByRole('button', { name: 'Purge' }).click()
    await expect.poll(() => card.getByLabel('Paths').getAttribute('aria-invalid')).toBe('true')
    await card.getByText('paths must not hold a query').waitFor()
    await card.getByLabel('Paths').fill('/hello.php')
    await card.getByRole('button', { name: 'Purge' }).click()
    await card.getByText(/[1-9]\d* pages? purged/).waitFor()
    expect(await asked()).toBe('MISS')
  })

  it('logs: a request appears while one looks', async () => {
    await open('/logs')
    await page.getByRole('switch', { name: 'Live' }).click({ force: true })
    await page.getByText('Live: new lines appear below').waitFor()
    await instance.site(shop, '/just-now')
    const line = page.locator('[data-log-row]').filter({ hasText: '/just-now' })
    await line.getByText('404').waitFor()
  })

  it('suspended with a reason, its sites answer 503', async () => {
    await open('/accounts')
    await menu(username, 'Suspend')
    await dialog().getByLabel('Reason').fill('unpaid invoice')
    await submit('Suspend account')
    const row = page.locator(`tr[data-account="${username}"]`)
    await row.getByText('unpaid invoice').waitFor()
    for (const host of [domain, shop]) expect((await instance.site(host, '/')).status).toBe(503)
    await menu(username, 'Unsuspend')
    await row.getByText('Active').waitFor()
    expect(await visitSite(shop)).toBe('the new shop, mine')
  })

  it('into the account and back; its own user sees its own things alone', async () => {
    await open(`/accounts/${username}`)
    await page.getByRole('button', { name: 'Log in as' }).click()
    await page.getByText(`You work as ${username}.`).first().waitFor()
    await open('/domains')
    expect(await page.locator('tr[data-domain]').count()).toBe(2)
    await page.getByRole('button', { name: 'Return to administrator' }).click()
    await page.getByRole('button', { name: 'Log in as' }).waitFor()

    const own = await openPage(browser, instance.panelUrl)
    await logIn(own.page, { username, password: PASSWORD })
    for (const path of ['accounts', 'domains', 'ssl', 'php', 'files', 'databases', 'backups']) {
      await own.page.goto(`/${path}`)
      await own.page.getByRole('heading', { level: 1 }).waitFor()
      expect(await own.page.locator('body').innerText()).not.toContain(other)
    }
    await own.page.goto('/files?account=2')
    await own.page.getByRole('button', { name: 'public_html', exact: true }).click()
    await own.page.getByRole('button', { name: 'hello.php', exact: true }).waitFor()
    await own.page.goto('/logs')
    await own.page.locator('[data-log-row]').filter({ hasText: '/just-now' }).waitFor()
    expect(own.complaints).toEqual([])
    await own.page.context().close()
  })

  it('deleted, with everything that was named', async () => {
    await open('/accounts')
    await menu(username, 'Delete')
    await dialog().getByText('2 domains').waitFor()
    await dialog().getByText('2 databases').waitFor()
    await dialog().getByLabel(`Type ${username} to confirm`).fill(username)
    await submit('Delete account')
    await page.locator(`tr[data-account="${username}"]`).waitFor({ state: 'detached' })
    expect(existsSync(home)).toBe(false)
    expect(watched.complaints).toEqual([])
  })
})
