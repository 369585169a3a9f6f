import { describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { callApi, createAccount, logIn, logInByApi, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('changing what there is', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
    await callApi(page, 'POST', '/api/domains', {
      account_id: 1,
      domain_name: 'shop.lena.example',
      domain_type: 'alias',
      document_root: '/home/lena/public_html',
    })
    for (const db_name of ['blog', 'shop'])
      await callApi(page, 'POST', '/api/databases', {
        account_id: 1,
        db_name,
        db_password: 'correct horse 9',
      })
  })

  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const dataOf = async (path: string) => (await callApi(page, 'GET', path)).body

  it('domain: PHP, cache and exclusions; https needs a certificate', async () => {
    await page.goto('/domains')
    await menu('lena.example', 'Settings')
    const drawer = page.getByRole('dialog', { name: 'Settings of lena.example' })
    expect(await drawer.getByRole('switch', { name: /Lead http/ }).isDisabled()).toBe(true)
    await drawer.getByLabel('PHP version').selectOption('8.1')
    await drawer.getByLabel('Time to live, seconds').fill('ten')
    await drawer.getByLabel('Never cached').fill('/cart/*\n/account/*\n')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await drawer.getByText('Enter a whole number of seconds').waitFor()
    await watched.screenshot('domain-settings')
    await drawer.getByLabel('Time to live, seconds').fill('600')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings of lena.example saved').waitFor()
    expect(await dataOf('/api/domains/1')).toMatchObject({
      data: {
        php_version: '8.1',
        cache_ttl: 600,
        cache_exclude: ['/cart/*', '/account/*'],
        document_root: '/home/lena/public_html',
      },
    })
    await menu('lena.example', 'Settings')
    expect(await drawer.getByLabel('Never cached').inputValue()).toBe('/cart/*\n/account/*')
    await drawer.getByLabel('Document root').fill('/etc')
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await drawer.locator('#edit-domain-root[aria-invalid="true"]').waitFor()
    await drawer.getByRole('button', { name: 'Cancel' }).click()
  })

  it('domain: leads http to https and switches the cache off', async () => {
    const made = makeCertificate({ names: ['lena.example'] })
    const uploaded = await callApi(page, 'POST', '/api/ssl/upload', {
      domain: 'lena.example',
      certificate: made.certificate,
      private_key: made.key,
    })
    expect(uploaded.status).toBe(200)
    await page.goto('/domains')
    await menu('lena.example', 'Settings')
    const drawer = page.getByRole('dialog', { name: 'Settings of lena.example' })
    await drawer.getByText('Lead http to https').click()
    await drawer.getByText('Page cache').click()
    expect(await drawer.getByLabel('Never cached').count()).toBe(0)
    await drawer.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Settings of lena.example saved').waitFor()
    expect(await dataOf('/api/domains/1')).toMatchObject({
      data: { redirect_https: true, hsts: false, cache_enabled: false, cache_ttl: 600 },
    })
  })

  it('domain: redirects, addresses and headers, each checked where it is typed', async () => {
    await page.goto('/domains')
    await menu('lena.example', 'Visitors and redirects')
    const drawer = page.getByRole('dialog', { name: 'Visitors and redirects of lena.example' })
    await drawer.getByLabel('Name with www.').selectOption('without')
    await drawer.getByLabel('Redirects').fill('/old\n302 /blog/* https://blog.example/')
    await drawer.getByLabel('Headers of every response').fill('X-Frame-Options')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('"/old" is no redirect').waitFor()
    await drawer.getByText('"X-Frame-Options" is no header').waitFor()
    await watched.screenshot('domain-visitors')
    await drawer.getByLabel('Redirects').fill('/old /new\n302 /blog/* https://blog.example/')
    await drawer.getByLabel('Headers of every response').fill('X-Frame-Options: DENY')
    await drawer.getByLabel('Refused addresses').fill('192.0.2.300')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.locator('#site-deny[aria-invalid="true"]').waitFor()
    await drawer.getByLabel('Refused addresses').fill('192.0.2.0/24')
    await drawer.getByLabel('Requests of one address').fill('/login five')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('"/login five" is no limit').waitFor()
    await drawer.getByLabel('Requests of one address').fill('/login 5/60 burst 10')
    await drawer.getByLabel('Addresses without these limits').fill('10.0.0.0/8')
    await drawer.getByText('Maintenance', { exact: true }).click()
    await drawer.getByLabel('See the site meanwhile').fill('10.0.0.7')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Visitors and redirects of lena.example saved').waitFor()
    expect(await dataOf('/api/domains/1/site')).toMatchObject({
      data: {
        www: 'without',
        redirects: [
          { from: '/old', match: 'exact', to: '/new', status: 301 },
          { from: '/blog', match: 'prefix', to: 'https://blog.example/', status: 302 },
        ],
        headers: [{ name: 'X-Frame-Options', value: 'DENY' }],
        deny: ['192.0.2.0/24'],
        maintenance: { enabled: true, retry_after_secs: 3600, allow: ['10.0.0.7'] },
        rate_limits: {
          rules: [{ path: '/login', requests: 5, per_secs: 60, burst: 10, count_hits: true }],
          allow: ['10.0.0.0/8'],
        },
      },
    })
    await menu('lena.example', 'Visitors and redirects')
    expect(await drawer.getByLabel('Redirects').inputValue()).toBe(
      '301 /old /new\n302 /blog/* https://blog.example/',
    )
    await drawer.getByRole('button', { name: 'Cancel' }).click()
  })

  it('domain: a path is passed on to servers, changed, and answered by files again', async () => {
    await page.goto('/domains')
    await menu('lena.example', 'Backends')
    const drawer = page.getByRole('dialog', { name: 'Backends of lena.example' })
    await drawer.getByText('Files and scripts answer every path.').waitFor()
    await drawer.getByLabel('Path', { exact: true }).fill('api/')
    await drawer.locator('#site-backend-servers').fill('app.example')
    await drawer.getByRole('button', { name: 'Set backend' }).click()
    await drawer.locator('#site-backend-path[aria-invalid="true"]').waitFor()
    await drawer.getByText('"app.example" is no server.').waitFor()
    await drawer.getByLabel('Path', { exact: true }).fill('/api')
    await drawer
      .locator('#site-backend-servers')
      .fill('https://a.example 2\nhttps://b.example:8443')
    await drawer.getByLabel('Path for their health').fill('/up')
    await drawer.getByLabel('Path there').fill('/v1')
    await drawer.getByRole('button', { name: 'Set backend' }).click()
    await page.getByText('/api is passed on').waitFor()
    const row = drawer.locator('[data-backend="/api"]')
    await row.getByText('https://a.example 2').waitFor()
    await watched.screenshot('domain-backends')
    await row.getByRole('button', { name: 'Change what answers /api' }).click()
    expect(await drawer.locator('#site-backend-servers').inputValue()).toContain('b.example:8443')
    await drawer.locator('#site-backend-servers').fill('http://10.0.0.5:3000')
    await drawer.getByRole('button', { name: 'Set backend' }).click()
    await drawer.getByText('no address of the internet').waitFor()
    await drawer.getByText('Servers inside', { exact: true }).click()
    await drawer.getByRole('button', { name: 'Set backend' }).click()
    await row.getByText('set by an administrator').waitFor()
    expect(await dataOf('/api/domains/1/backends')).toMatchObject({
      data: [{ path: '/api', internal: true, servers: [{ url: 'http://10.0.0.5:3000' }] }],
    })
    await row.getByRole('button', { name: 'Have /api answered by files again' }).click()
    await drawer.getByRole('button', { name: 'Pass on no more', exact: true }).click()
    await drawer.getByText('Files and scripts answer every path.').waitFor()
    await drawer.getByRole('button', { name: 'Cancel' }).click()
  })

  it('domain: somebody is let in by a password, and the path is opened again', async () => {
    await page.goto('/domains')
    await menu('lena.example', 'Passwords')
    const drawer = page.getByRole('dialog', { name: 'Passwords of lena.example' })
    await drawer.getByText('No path asks for a password yet.').waitFor()
    await drawer.getByLabel('Path', { exact: true }).fill('internal')
    await drawer.getByRole('button', { name: 'Let in' }).click()
    await drawer.getByText('Begin with a slash').waitFor()
    for (const name of ['ann', 'ben']) {
      await drawer.getByLabel('Path', { exact: true }).fill('/internal')
      await drawer.getByLabel('Name', { exact: true }).fill(name)
      await drawer.getByLabel('Password', { exact: true }).fill('better horse 10')
      await drawer.getByRole('button', { name: 'Let in' }).click()
      await page.getByText(`${name} is let in at /internal`).waitFor()
    }
    await watched.screenshot('domain-passwords')
    expect(await drawer.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    const take = async (name: string, confirm: string) => {
      await drawer
        .getByRole('button', { name: `Take the password of ${name} for /internal` })
        .click()
      await drawer.getByRole('button', { name: confirm, exact: true }).click()
      await page.getByText(`${name} is let in at /internal no more`).waitFor()
    }
    await take('ann', 'Take the password')
    await take('ben', 'Open /internal to everybody')
    await drawer.getByText('No path asks for a password yet.').waitFor()
    expect(await dataOf('/api/domains/1/site')).toMatchObject({ data: { protected: [] } })
    await drawer.getByRole('button', { name: 'Cancel' }).click()
  })

  it('domain: settings of PHP, with who says what they are now', async () => {
    await page.goto('/domains')
    await menu('lena.example', 'PHP')
    const drawer = page.getByRole('dialog', { name: 'PHP settings of lena.example' })
    await drawer.getByText('Now 256M, by the server').first().waitFor()
    await drawer.getByLabel('memory_limit').fill('lots')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('Enter a size such as 256M, from 8M to 64G.').waitFor()
    await drawer.getByLabel('memory_limit').fill('3G')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.locator('#site-php-memory_limit[aria-invalid="true"]').waitFor()
    await drawer.getByLabel('memory_limit').fill('128M')
    await drawer.getByLabel('date.timezone').fill('Europe/Berlin')
    await drawer.getByText('Extensions (2)').click()
    await watched.screenshot('domain-php')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('PHP settings of lena.example saved').waitFor()
    expect(await dataOf('/api/domains/1/site')).toMatchObject({
      data: { php: { memory_limit: '128M', 'date.timezone': 'Europe/Berlin' } },
    })
  })

  it('domain: an alias says that it has the settings of its site', async () => {
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Actions for shop.lena.example' }).click()
    const settings = page.getByRole('menuitem', { name: /^Settings/ })
    expect(await settings.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
  })

  it('database: details to copy, and a new password', async () => {
    await page.goto('/databases?account=1')
    await menu('lena_blog', 'Connection details')
    const details = page.getByRole('dialog', { name: 'Connect to lena_blog' })
    for (const text of ['localhost', 'lena_blog', 'MariaDB'])
      await details.getByText(text, { exact: true }).first().waitFor()
    await watched.screenshot('database-details')
    await details.getByRole('button', { name: 'Change password' }).click()
    const drawer = page.getByRole('dialog', { name: 'Change password' })
    await drawer.getByLabel('New password').fill('short')
    await drawer.getByRole('button', { name: 'Change password' }).click()
    await drawer.getByText('Use at least 8 characters.').waitFor()
    await drawer.getByLabel('New password').fill('better horse 10')
    await drawer.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password of lena_blog changed').waitFor()
  })

  it('database: export to download, import with a question, undo', async () => {
    await page.goto('/databases?account=1')
    await menu('lena_blog', 'Export')
    const modal = page.getByRole('dialog', { name: 'Export lena_blog' })
    await modal.getByLabel('File format').selectOption('zip')
    const download = page.waitForEvent('download')
    await modal.getByRole('button', { name: 'Export', exact: true }).click()
    expect((await download).suggestedFilename()).toMatch(/^mariadb-lena_blog-[0-9-]+\.zip$/)
    await page.locator('[data-export]').getByText('lena_blog', { exact: false }).waitFor()
    await watched.screenshot('database-exports')
    await page.getByRole('button', { name: /^Delete mariadb-lena_blog/ }).click()
    await page.locator('[data-export]').waitFor({ state: 'detached' })

    await menu('lena_blog', 'Import')
    const drawer = page.getByRole('dialog', { name: 'Import into lena_blog' })
    const submit = drawer.getByRole('button', { name: 'Replace and import' })
    await submit.click()
    await drawer.getByText('Choose a file.').waitFor()
    await drawer.getByText('Type lena_blog as it stands here.').waitFor()
    const dump = { name: 'blog.sql', mimeType: 'text/plain', buffer: Buffer.from('SELECT 1;') }
    await drawer.getByLabel('File', { exact: true }).setInputFiles(dump)
    await drawer.getByLabel('Type lena_blog to confirm').fill('lena_blog')
    await watched.screenshot('database-import')
    await submit.click()
    await page.getByText('The dump is in lena_blog').waitFor()
    await page.locator('[data-restore]').getByRole('button', { name: 'Undo' }).waitFor()
    const left = (await dataOf('/api/files/list?account_id=1')) as { data?: { name: string }[] }
    expect(left.data?.some(({ name }) => name.startsWith('.berth-import'))).toBe(false)

    await menu('lena_blog', 'Import')
    await drawer.getByLabel('Where the dump comes from').selectOption('home')
    await drawer.getByLabel('Path in the home').fill('no-such.sql')
    await drawer.getByLabel('Type lena_blog to confirm').fill('lena_blog')
    await submit.click()
    await page.getByText('no-such.sql', { exact: false }).first().waitFor()
  })

  it('account: plan with its quotas, quotas of its own, email', async () => {
    await page.goto('/accounts')
    await menu('otto', 'Edit')
    const drawer = page.getByRole('dialog', { name: 'Edit otto' })
    await drawer.getByText('Premium').click()
    await drawer.getByLabel('Email').fill('not an address')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('Enter an email address').waitFor()
    await drawer.getByLabel('Email').fill('new@otto.example')
    await drawer.getByText('More', { exact: true }).click()
    expect(await drawer.getByLabel('Disk quota, MB').inputValue()).toBe('50000')
    await drawer.getByLabel('Traffic quota a month, MB').fill('2000')
    await watched.screenshot('account-edit')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Account otto saved').waitFor()
    expect(await dataOf('/api/accounts/2')).toMatchObject({
      data: {
        plan: 'business',
        email: 'new@otto.example',
        disk_quota_mb: 50_000,
        bandwidth_quota_mb: 2000,
      },
    })
    await watched.screenshot('accounts-usage')
  })

  it('account: a new password opens the door, and its user changes it with the old one', async () => {
    await page.goto('/accounts')
    await menu('otto', 'Edit')
    await page.getByLabel('New password').fill('better horse 10')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Account otto saved').waitFor()

    const own = await openPage(browser, panel.origin)
    await logIn(own.page, { username: 'otto', password: 'better horse 10' })
    await own.page.getByRole('button', { name: 'Email and password' }).click()
    const drawer = own.page.getByRole('dialog', { name: 'Email and password' })
    expect(await drawer.getByText('Premium').count()).toBe(0)
    await drawer.getByLabel('New password').fill('the best horse 11')
    await drawer.getByLabel('Current password').fill('wrong horse 1')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.locator('#edit-account-current[aria-invalid="true"]').waitFor()
    await own.screenshot('account-own')
    await drawer.getByLabel('Current password').fill('better horse 10')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.waitFor({ state: 'hidden' })
    await own.page.context().clearCookies()
    await logIn(own.page, { username: 'otto', password: 'the best horse 11' })
    await own.page.context().close()
  })

  it('account: logs in as it', async () => {
    const visitor = await openPage(browser, panel.origin)
    await logInByApi(visitor.page)
    await visitor.page.goto('/accounts')
    await visitor.page.getByRole('button', { name: 'Actions for lena' }).click()
    await visitor.page.getByRole('menuitem', { name: 'Log in as' }).click()
    await visitor.page.getByText('Hosting account lena').waitFor()
    await visitor.page.getByText('Visited by admin').first().waitFor()
    await visitor.page.goto('/databases')
    await visitor.page.getByText('lena_blog').first().waitFor()
    await visitor.page.context().close()
  })

  it('drawers fit a phone, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = { width: 360, height: 740 }
      const phone = await openPage(browser, panel.origin, { viewport, colorScheme })
      await logInByApi(phone.page)
      const open = async (path: string, name: string, action: string) => {
        await phone.page.goto(path)
        await phone.page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
        await phone.page.getByRole('menuitem', { name: action }).click()
        const dialog = phone.page.getByRole('dialog')
        // It slides in from beyond the edge.
        await dialog.evaluate((it) => Promise.all(it.getAnimations().map((one) => one.finished)))
        const box = await dialog.boundingBox()
        expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true)
        await phone.screenshot(`${path.slice(1)}-${action.split(' ')[0]}-360-${colorScheme}`)
      }
      await open('/domains', 'lena.example', 'Settings')
      await open('/domains', 'lena.example', 'Visitors and redirects')
      await open('/domains', 'lena.example', 'Passwords')
      await open('/domains', 'lena.example', 'Backends')
      await open('/accounts', 'lena', 'Edit')
      expect(phone.complaints).toEqual([])
      await phone.page.context().close()
    }
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
