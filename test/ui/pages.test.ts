import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from './support/log-in.ts'
import { page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

describe('the other pages', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
  })

  it('dashboard: four figures, the server, the web server with Restart', async () => {
    await page.goto('/')
    const cards = await page.getByTestId('stat-card').allInnerTexts()
    expect(cards).toHaveLength(4)
    expect(cards[0]?.replaceAll('\n', ' ')).toContain('2 / 5')
    expect(cards[1]?.replaceAll('\n', ' ')).toContain('2 / 10')
    expect(cards[2]).toContain('GB')
    expect(cards[3]).toContain('Community')
    const server = page.getByRole('region', { name: 'Server information' })
    for (const name of ['Hostname', 'OS', 'Kernel', 'Uptime', 'CPU', 'RAM'])
      await server.getByText(name, { exact: true }).waitFor()
    await server.getByText(/\d cores?$/).waitFor()
    const webServer = page.getByRole('region', { name: 'Web server' })
    for (const name of ['Running', 'Version', 'PID', 'Uptime'])
      await webServer.getByText(name, { exact: true }).waitFor()
    await webServer.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('Web server restarted').waitFor()
  })

  it('says what failed and why when the host is away, and recovers by itself', async () => {
    await panel.breakHost('webServer.status')
    await page.goto('/')
    const card = page.getByRole('region', { name: 'Web server' })
    await card.getByText('Web server could not be loaded').waitFor()
    await card.getByText('The host agent is not reachable').waitFor()
    await watched.screenshot('dashboard-host-away')
    await panel.mend()
    await card.getByRole('button', { name: 'Try again' }).click()
    await card.getByText('Running').waitFor()
  })

  it('domains: adds below the home of the account, deletes after the name was typed', async () => {
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Add domain' }).click()
    const drawer = page.getByRole('dialog', { name: 'Add domain' })
    await drawer.getByLabel('Account').selectOption('lena')
    await drawer.getByLabel('Domain', { exact: true }).fill('shop.example')
    const root = drawer.getByLabel('Document root')
    expect(await root.inputValue()).toBe('/home/lena/shop.example')
    await root.fill('/etc')
    await drawer.getByRole('button', { name: 'Add domain' }).click()
    await drawer.getByText('Document root must').waitFor()
    expect(await root.getAttribute('aria-invalid')).toBe('true')
    await root.fill('/home/lena/shop')
    await drawer.getByRole('button', { name: 'Add domain' }).click()
    const row = page.locator('tr[data-domain="shop.example"]')
    await row.getByText('Addon').waitFor()
    await watched.screenshot('domains')
    await page.getByRole('button', { name: 'Actions for lena.example' }).click()
    const blocked = page.getByRole('menuitem', { name: 'Delete' })
    expect(await blocked.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Actions for shop.example' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Type shop.example to confirm').fill('shop.example')
    await page.getByRole('button', { name: 'Delete domain' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('domains: a wildcard is a subdomain or alias, and shown as what it is', async () => {
    await page.goto('/domains?new=1')
    const drawer = page.getByRole('dialog', { name: 'Add domain' })
    await drawer.getByLabel('Account').selectOption('lena')
    await drawer.getByLabel('Domain', { exact: true }).fill('*.lena.example')
    await drawer.getByText('No certificate by HTTP').waitFor()
    expect(await drawer.getByLabel('Document root').inputValue()).toBe(
      '/home/lena/wildcard.lena.example',
    )
    await drawer.getByRole('button', { name: 'Add domain' }).click()
    await drawer.getByText('Choose Subdomain').waitFor()
    await drawer.getByLabel('Type').selectOption('subdomain')
    await drawer.getByRole('button', { name: 'Add domain' }).click()
    const row = page.locator('tr[data-domain="*.lena.example"]')
    await row.getByText('Wildcard', { exact: true }).waitFor()
    expect(await row.getByRole('link', { name: '*.lena.example' }).count()).toBe(0)
    await watched.screenshot('domains-wildcard')
    const { data = [] } = (await callApi(page, 'GET', '/api/domains')).body as {
      data?: { id: number; domain_name: string }[]
    }
    const made = data.find(({ domain_name }) => domain_name.startsWith('*'))
    await callApi(page, 'DELETE', `/api/domains/${made?.id}`)
  })

  it('domains: an international name is shown as its owner writes it, beside what it is', async () => {
    await page.goto('/domains?new=1')
    const drawer = page.getByRole('dialog', { name: 'Add domain' })
    await drawer.getByLabel('Account').selectOption('lena')
    await drawer.getByLabel('Domain', { exact: true }).fill('bücher.example')
    await drawer.getByRole('button', { name: 'Add domain' }).click()
    const row = page.locator('tr[data-domain="xn--bcher-kva.example"]')
    await row.getByRole('link', { name: 'bücher.example xn--bcher-kva.example' }).waitFor()
    await watched.screenshot('domains-international')
    const { data = [] } = (await callApi(page, 'GET', '/api/domains')).body as {
      data?: { id: number; domain_name: string }[]
    }
    const made = data.find(({ domain_name }) => domain_name.startsWith('xn--'))
    await callApi(page, 'DELETE', `/api/domains/${made?.id}`)
  })

  it('databases: creates with the prefix of the account, lists, deletes', async () => {
    await page.goto('/databases')
    await page.getByLabel('Account').selectOption('otto')
    await page.getByText('otto has no databases yet.').waitFor()
    await page.getByText('MariaDB').waitFor()
    await page.getByRole('button', { name: 'New database' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'New database' })
    await drawer.getByLabel('Database name').fill('blog')
    await drawer.getByText('Becomes otto_blog').waitFor()
    await drawer.getByLabel('Password', { exact: true }).fill('correct horse 9')
    await drawer.getByRole('button', { name: 'Create database' }).click()
    const row = page.locator('tr[data-database="otto_blog"]')
    await row.waitFor()
    await watched.screenshot('databases')
    await page.getByRole('button', { name: 'Actions for otto_blog' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByLabel('Type otto_blog to confirm').fill('otto_blog')
    await page.getByRole('button', { name: 'Delete database' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('system: memory, disk, load, processes', async () => {
    await page.goto('/system')
    for (const name of ['Memory', 'Disk', 'Load average', 'Processes'])
      await page.getByRole('region', { name, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await watched.screenshot('system')
  })

  it('system: workers that were held up, and what is answered with 503 for it', async () => {
    await page.goto('/system')
    const card = page.getByRole('region', { name: 'Held-up workers' })
    expect(await card.count()).toBe(0)
    const stall = { at: '2026-01-02 03:04:05', secs: 5.3, ended: true, method: 'GET' } as const
    await panel.setStalls([
      { ...stall, site: null, method: null, target: null, part: null, held: false },
      { ...stall, site: 'otto.example', target: '/<b>x', part: 'rules', held: true },
    ])
    await page.getByRole('button', { name: 'Refresh' }).click()
    const rows = card.getByRole('listitem')
    await rows.first().waitFor()
    expect(await rows.first().innerText()).toMatch(/5\.3 s[^]*otto\.example[^]*GET \/<b>x/)
    await rows.first().getByText('Rules answered with 503').waitFor()
    await rows.last().getByText('No known request').waitFor()
    await rows.last().getByText('Worker replaced').waitFor()
    await watched.screenshot('system-stalls')
    await panel.setStalls([])
  })

  it('system: the doctor says what is wrong, why it matters and what to do', async () => {
    const stall = { at: '2026-01-02 03:04:05', secs: 5.3, ended: true, method: 'GET' } as const
    const held = { site: 'otto.example', target: '/slow', part: 'request', held: true } as const
    await panel.setStalls([{ ...stall, ...held }])
    await page.goto('/system')
    const card = page.getByRole('region', { name: 'Doctor' })
    await card.getByRole('button', { name: 'Examine' }).click()
    const finding = card.getByRole('listitem').filter({ hasText: 'otto.example held up a worker' })
    await finding.getByText('Fault', { exact: true }).waitFor()
    await finding.getByText('Why it matters: Other visitors waited').waitFor()
    await finding.getByText('What to do: Look at what the address leads to').waitFor()
    await card.getByRole('heading', { name: 'Not looked at' }).waitFor()
    await watched.screenshot('system-doctor')
    await panel.setStalls([])
  })

  it('finds pages, commands and accounts by keyboard', async () => {
    await page.goto('/')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search and commands' })
    await palette.getByRole('combobox').fill('otto')
    await palette.getByRole('option', { name: 'otto otto.example', exact: true }).waitFor()
    await watched.screenshot('palette')
    await page.keyboard.press('Enter')
    await page.locator('tr[data-account="otto"]').waitFor()
    expect(await page.locator('tr[data-account]').count()).toBe(1)
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('new account')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New account' }).waitFor()
  })

  it('shows script in names as text', async () => {
    const evil = '<img src=x onerror=alert(1)>'
    await callApi(page, 'POST', '/api/accounts/1/suspend', { reason: evil })
    await page.goto('/accounts')
    await page.getByText(evil).waitFor()
  })

  it('leads to login when the session ends in the middle of the work', async () => {
    await page.goto('/accounts')
    await page.context().clearCookies({ name: 'panel_token' })
    await page.getByRole('button', { name: 'Actions for lena' }).click()
    await page.getByRole('menuitem', { name: 'Unsuspend' }).click()
    await page.getByRole('heading', { name: 'Log in to Berth' }).waitFor()
    expect(new URL(page.url()).searchParams.get('next')).toBe('/accounts')
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
