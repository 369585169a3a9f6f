import { describe, expect, it } from 'vitest'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { overhangsOf, SCHEMES } from '../support/looks/overhangs.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const AT = '/applications/lena/shop'

describe('applications', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
  })

  const row = (name: string) => page.locator(`tr[data-application="${name}"]`)
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const known = async () => {
    const { body } = await callApi(page, 'GET', '/api/applications/1')
    return (body as unknown as { data: Record<string, unknown>[] }).data
  }

  it('says what there could be while there is nothing, and leads on', async () => {
    await page.goto('/applications')
    await page.getByText('No applications yet.').waitFor()
    await page.getByRole('button', { name: 'New application' }).last().click()
    await dialog('New application').waitFor()
    await page.keyboard.press('Escape')
    await dialog('New application').waitFor({ state: 'detached' })
  })

  it('makes one with the lines that are usual for its kind, and opens its page', async () => {
    await page.goto('/applications?new=1')
    const form = dialog('New application')
    await form.getByLabel('Account').selectOption('lena')
    await form.getByLabel('Name').fill('Shop')
    const install = form.getByLabel('Install', { exact: true })
    const start = form.getByLabel('Start', { exact: true })
    expect(await install.inputValue()).toBe('npm install')
    await start.focus()
    await form.getByText('Use 1 to 32 of a-z').waitFor()
    await form.getByLabel('Name').fill('shop')
    await form.getByLabel('Kind').selectOption('Python')
    expect(await install.inputValue()).toContain('python3 -m venv')
    await start.fill('exec python3 server.py')
    await form.getByLabel('Kind').selectOption('Node.js')
    expect(await install.inputValue()).toBe('npm install')
    // What somebody wrote stays.
    expect(await start.inputValue()).toBe('exec python3 server.py')
    await start.fill('node server.js')
    await install.fill('write fetched 0')
    await form.getByText('More', { exact: true }).click()
    await form.getByLabel('Health path').fill('health')
    await form.getByRole('button', { name: 'Create application' }).click()
    await form.getByText('Enter a path such as /health.').waitFor()
    await form.getByLabel('Health path').fill('/health')
    await watched.screenshot('application-create')
    await form.getByRole('button', { name: 'Create application' }).click()
    await page.waitForURL(`**${AT}`)
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor()
    await page.getByText('It was not deployed yet.').waitFor()
    expect(await known()).toMatchObject([
      {
        name: 'shop',
        folder: 'apps/shop',
        runtime_kind: 'node',
        runtime_version: null,
        install_command: 'write fetched 0',
        build_command: null,
        start_command: 'node server.js',
        health_path: '/health',
        restart: 'always',
        instances: 1,
        memory_mb: null,
        cpu_percent: null,
      },
    ])
  })

  it('deploys it and shows what it wrote, and how it is', async () => {
    await page.goto(AT)
    await button('Deploy').click()
    await page.getByText('shop is deployed and runs').waitFor()
    await page.locator('[data-deployment="live"]').waitFor()
    const output = page.getByRole('region', { name: 'What it wrote' })
    expect(await output.innerText()).toContain('fetched')
    await page.getByText('Running since').waitFor()
    await button('Restart').waitFor()
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await watched.screenshot(`application-${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('tells why a deployment failed, that what ran goes on, and cancels one', async () => {
    await callApi(page, 'PATCH', '/api/applications/1/shop', { build_command: 'write no-file 2' })
    await page.goto(AT)
    await page.getByText('Something was changed since it was started.').waitFor()
    await button('Deploy').click()
    await page.locator('[data-deployment="failed"]').waitFor()
    await page.getByText('The build failed with exit code 2.', { exact: true }).waitFor()
    await page.getByText('Running', { exact: true }).waitFor()
    await callApi(page, 'PATCH', '/api/applications/1/shop', { build_command: 'last' })
    await button('Deploy').click()
    await page.locator('[data-deployment="building"]').waitFor()
    await button('Cancel').click()
    await page.locator('[data-deployment="building"]').waitFor({ state: 'detached' })
    await page.getByText('The build was cancelled.', { exact: true }).waitFor()
  })

  it('changes settings, and says that what runs does not have them yet', async () => {
    await page.goto(AT)
    await button('Edit').click()
    const form = dialog('Edit shop')
    expect(await form.getByLabel('Name').count()).toBe(0)
    await form.getByLabel('Build', { exact: true }).fill('')
    await form.getByText('More', { exact: true }).click()
    await form.getByLabel('Memory, MB').fill('1')
    await form.getByRole('button', { name: 'Save application' }).click()
    await form.getByText('Enter a whole number from 32').waitFor()
    await form.getByLabel('Memory, MB').fill('256')
    await form.getByRole('button', { name: 'Save application' }).click()
    await page.getByText('Application shop saved').waitFor()
    expect(await known()).toMatchObject([{ build_command: null, memory_mb: 256 }])
    await button('Restart').click()
    await page.getByText('shop runs', { exact: true }).waitFor()
    await page
      .getByText('Something was changed since it was started.')
      .waitFor({ state: 'detached' })
  })

  it('keeps variables, and shows no value of a secret one', async () => {
    await page.goto(AT)
    await button('Edit variables').click()
    const lines = dialog('Edit variables').getByLabel('Variables', { exact: true })
    await lines.fill('MODE=production\nnothing')
    await dialog('Edit variables').getByRole('button', { name: 'Save variables' }).click()
    await page.getByText('"nothing" is not NAME=value.').waitFor()
    await lines.fill('MODE=production\nURL=https://x.example/?a=b')
    await dialog('Edit variables').getByRole('button', { name: 'Save variables' }).click()
    await page.getByText('https://x.example/?a=b', { exact: true }).waitFor()
    await button('Set secret').click()
    const form = dialog('Secret variable')
    await form.getByLabel('Name').fill('API_KEY')
    await form.getByLabel('Value').fill('whisper')
    await watched.screenshot('application-secret')
    await form.getByRole('button', { name: 'Set secret' }).click()
    await page.getByText('API_KEY is set.').waitFor()
    await button('Change API_KEY').waitFor()
    expect(await page.content()).not.toContain('whisper')
    await button('Remove API_KEY').click()
    await page.getByText('API_KEY is removed').waitFor()
    await button('Change API_KEY').waitFor({ state: 'detached' })
    expect(await known()).toMatchObject([
      { environment: { MODE: 'production', URL: 'https://x.example/?a=b' }, secrets: [] },
    ])
  })

  it('leads a domain to it and serves it by its files again', async () => {
    await page.goto(AT)
    await button('Add domain').click()
    const form = dialog('Lead a domain to it')
    await form.getByLabel('Paths').fill('api')
    await form.getByRole('button', { name: 'Add domain' }).click()
    await form.getByText('Begin each path with /.').waitFor()
    await form.getByLabel('Paths').fill('/api\n/shop')
    await form.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('link', { name: 'lena.example' }).waitFor()
    await page.getByText('/api /shop', { exact: true }).waitFor()
    await button('Serve lena.example by its files again').click()
    await page.getByText('No domain leads to it yet.').waitFor()
    await page.getByText('lena.example is served by its files again').waitFor()
  })

  it('stops and starts it, from the list too', async () => {
    await page.goto(AT)
    await button('Stop').click()
    await page.getByText('shop is stopped', { exact: true }).waitFor()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await page.goto('/applications?account=1')
    await row('shop').getByText('Stopped').filter({ visible: true }).waitFor()
    await button('Actions for shop').click()
    await page.getByRole('menuitem', { name: 'Start', exact: true }).click()
    await row('shop').getByText('Running', { exact: true }).filter({ visible: true }).waitFor()
    await page.goto('/applications?account=1&desired=stopped')
    await row('shop').waitFor({ state: 'detached' })
    await page.goto('/applications')
    await row('shop').getByRole('link', { name: 'lena' }).waitFor()
  })

  it('makes a site of a repository, and shows what it is served from', async () => {
    await page.goto('/applications?new=1')
    const form = dialog('New application')
    await form.getByLabel('Account').selectOption('lena')
    await form.getByLabel('Name').fill('pages')
    await form.getByLabel('Kind').selectOption('PHP or static site')
    expect(await form.getByLabel('Start', { exact: true }).count()).toBe(0)
    expect(await form.getByLabel('Install', { exact: true }).inputValue()).toBe('')
    await form.getByRole('button', { name: 'Create application' }).click()
    await form
      .getByRole('textbox', { name: 'Repository' })
      .fill('https://example.com/team/pages.git')
    await form.getByLabel('Public folder').fill('../public')
    await form.getByLabel('Shared between releases').fill('.env\nstorage/')
    await form.getByRole('button', { name: 'Create application' }).click()
    await form.getByText('Use paths inside the repository').waitFor()
    await form.getByLabel('Public folder').fill('public')
    await watched.screenshot('application-create-site')
    await form.getByRole('button', { name: 'Create application' }).click()
    await page.waitForURL('**/applications/lena/pages')
    await button('Deploy').click()
    await page.getByText('pages is deployed and served').waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor()
    await page.getByText(/^apps\/pages\/releases\/[-\w]+\/public$/).waitFor()
    for (const name of ['Start', 'Stop', 'Restart']) expect(await button(name).count()).toBe(0)
    await button('Edit').click()
    expect(await dialog('Edit pages').getByLabel('Shared between releases').inputValue()).toBe(
      '.env\nstorage/',
    )
    await page.keyboard.press('Escape')
    await watched.screenshot('application-site')
    await button('Make hook').click()
    const shown = dialog('Hook of pages')
    expect(await shown.getByRole('list', { name: 'Secret' }).textContent()).toMatch(/^\S{43}$/)
    await shown.getByRole('button', { name: 'I have entered it' }).click()
    await page.getByText(/\/api\/hooks\/applications\/[0-9a-f]{32}$/).waitFor()
    await button('Remove hook').click()
    await page.getByText('The hook is removed').waitFor()
    await callApi(page, 'DELETE', '/api/applications/1/pages')
  })

  it('nothing sticks out at any width, light and dark', async () => {
    const sized = await openPage(browser, panel.origin)
    await logInByApi(sized.page)
    const screens = [
      { name: 'applications', path: '/applications' },
      { name: 'applications-account', path: '/applications?account=1' },
      { name: 'applications-none', path: '/applications?account=2' },
      { name: 'application', path: AT },
    ]
    expect(await overhangsOf(sized, screens)).toEqual({})
    expect(sized.complaints).toEqual([])
    await sized.page.context().close()
  })

  it('can be used on a phone by the account itself, in German', async () => {
    const viewport = { width: 360, height: 740 }
    const options = { viewport, colorScheme: 'dark', locale: 'de-DE' } as const
    const phone = await openPage(browser, panel.origin, options)
    await logInByApi(phone.page, { username: 'otto', password: 'correct horse 9' })
    await phone.page.goto('/applications')
    await phone.page.getByRole('button', { name: 'Neue Anwendung' }).first().click()
    const form = phone.page.getByRole('dialog', { name: 'Neue Anwendung' })
    await form.getByLabel('Name').fill('api')
    await form.getByLabel('Installieren').fill('')
    await phone.screenshot('application-phone-create')
    await form.getByRole('button', { name: 'Anwendung anlegen' }).click()
    await phone.page.getByRole('button', { name: 'Bereitstellen', exact: true }).click()
    await phone.page.locator('[data-deployment="live"]').waitFor()
    await phone.page.getByText('Läuft', { exact: true }).waitFor()
    await phone.screenshot('application-phone')
    expect(phone.complaints).toEqual([])
    await phone.page.context().close()
  })

  it('deletes it after its name was typed', async () => {
    await page.goto(AT)
    await button('Delete application').click()
    await page.getByLabel('Type shop to confirm').fill('shop')
    await dialog('Delete shop?').getByRole('button', { name: 'Delete application' }).click()
    await page.getByText('Application shop deleted').waitFor()
    await page.waitForURL('**/applications?account=1')
    expect(await known()).toEqual([])
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
